/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * truth.js - what really happened: the simulated drive's own account, under the host's view, on one clock.
 * The experiment never sees it; it is here to check the answers against.
 */

const STRIP_COLORS = ["--strip-1", "--strip-2", "--strip-3", "--strip-4", "--strip-5", "--strip-6"];
const IDLE_WORDS = new Set(["none", "", "idle"]);

/* What bound and what ran in the background, as two coloured strips. */
function stripChart(run, times, group) {
	const t = run.truth;
	const rowsOf = [["Background", "activity"], ["Bound by", "binding"]];
	const words = [...new Set([...t.binding_words, ...t.activity_words])].filter((w) => !IDLE_WORDS.has(w));
	if (!words.length)
		return null;
	const color = new Map(words.map((w, i) => [w, STRIP_COLORS[i % STRIP_COLORS.length]]));
	const wordAt = rowsOf.map(([, name]) => columnOf(t, name).map((k) => isNumber(k) ? t[name + "_words"][k] : ""));
	const chart = makeChart({
		title: "What bound the drive, and its background work", unit: "", height: 120, wide: true, group,
		xlabel: "Drive's clock since the run began", labels: ["Time", "state"], rows: times.map((x) => [x, 0]),
		series: { state: { width: 0, quiet: true } }, x: { ...clock(run), show: (v) => stripWords(v) },
		y: { min: 0, max: 2, ticker: () => rowsOf.map(([name], i) => ({ v: i + 0.5, label: name })), show: () => "" },
		options: { highlightCircleSize: 0 },
		underlay(ctx, area, g) {
			const colors = new Map(words.map((w) => [w, cssValue(color.get(w))]));
			rowsOf.forEach((_, row) => {
				const top = g.toDomYCoord(row + 0.85);
				const height = g.toDomYCoord(row + 0.15) - top;
				let from = null;
				for (let i = 1; i <= times.length; i++) {
					const word = wordAt[row][i];
					if (from === null)
						from = i - 1;
					if (i < times.length && word === wordAt[row][from + 1] && i > from)
						continue;
					const w = wordAt[row][from + 1];
					if (colors.has(w)) {
						const a = g.toDomXCoord(times[from]);
						const b = g.toDomXCoord(times[i - 1]);
						ctx.fillStyle = colors.get(w);
						ctx.fillRect(a, top, Math.max(0.7, b - a), height);
					}
					from = i - 1;
				}
			});
		},
	});
	function stripWords(x) {
		let i = times.findIndex((v) => v >= x);
		i = i < 0 ? times.length - 1 : i;
		return `at ${timeOf(x)}: bound by ${wordAt[1][i] || "nothing"}, background ${wordAt[0][i] || "none"}`;
	}
	chart.figure.querySelector(".legend").after(el("p", { class: "shades" }, words.map((w) =>
		el("span", { class: "legend-item" }, el("i", { class: "block", style: `background:var(${color.get(w)})` }), w))));
	return chart;
}

function truthChart(run, times, group, spec) {
	const t = run.truth;
	const lines = spec.lines.map(([name, field, style, change]) => {
		const values = typeof field === "function" ? times.map((_, i) => field(i)) : columnOf(t, field);
		return { name, style, values: values.map((v, i) => isNumber(v) ? (change ? change(v, i) : v) : NaN) };
	}).filter((l, i) => i === 0 || l.values.some((v) => isNumber(v) && v !== 0));
	const all = lines.flatMap((l) => l.values).filter(isNumber);
	if (!all.length || !lines[0].values.some(isNumber))
		return null;
	const high = all.reduce((a, b) => Math.max(a, b));
	return makeChart({
		title: spec.title, unit: spec.unit, xlabel: "Drive's clock since the run began", wide: true, group, height: 190,
		labels: ["Time", ...lines.map((l) => l.name)], rows: times.map((x, i) => [x, ...lines.map((l) => l.values[i])]),
		series: Object.fromEntries(lines.map((l) => [l.name, l.style])), x: clock(run), note: spec.note,
		y: spec.log ? { ...decadeRange(all), log: true, ticker: logNumberTicker, show: spec.show } :
			{ min: 0, max: spec.max || (high > 0 ? high * 1.1 : 1), show: spec.show },
		underlay: shadePhases(run) });
}

