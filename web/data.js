/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * data.js - the stored runs as the page holds them, made into objects. The counterpart of
 * src/report/html-data.h: a column is an array, or one value that stands for all rows.
 */

const column = (c, i) => Array.isArray(c) ? c[i] : c;

function columnOf(table, name) {
	const c = table[name];
	return Array.isArray(c) ? c : new Array(table.n).fill(c === undefined ? null : c);
}

/* Two-sided 95 % quantiles of Student's t; beyond 30 degrees of freedom the normal one is near enough. */
const T95 = [NaN, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
	2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
	2.052, 2.048, 2.045, 2.042];

function meanOf(values) {
	return values.length ? values.reduce((a, b) => a + b, 0) / values.length : NaN;
}

function halfWidth(values) {
	const n = values.length;
	if (n < 2)
		return NaN;
	const m = meanOf(values);
	const sd = Math.sqrt(values.reduce((a, v) => a + (v - m) * (v - m), 0) / (n - 1));
	return (n - 1 < T95.length ? T95[n - 1] : 1.96 + 2.4 / (n - 1)) * sd / Math.sqrt(n);
}

/*
 * Mean of some phases' rates with its 95 % interval: from the repeats' means where there are three or more
 * (they start from the recipe, so that nothing is shared), else from all passes of the one run.
 */
function summarise(phases, value) {
	const values = phases.map(value).filter(isNumber);
	const byRepeat = new Map();
	for (const p of phases)
		if (isNumber(value(p)))
			byRepeat.set(p.repeat, [...(byRepeat.get(p.repeat) || []), value(p)]);
	const between = byRepeat.size >= 3;
	const half = between ? halfWidth([...byRepeat.values()].map(meanOf)) : halfWidth(values);
	const mean = meanOf(values);
	return { mean, low: mean - half, high: mean + half, n: values.length, between,
		best: values.length ? Math.max(...values) : NaN,
		worst: values.length ? Math.min(...values) : NaN };
}

const sideOf = (p) => p.read_ops && p.write_ops ? "both" : p.write_ops ? "write" : "read";

function decodePhases(run, words) {
	const t = run.phases;
	const names = Object.keys(t).filter((k) => k !== "n");
	const phases = [];
	for (let i = 0; i < t.n; i++) {
		const p = { index: i };
		for (const name of names)
			p[name] = column(t[name], i);
		p.level = p.level_pct;
		p.seconds = p.end_s - p.start_s;
		p.read_mbps = p.seconds > 0 && p.read_ops ? p.read_bytes / 1e6 / p.seconds : null;
		p.write_mbps = p.seconds > 0 && p.write_ops ? p.write_bytes / 1e6 / p.seconds : null;
		p.read_iops = p.seconds > 0 && p.read_ops ? p.read_ops / p.seconds : null;
		p.write_iops = p.seconds > 0 && p.write_ops ? p.write_ops / p.seconds : null;
		p.side = sideOf(p);
		p.mbps = (p.read_mbps || 0) + (p.write_mbps || 0);
		p.iops = (p.read_iops || 0) + (p.write_iops || 0);
		p.way = p.key.includes("/down/") ? "down" : "up";
		p.noteNames = words.notes.filter((_, bit) => p.notes & (1 << bit));
		p.orderName = words.orders[p.order] || "";
		p.arrivalName = words.arrivals[p.arrival] || "";
		phases.push(p);
	}
	return phases;
}

/* Cells: the phases of one question, with percentiles over all of them. */
function decodeCells(run, phases) {
	const cells = [];
	for (const p of phases) {
		const c = cells[p.cell] = cells[p.cell] || { index: p.cell, phases: [], label: p.label,
			level: p.level, way: p.way, side: p.side, first: p };
		c.phases.push(p);
		if (c.side !== p.side && (p.read_ops || p.write_ops))
			c.side = c.phases.some((x) => x.read_ops) && c.phases.some((x) => x.write_ops) ?
				"both" : p.side;
	}
	const q = run.cells.quantiles;
	for (const c of cells) {
		c.ops = c.phases.reduce((a, p) => a + p.read_ops + p.write_ops, 0);
		c.quantiles = {};
		for (const side of ["read", "write"]) {
			const values = run.cells[side + "_us"][c.index];
			if (values)
				c.quantiles[side] = { min: values[0], max: values[values.length - 1],
					at: new Map(q.map((x, i) => [x, values[i + 1]])) };
		}
	}
	return cells;
}

const LABEL_WORDS = { copy: "Long copy", region: "Test region written", prepare: "Preparation",
	discard: "Discard", warmup: "Warm-up" };

/* "seq1m_q8t1_write", "rnd4k_q32t1_30_read" as people of the trade write them. */
function labelName(label) {
	const m = /^(seq|rnd)(\d+)([km])_q(\d+)t(\d+)(?:_(?:([\d.]+)_)?(read|write|mix))?$/.exec(label);
	if (m)
		return m[1].toUpperCase() + m[2] + m[3].toUpperCase() + " Q" + m[4] + "T" + m[5] +
			(m[6] ? " " + m[6] + "\u202f%" : "") + (m[7] ? " " + m[7] : "");
	return LABEL_WORDS[label] || label;
}

function decodeRun(run, words) {
	run.phaseList = decodePhases(run, words);
	run.cellList = decodeCells(run, run.phaseList);
	run.levels = [...new Set(run.phaseList.map((p) => p.level).filter(isNumber))].sort((a, b) => a - b);
	run.repeats = [...new Set(run.phaseList.map((p) => p.repeat).filter((r) => r > 0))]
		.sort((a, b) => a - b);
	run.labels = [...new Set(run.phaseList.map((p) => p.label))];
	run.seriesOf = new Map(run.series.map((s) => [s.phase, s]));
	run.title = run.drive.model || run.drive.spec;
	return run;
}

function readRuns() {
	const words = JSON.parse(document.getElementById("assay-words").textContent);
	return [...document.querySelectorAll("script.assay-run")]
		.map((s) => decodeRun(JSON.parse(s.textContent), words));
}

/* Points of a phase's series: start (s since its beginning), length, rates; for copies bytes so far. */
function seriesPoints(run, phase) {
	const s = run.seriesOf.get(phase.index);
	if (!s)
		return [];
	const points = [];
	let bytes = 0;
	for (let i = 0; i < s.n; i++) {
		const start = s.start_s ? column(s.start_s, i) : i * s.dt_s;
		const end = i + 1 < s.n ? (s.start_s ? column(s.start_s, i + 1) : (i + 1) * s.dt_s) : s.end_s;
		const point = { start, end, thinned: s.windows_per_point > 1 };
		for (const side of ["r", "w"]) {
			if (s[side] === undefined)
				continue;
			const mbps = column(s[side], i);
			point[side] = mbps;
			point[side + "Min"] = s[side + "_min"] === undefined ? mbps : column(s[side + "_min"], i);
			point[side + "Max"] = s[side + "_max"] === undefined ? mbps : column(s[side + "_max"], i);
			point[side + "P99"] = column(s[side + "_p99_us"], i);
			point[side + "Longest"] = column(s[side + "_longest_us"], i);
			if (isNumber(mbps))
				bytes += mbps * 1e6 * (end - start);
		}
		point.bytes = bytes;
		points.push(point);
	}
	return points;
}
