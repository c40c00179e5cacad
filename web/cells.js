/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cells.js - what a run without a ladder measured: a table of its cells, every run as a dot where a cell has
 * several, and where a field of the load was swept, throughput and latency over it.
 */

const measuredCells = (run) => run.cellList.filter((c) => c.ops > 0 && !NOT_CELLS.has(c.label));

/* A latency at a quantile for each side that the cell has: { read, write }. 1: the longest. */
function latencyAt(cell, q) {
	const at = (side) => cell.quantiles[side] ? quantileOf(cell.quantiles[side], q) : null;
	return { read: at("read"), write: at("write") };
}

const slowerOf = (l) => isNumber(l.read) && isNumber(l.write) ? Math.max(l.read, l.write) : isNumber(l.read) ? l.read : l.write;

function loadWords(p) {
	const parts = [p.read_pct > 0 && p.read_pct < 100 ? trimmed(significant(p.read_pct, 3)) + THIN + "% reads" :
		p.read_pct === 100 ? "read" : p.trim ? "discard" : "write", blockOf(p.block_bytes), p.orderName,
	`Q${p.queue_depth}T${p.threads}`];
	if (isNumber(p.offered_iops))
		parts.push(`${p.arrivalName}, ${significant(p.offered_iops, 4)} IO/s offered`);
	return parts.join(", ");
}

/* Fields of the load that may be swept: name, axis, what a value is called, scale of the axis. */
const SWEPT = [
	["read_pct", "Share of reads, %", (v) => trimmed(significant(v, 3)) + THIN + "% reads", 1],
	["offered_iops", "Offered load, IO/s", (v) => significant(v, 4) + " IO/s", 1],
	["span_bytes", "Span, GB", (v) => sizeOf(v), 1e9],
	["block_bytes", "Block size, KiB", blockOf, 1024],
	["queue_depth", "Queue depth per thread", (v) => "Q" + v, 1],
	["threads", "Threads", (v) => "T" + v, 1],
	["orderName", null, (v) => v, 1],
];

const varies = (cells, field) => new Set(cells.map((c) => c.first[field])).size > 1;

/* What tells this cell from the others, without the fields that are in its label. */
function cellName(c, cells) {
	const beside = SWEPT.filter(([field]) => ["offered_iops", "span_bytes", "orderName"].includes(field) && varies(cells, field));
	return [labelName(c.label), ...beside.map(([field, , name]) => name(c.first[field]))].join(", ");
}

function cellsTable(run) {
	const rows = measuredCells(run).map((c) => ({ c, s: summarise(c.phases, (p) => p.mbps), io: summarise(c.phases, (p) => p.iops) }));
	const levels = rows.some((r) => isNumber(r.c.level));
	const us = (q) => ({ get: (r) => slowerOf(latencyAt(r.c, q)), show: (v, r) => {
		const l = latencyAt(r.c, q);
		return r.c.side === "both" ? `${latencyOf(l.read)} / ${latencyOf(l.write)}` : latencyOf(v);
	} });
	const half = (v) => !isNumber(v) ? NOTHING : v < 0.1 ? fixed(v, 2) : significant(v, 2);
	return sortableTable("Cells: means over their runs" + (rows.some((r) => r.c.side === "both") ? "; latency of reads / writes" : ""), [
		{ title: "Cell", get: (r) => labelName(r.c.label), text: true },
		{ title: "Load", get: (r) => loadWords(r.c.first), text: true },
		{ title: "Span", get: (r) => r.c.first.span_bytes, show: (v) => sizeOf(v) },
		...(levels ? [{ title: "Level", unit: "%", get: (r) => r.c.level }] : []),
		{ title: "Mean", unit: "MB/s", get: (r) => r.s.mean, show: rate },
		{ title: "95 % \u00b1", unit: "MB/s", get: (r) => r.s.high - r.s.mean, show: half },
		{ title: "Best", unit: "MB/s", get: (r) => r.s.best, show: rate },
		{ title: "Mean", unit: "IOPS", get: (r) => r.io.mean, show: (v) => significant(v, 4) },
		{ title: "p50", ...us(0.5) }, { title: "p99", ...us(0.99) }, { title: "p99.9", ...us(0.999) },
		{ title: "p99.99", ...us(0.9999) }, { title: "Longest", ...us(1) },
		{ title: "Runs", get: (r) => r.s.n },
		{ title: "Doubts", get: (r) => [...new Set(r.c.phases.flatMap((p) => p.noteNames))].join(", "),
			show: (v) => v.replace(/_/g, " ") || NOTHING, text: true },
	], rows);
}

/* Cells that differ in nothing but `field`: one line each. */
function sweepLines(cells, field) {
	const others = SWEPT.filter(([f]) => f !== field && varies(cells, f));
	const lines = new Map();
	for (const c of cells) {
		if (!isNumber(c.first[field]))
			continue;
		const name = others.map(([f, , word]) => word(c.first[f])).join(", ") || "All";
		lines.set(name, [...(lines.get(name) || []), c]);
	}
	return [...lines].filter(([, list]) => list.length >= LADDER_LEVELS_MIN &&
		new Set(list.map((c) => c.first[field])).size === list.length);
}