function truthCharts(run, group) {
	const t = run.truth;
	if (!t)
		return { main: [], more: [] };
	const times = columnOf(t, "t_s");
	const gb = (v) => significant(v, 3) + " GB";
	const mbps = (v) => rate(v) + " MB/s";
	const host = columnOf(t, "host_write_mbps");
	const nand = columnOf(t, "nand_mbps");
	const make = (spec) => truthChart(run, times, group, spec);
	const thin = { plotter: envelopePlotter };
	return {
		main: [
			columnOf(t, "cache_limit_gb").some((v) => v > 0) ? make({ title: "Fast cache: used and allowed", unit: "GB", show: gb,
				lines: [["Used", "cache_used_gb", { color: "--write", fill: 0.18 }],
					["Allowed now", "cache_limit_gb", { color: "--ink", width: 1.2, dash: [5, 3] }]] }) : null,
			stripChart(run, times, group),
			make({ title: "What went to the flash", unit: "MB/s", show: mbps,
				lines: [["All programs", "nand_mbps", { color: "--muted", fill: 0.25 }],
					["Host", "host_write_mbps", { color: "--write", ...thin }],
					["Folding", "fold_mbps", { color: "--strip-3", ...thin }],
					["Garbage collection", "gc_mbps", { color: "--strip-2", ...thin }],
					["Refresh and levelling", "refresh_mbps", { color: "--strip-5", ...thin }]] }),
			make({ title: "Write amplification", unit: "flash bytes over host bytes, logarithmic", log: true, show: (v) => significant(v, 3),
				note: "Only where the host wrote at least 1 MB/s; work done while it rests counts in the chart above.",
				lines: [["Write amplification", (i) => host[i] >= 1 && isNumber(nand[i]) ? nand[i] / host[i] : NaN,
					{ color: "--accent", ...thin }]] }),
		].filter(Boolean),
		more: [
			make({ title: "Busy shares", unit: "%", max: 105, show: (v) => significant(v, 3) + THIN + "%",
				lines: [["Dies", "die_busy", { color: "--write", ...thin }, (v) => v * 100],
					["Link", "link_busy", { color: "--read", ...thin }, (v) => v * 100]] }),
			make({ title: "Free superblocks", unit: "least in a point", show: (v) => significant(v, 5),
				lines: [["Free superblocks", "free_superblocks", { color: "--ink", ...thin }]] }),
			make({ title: "Physical over logical size of the main pool", unit: "ratio, as garbage collection sees it",
				show: (v) => significant(v, 4), lines: [["alpha", "alpha_eff", { color: "--accent", ...thin }]] }),
			make({ title: "Temperature inside", unit: "\u00b0C", show: (v) => significant(v, 3) + " \u00b0C",
				lines: [["Temperature", "temperature_c", { color: "--write", ...thin }]] }),
		].filter(Boolean),
	};
}

function happenedSection(run, index) {
	const group = "clock-" + index;
	const main = [throughputChart(run, group)];
	const truth = truthCharts(run, group);
	if (!run.truth)
		main.push(latencyOverTimeChart(run, group));
	main.push(...truth.main);
	if (!run.truth)
		main.push(...telemetryCharts(run, group));
	const more = () => el("div", { class: "charts" }, [...truth.more, ...(run.truth ? [latencyOverTimeChart(run, group),
		...telemetryCharts(run, group)] : []), depthChart(run, group)].filter(Boolean).map((c) => c.figure));
	const shown = main.filter(Boolean);
	if (!shown.length)
		return null;
	const intro = run.truth ?
		"The simulated drive keeps its own account, which the experiment never sees. Here it stands under the host's view, " +
		`on the drive's clock: ${count(run.truth.samples)} samples` + (run.truth.samples > run.truth.n ?
			`, put together into ${count(run.truth.n)} points (rates exact, of the cache the greatest use kept).` : ".") :
		"The run on the drive's clock, with what the drive says of itself. Real drives do not tell what they do inside; " +
		"a simulated drive's report shows that too.";
	return section("happened", run.truth ? "What really happened" : "The run over time", intro, stretchSelect(run, group),
		shadeLegend(run), el("div", { class: "charts" }, shown.map((c) => c.figure)),
		fold("More: latency over time, depth" + (truth.more.length ? ", busy shares, free superblocks" : ""), more));
}
