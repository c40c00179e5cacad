/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * timeline.js - the whole run on the drive's clock: throughput and latency of each window, the phases as
 * shades behind, and what a real drive says of itself. All charts of one run share their time range.
 */

/* Shades for phases, so that one sees what was asked while something happened. */
const SHADES = [
	["Long copy", (p) => p.label === "copy", "--shade-copy"],
	["Writes", (p) => p.side === "write" && !NOT_CELLS.has(p.label), "--shade-write"],
	["Reads", (p) => p.side === "read" && !NOT_CELLS.has(p.label), "--shade-read"],
	["Preparation", (p) => p.label === "region" || p.label === "prepare", "--shade-other"],
];

const shadeOf = (p) => (SHADES.find(([, is]) => is(p)) || [null, null, null])[2];

/* Phases behind a chart; those of one shade that touch within a pixel are drawn as one. */
function shadePhases(run) {
	return (ctx, area, g) => {
		const colors = new Map(SHADES.map(([, , name]) => [name, cssValue(name)]));
		let open = null;
		const flush = () => {
			if (open) {
				ctx.fillStyle = colors.get(open.shade);
				ctx.fillRect(open.from, area.y, Math.max(1, open.to - open.from), area.h);
			}
		};
		for (const p of run.phaseList) {
			const shade = shadeOf(p);
			const from = Math.max(area.x, g.toDomXCoord(p.start_s));
			const to = Math.min(area.x + area.w, g.toDomXCoord(p.end_s));
			if (!shade || to < area.x || from > area.x + area.w)
				continue;
			if (open && open.shade === shade && from - open.to < 1) {
				open.to = to;
				continue;
			}
			flush();
			open = { shade, from, to };
		}
		flush();
	};
}

function shadeLegend(run) {
	return el("p", { class: "shades" }, "Shaded: ", SHADES.filter(([, is]) => run.phaseList.some(is))
		.map(([name, , shade]) => el("span", { class: "legend-item" },
			el("i", { class: "block", style: `background:var(${shade})` }), name)));
}

/* Rows [t, [min, mean, max] of reads, of writes]; a phase whose windows are not in the page: its mean. */
function throughputRows(run) {
	const rows = [];
	const triple = (p, s) => isNumber(p[s]) ? [isNumber(p[s + "Min"]) ? p[s + "Min"] : p[s], p[s],
		isNumber(p[s + "Max"]) ? p[s + "Max"] : p[s]] : null;
	for (const phase of run.phaseList) {
		const points = seriesPoints(run, phase);
		for (const p of points)
			rows.push([phase.start_s + (p.start + p.end) / 2, triple(p, "r"), triple(p, "w")]);
		if (!points.length && phase.seconds > 0)
			for (const t of [phase.start_s, phase.end_s])
				rows.push([t, isNumber(phase.read_mbps) ? [phase.read_mbps, phase.read_mbps, phase.read_mbps] : null,
					isNumber(phase.write_mbps) ? [phase.write_mbps, phase.write_mbps, phase.write_mbps] : null]);
		rows.push([phase.end_s, null, null]);
	}
	return rows;
}

const clock = (run) => {
	const end = Math.max(run.drive_s || 0, ...run.phaseList.map((p) => p.end_s));
	return { min: 0, max: end || 1, ticker: timeTicker, show: (v) => "at " + timeOf(v) };
};

function throughputChart(run, group) {
	const rows = throughputRows(run);
	const any = (k) => rows.some((r) => r[k]);
	const labels = ["Time", ...(any(1) ? ["Reads"] : []), ...(any(2) ? ["Writes"] : [])];
	const keep = [0, ...(any(1) ? [1] : []), ...(any(2) ? [2] : [])];
	if (labels.length < 2)
		return null;
	const high = rows.reduce((a, r) => Math.max(a, r[1] ? r[1][2] : 0, r[2] ? r[2][2] : 0), 0);
	const thinned = run.series.some((s) => s.windows_per_point > 1);
	return makeChart({ title: "Throughput of the host", unit: "MB/s", xlabel: "Drive's clock since the run began",
		labels, rows: rows.map((r) => keep.map((k) => r[k])), wide: true, height: 250, group,
		series: { Reads: { color: "--read", plotter: envelopePlotter }, Writes: { color: "--write", plotter: envelopePlotter } },
		x: clock(run), y: { min: 0, max: high * 1.08 || 1, show: (v) => rate(v) + " MB/s" },
		note: thinned ? "Where a point stands for several windows the line is their mean and the shade around it goes " +
			"from the slowest to the fastest of them: nothing is hidden." : "A point is one window.",
		options: { customBars: true, showRangeSelector: true, interactionModel: Dygraph.defaultInteractionModel, rangeSelectorHeight: 26,
			rangeSelectorPlotStrokeColor: cssValue("--muted"), rangeSelectorPlotFillColor: cssValue("--line"),
			rangeSelectorForegroundStrokeColor: cssValue("--muted") },
		underlay: shadePhases(run) });
}