function sweepChart(lines, swept, what) {
	const [field, xlabel, word, scale] = swept;
	const xs = [...new Set(lines.flatMap(([, list]) => list.map((c) => c.first[field] / scale)))].sort((a, b) => a - b);
	const at = lines.map(([, list]) => new Map(list.map((c) => [c.first[field] / scale, c])));
	const rows = xs.map((x) => [x, ...at.map((m) => m.has(x) && isNumber(what.value(m.get(x))) ? what.value(m.get(x)) : NaN)]);
	const margin = (xs[xs.length - 1] - xs[0]) * 0.04;
	const values = rows.flatMap((r) => r.slice(1)).filter(isNumber);
	if (!values.length)
		return null;
	return makeChart({
		title: `${what.title} over ${xlabel.split(",")[0].toLowerCase()}`, unit: what.unit, xlabel,
		labels: ["x", ...lines.map(([name]) => name)], rows,
		series: Object.fromEntries(lines.map(([name], i) => [name, { color: lines.length > 1 ? ordered(i, lines.length) : "--accent",
			points: 2.5 }])),
		x: { min: xs[0] - margin, max: xs[xs.length - 1] + margin, show: (v) => word(v * scale) },
		y: what.log ? { ...decadeRange(values), log: true, ticker: logTicker, show: latencyOf } :
			{ min: 0, max: Math.max(...values, ...lines.flatMap(([, list]) => list.flatMap((c) => c.phases.map(what.each)))) * 1.1,
				show: what.show },
		underlay: what.each ? (ctx, area, g) => lines.forEach(([, list], i) => list.forEach((c) => c.phases.forEach((p) =>
			dot(ctx, g.toDomXCoord(c.first[field] / scale), g.toDomYCoord(what.each(p)), 2,
				lines.length > 1 ? ordered(i, lines.length)() : cssValue("--accent"), 0.4)))) : null,
	});
}

function sweepCharts(run) {
	const cells = measuredCells(run);
	const mean = (c) => meanOf(c.phases.map((p) => p.mbps));
	const p99 = (side) => (c) => latencyAt(c, 0.99)[side];
	const kinds = [
		{ title: "Throughput", unit: "MB/s", value: mean, each: (p) => p.mbps, show: (v) => rate(v) + " MB/s" },
		{ title: "99th percentile of reads", unit: "latency, logarithmic", value: p99("read"), log: true },
		{ title: "99th percentile of writes", unit: "latency, logarithmic", value: p99("write"), log: true },
	];
	return SWEPT.filter(([, axis]) => axis).flatMap((swept) => {
		const lines = sweepLines(cells, swept[0]);
		return lines.length ? kinds.map((what) => sweepChart(lines, swept, what)) : [];
	}).filter(Boolean);
}

/* Every run of every cell as a dot, where there are few cells: the spread at a glance. */
function passCharts(run) {
	const groups = [["Sequential", /^seq/], ["Random", /^rnd/]];
	return groups.map(([title, pattern]) => {
		const cells = measuredCells(run).filter((c) => pattern.test(c.label)).sort((a, b) => cellOrder(a.label, b.label));
		if (!cells.length || cells.length > 12 || cells.every((c) => c.phases.length < 2))
			return null;
		const rungs = cells.map((cell, i) => ({ level: i, cell, ...summarise(cell.phases, (p) => p.mbps) }));
		const name = (v) => cells[Math.round(v)] ? labelName(cells[Math.round(v)].label) : "";
		return makeChart({ title: title + ", every run", unit: "MB/s", xlabel: "", wide: cells.length > 4,
			labels: ["Cell", "Mean"], rows: rungs.map((r) => [r.level, r.mean]),
			series: { Mean: { color: "--ink", width: 0, dots: true } },
			x: { min: -0.5, max: cells.length - 0.5, show: name,
				ticker: () => cells.map((c, i) => ({ v: i, label: labelName(c.label) })) },
			y: { min: 0, max: Math.max(...rungs.map((r) => r.best)) * 1.12, show: (v) => rate(v) + " MB/s" },
			options: { xAxisHeight: 56 },
			underlay: (ctx, area, g) => rungs.forEach((r) => drawRungs(ctx, g, [r],
				cssValue(r.cell.side === "write" ? "--write" : "--read"), { dots: true, spread: 40 })) });
	}).filter(Boolean);
}

function cellsSection(run) {
	if (hasLadder(run) || !measuredCells(run).length)
		return null;
	const drawn = [...passCharts(run), ...sweepCharts(run)];
	return section("cells", "What was measured",
		"Each cell's mean over its runs with its 95\u202f% interval; percentiles over all runs together. A " +
		"percentile with fewer than five samples beyond it is not given.",
		drawn.length ? el("div", { class: "charts" }, drawn.map((c) => c.figure)) : null, cellsTable(run));
}
