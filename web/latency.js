/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * latency.js - percentiles over the fill level, and the whole distribution of chosen cells. Percentiles
 * are of the merged histograms of all runs of a cell (an average of percentiles would be of nothing).
 */

const PERCENTILES = [[0.5, "p50"], [0.9, "p90"], [0.99, "p99"], [0.999, "p99.9"], [0.9999, "p99.99"], [1, "Longest"]];

const quantileOf = (q, at) => !q ? null : at === 1 ? q.max : q.at.get(at);

function decadeRange(values) {
	const good = values.filter((v) => isNumber(v) && v > 0);
	if (!good.length)
		return { min: 1, max: 10 };
	/* At least a factor of eight, so that a flat line looks flat and has ticks around it. */
	const low = good.reduce((a, b) => Math.min(a, b)) / 1.4;
	const high = good.reduce((a, b) => Math.max(a, b)) * 1.4;
	const widen = Math.sqrt(Math.max(1, 8 / (high / low)));
	return { min: low / widen, max: high * widen };
}

function latencyLadderChart(run, label, side) {
	const cells = run.cellList.filter((c) => c.label === label && isNumber(c.level) && c.quantiles[side] &&
		(c.way === "up" || !run.cellList.some((o) => o.label === label && o.way === "up")))
		.sort((a, b) => a.level - b.level);
	if (cells.length < LADDER_LEVELS_MIN)
		return null;
	const value = (c, at) => quantileOf(c.quantiles[side], at);
	const gap = (x) => [x, ...PERCENTILES.map(() => NaN)];
	const rows = [...cells.map((c) => [c.level, ...PERCENTILES.map(([at]) => isNumber(value(c, at)) ? value(c, at) : NaN)]),
		...gapsIn(cells.map((c) => c.level)).map(gap)].sort((a, b) => a[0] - b[0]);
	const ops = cells.map((c) => c.ops);
	return makeChart({
		title: labelName(label), unit: "latency, logarithmic", xlabel: "Fill level, % of the drive's bytes",
		labels: ["Fill level", ...PERCENTILES.map((p) => p[1])], rows,
		series: Object.fromEntries(PERCENTILES.map(([at, name], i) => [name, { width: at === 1 ? 1 : 1.5,
			color: ordered(i, PERCENTILES.length), dash: at === 1 ? [2, 2] : null }])),
		x: { min: -2, max: 101.5, show: (v) => significant(v, 3) + THIN + "% full" },
		y: { ...decadeRange(rows.flatMap((r) => r.slice(1))), log: true, ticker: logTicker, show: latencyOf },
		note: `${count(Math.min(...ops))} to ${count(Math.max(...ops))} I/Os a level.`,
		table: () => sortableTable(`${labelName(label)}: latency over fill level`, [
			{ title: "Level", unit: "%", get: (c) => c.level },
			...PERCENTILES.map(([at, name]) => ({ title: name, get: (c) => value(c, at), show: latencyOf })),
			{ title: "I/Os", get: (c) => c.ops, show: count },
			{ title: "Phases", get: (c) => c.phases.map((p) => p.id).join(" "), text: true },
		], cells),
	});
}

/* x of the distribution chart: the number of nines. */
const nines = (q) => -Math.log10(1 - q);

function distributionSpec(cells, all) {
	const lines = cells.flatMap((c) => Object.entries(c.quantiles).map(([side, q]) => ({ c, side, q })));
	const plain = lines.map((l) => cellName(l.c, all) + (Object.keys(l.c.quantiles).length > 1 ? ": " + l.side + "s" : "") +
		(isNumber(l.c.level) ? `, ${l.c.level}${THIN}% full${l.c.way === "down" ? ", emptying" : ""}` : ""));
	/* A name must be one line's only. */
	const names = plain.map((n, i) => plain.indexOf(n) === i ? n : `${n} (${i + 1})`);
	const qs = lines.length ? [...lines[0].q.at.keys()] : [];
	const rows = qs.map((q) => [nines(q), ...lines.map((l) => isNumber(l.q.at.get(q)) ? l.q.at.get(q) : NaN)]);
	return {
		labels: ["Quantile", ...names], rows,
		series: Object.fromEntries(names.map((n, i) => [n, { color: ordered(i, names.length), points: 2 }])),
		x: { min: 0, max: 5.05, show: (v) => trimmed((100 * (1 - Math.pow(10, -v))).toFixed(3)) + THIN + "% are faster",
			ticker: () => [0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999].map((q) =>
				({ v: nines(q), label: trimmed((100 * q).toFixed(3)) + THIN + "%" })) },
		y: { ...decadeRange(rows.flatMap((r) => r.slice(1))), log: true, ticker: logTicker, show: latencyOf },
	};
}

const DISTRIBUTIONS_AT_FIRST = 4;

function distributionBlock(run) {
	const cells = run.cellList.filter((c) => Object.keys(c.quantiles).length && (!NOT_CELLS.has(c.label) || c.label === "copy"));
	if (!cells.length)
		return null;
	const step = Math.max(1, Math.ceil(cells.length / DISTRIBUTIONS_AT_FIRST));
	const chosen = new Set(hasLadder(run) ?
		cells.filter((c) => c.label === ladderLabels(run).slice(-1)[0] && c.way === "up").filter((c, i, all) =>
			i === 0 || i === all.length - 1 || i === Math.floor(all.length / 2)) :
		cells.filter((_, i) => cells.length <= 8 || i % step === 0));
	const current = () => cells.filter((c) => chosen.has(c));
	const chart = makeChart({ title: "Latency distribution", unit: "latency, logarithmic", height: 300, wide: true,
		xlabel: "Share of I/Os that are faster", ...distributionSpec(current(), cells) });
	const name = (c) => labelName(c.label) + (isNumber(c.level) ? `, ${c.level}${THIN}% full${c.way === "down" ? ", emptying" : ""}` :
		": " + loadWords(c.first));
	const select = el("select", { multiple: true, size: "6", "aria-label": "Cells in the distribution chart",
		onchange: () => {
			chosen.clear();
			[...select.selectedOptions].slice(0, 8).forEach((o) => chosen.add(cells[Number(o.value)]));
			if (chosen.size)
				changeChart(chart, distributionSpec(current(), cells));
		} }, cells.map((c, i) => el("option", { value: i, selected: chosen.has(c) }, name(c))));
	return el("div", { class: "charts" }, chart.figure,
		fold("Choose cells (up to eight; Ctrl or Shift for several)", () => select, { class: "wide" }));
}

function latencySection(run) {
	const panels = ladderLabels(run).flatMap((label) => ["read", "write"].map((side) => latencyLadderChart(run, label, side)))
		.filter(Boolean);
	const distribution = distributionBlock(run);
	if (!panels.length && !distribution)
		return null;
	const open = run.phaseList.some((p) => isNumber(p.offered_iops));
	return section("latency", "Latency",
		(open ? "From the moment an I/O was due until it was done. " : "From submission until completion. ") +
		"Percentiles of all runs of a cell together (histograms merged, within 1\u202f%). A percentile with fewer " +
		"than five samples beyond it is left out.",
		el("div", { class: "charts" }, panels.map((c) => c.figure)),
		panels.length ? fold("Whole distribution of single cells", () => distribution) : distribution);
}