function latencyOverTimeChart(run, group) {
	const rows = [];
	for (const phase of run.phaseList) {
		for (const p of seriesPoints(run, phase)) {
			const at = (name) => Math.max(...["r", "w"].map((s) => isNumber(p[s + name]) ? p[s + name] : 0)) || NaN;
			rows.push([phase.start_s + (p.start + p.end) / 2, at("P99"), at("Longest")]);
		}
		rows.push([phase.end_s, NaN, NaN]);
	}
	const values = rows.flatMap((r) => r.slice(1)).filter(isNumber);
	if (!values.length)
		return null;
	return makeChart({ title: "Latency in each window", unit: "logarithmic", xlabel: "Drive's clock since the run began",
		labels: ["Time", "99th percentile", "Longest"], rows, wide: true, group,
		series: { "99th percentile": { color: "--accent", plotter: envelopePlotter },
			Longest: { color: "--muted", plotter: envelopePlotter } },
		x: clock(run), y: { ...decadeRange(values), log: true, ticker: logTicker, show: latencyOf },
		underlay: shadePhases(run) });
}

function depthChart(run, group) {
	const known = run.phaseList.filter((p) => isNumber(p.in_flight_device) && p.read_ops + p.write_ops > 0);
	if (!known.length)
		return null;
	const rows = known.flatMap((p) => {
		const asked = isNumber(p.offered_iops) ? NaN : p.queue_depth * p.threads;
		const seen = (p.read_in_flight || 0) + (p.write_in_flight || 0);
		return [[p.start_s, asked, seen, p.in_flight_device], [p.end_s, asked, seen, p.in_flight_device],
			[p.end_s, NaN, NaN, NaN]];
	});
	const high = rows.flatMap((r) => r.slice(1)).filter(isNumber).reduce((a, b) => Math.max(a, b), 1);
	return makeChart({ title: "I/Os in flight: asked for and proven", unit: "I/Os, mean of a phase",
		xlabel: "Drive's clock since the run began", wide: true, group,
		labels: ["Time", "Asked for", "By this instrument", "By the device"], rows,
		series: { "Asked for": { color: "--muted", width: 3 }, "By this instrument": { color: "--accent", width: 1.6 },
			"By the device": { color: "--write", width: 1.6, dash: [4, 3] } },
		x: clock(run), y: { min: 0, max: high * 1.1, show: (v) => significant(v, 4) + " in flight" },
		underlay: shadePhases(run) });
}

function telemetryCharts(run, group) {
	const t = run.telemetry;
	if (!t)
		return [];
	const times = columnOf(t, "t_s");
	const one = (name, title, unit, color, scale = 1) => {
		const values = columnOf(t, name);
		if (!values.some(isNumber))
			return null;
		const good = values.filter(isNumber).map((v) => v / scale);
		const low = good.reduce((a, b) => Math.min(a, b));
		const high = good.reduce((a, b) => Math.max(a, b));
		const pad = Math.max((high - low) * 0.15, high * 0.02, 1e-6);
		return makeChart({ title, unit, xlabel: "Drive's clock since the run began", wide: true, group,
			labels: ["Time", title], rows: times.map((x, i) => [x, isNumber(values[i]) ? values[i] / scale : NaN]),
			series: { [title]: { color } }, x: clock(run),
			y: { min: Math.max(0, low - pad), max: high + pad, show: (v) => significant(v, 4) + " " + unit },
			underlay: shadePhases(run) });
	};
	return [one("temperature_c", "Temperature", "\u00b0C", "--write"),
		one("host_written_bytes", "Written, by the drive's own counter", "GB", "--accent", 1e9),
		one("wear_pct", "Wear, Percentage Used", "%", "--ink")].filter(Boolean);
}

/* Stretches of the run that one may want to see alone: each level of each repeat, or each cell. */
function stretches(run) {
	const found = new Map();
	for (const p of run.phaseList) {
		const name = isNumber(p.level) ? `${p.level}${THIN}% full` + (run.repeats.length > 1 ? `, repeat ${p.repeat}` : "") +
			(p.way === "down" ? ", emptying" : "") : labelName(p.label);
		const s = found.get(name) || found.set(name, { name, from: p.start_s, to: p.end_s }).get(name);
		s.from = Math.min(s.from, p.start_s);
		s.to = Math.max(s.to, p.end_s);
	}
	const repeats = run.repeats.length > 1 ? run.repeats.map((repeat) => {
		const mine = run.phaseList.filter((p) => p.repeat === repeat);
		return { name: `repeat ${repeat}`, from: Math.min(...mine.map((p) => p.start_s)), to: Math.max(...mine.map((p) => p.end_s)) };
	}) : [];
	return [...repeats, ...found.values()];
}

function stretchSelect(run, group) {
	const list = stretches(run);
	const whole = clock(run);
	if (list.length < 2)
		return null;
	const select = el("select", { onchange: () => {
		const s = list[Number(select.value)];
		const margin = s ? (s.to - s.from) * 0.02 : 0;
		for (const c of charts)
			if (c.g && c.spec.group === group) {
				c.g.updateOptions({ dateWindow: s ? [Math.max(0, s.from - margin), s.to + margin] : [whole.min, whole.max] });
				break;
			}
	} }, el("option", { value: "-1" }, "the whole run"), list.map((s, i) => el("option", { value: i }, s.name)));
	return el("label", { class: "stretch" }, "Show ", select);
}
