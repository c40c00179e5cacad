/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ladder.js - throughput of each cell over the fill level: mean with its interval, every pass as a dot, the
 * best pass (what benchmark programs print) as a line of its own. Without a ladder: the cells as a table.
 */

const NOT_CELLS = new Set(["copy", "region", "prepare", "discard", "warmup"]);
const LADDER_LEVELS_MIN = 3;

/* Sequential before random, reads before writes: pairs stand beside each other. */
function cellOrder(a, b) {
	const weight = (l) => (/^rnd/.test(l) ? 2 : 0) + (/write$/.test(l) ? 1 : 0);
	return weight(a) - weight(b) || a.localeCompare(b, "en", { numeric: true });
}

function ladderLabels(run) {
	const levels = (label) => new Set(run.cellList.filter((c) => c.label === label && isNumber(c.level))
		.map((c) => c.level)).size;
	return run.labels.filter((l) => !NOT_CELLS.has(l) && levels(l) >= LADDER_LEVELS_MIN).sort(cellOrder);
}

const hasLadder = (run) => ladderLabels(run).length > 0;

function rungsOf(run, label, way) {
	return run.cellList.filter((c) => c.label === label && c.way === way && isNumber(c.level))
		.sort((a, b) => a.level - b.level)
		.map((c) => ({ level: c.level, cell: c, ...summarise(c.phases, (p) => p.mbps) }));
}

/* Levels where the ladder's step is much wider than usual were left out: the line breaks there. */
function gapsIn(levels) {
	const steps = levels.slice(1).map((l, i) => l - levels[i]).sort((a, b) => a - b);
	const usual = steps[Math.floor(steps.length / 2)];
	return levels.slice(1).flatMap((l, i) => l - levels[i] > 1.6 * usual ? [(l + levels[i]) / 2] : []);
}

function ladderRange(sets, fromZero) {
	const values = sets.flat().flatMap((r) => [r.best, r.worst, r.mean]).filter(isNumber);
	const high = Math.max(...values);
	const low = Math.min(...values);
	/* Ends of intervals are shown unless they would dwarf what was measured. */
	const reach = Math.max(...sets.flat().map((r) => r.high).filter(isNumber), high);
	if (fromZero)
		return { min: 0, max: Math.max(high * 1.1, Math.min(reach * 1.05, high * 1.4)) };
	const pad = Math.max(0.12 * (high - low), 0.01 * high);
	return { min: Math.max(0, low - pad), max: high + pad };
}

function ladderTable(run, label, sets) {
	const down = sets.down.length > 0;
	const rows = [...sets.up.map((r) => ({ ...r, way: "up" })), ...sets.down.map((r) => ({ ...r, way: "down" }))];
	const mbps = (v) => rate(v);
	return sortableTable(`${labelName(label)}: throughput over fill level`, [
		{ title: "Level", unit: "%", get: (r) => r.level },
		...(down ? [{ title: "Way", get: (r) => r.way, text: true }] : []),
		{ title: "Mean", unit: "MB/s", get: (r) => r.mean, show: mbps },
		{ title: "95 % low", unit: "MB/s", get: (r) => r.low, show: mbps },
		{ title: "95 % high", unit: "MB/s", get: (r) => r.high, show: mbps },
		{ title: "Worst", unit: "MB/s", get: (r) => r.worst, show: mbps },
		{ title: "Best", unit: "MB/s", get: (r) => r.best, show: mbps },
		{ title: "IOPS", get: (r) => meanOf(r.cell.phases.map((p) => p.iops)), show: (v) => significant(v, 4) },
		{ title: "Runs", get: (r) => r.n },
		{ title: "Phases", get: (r) => r.cell.phases.map((p) => p.id).join(" "), text: true },
	], rows);
}

function drawRungs(ctx, g, rungs, color, options) {
	for (const r of rungs) {
		if (options.dots)
			r.cell.phases.forEach((p, i) => {
				const shift = r.n > 1 ? (i / (r.n - 1) - 0.5) * options.spread : 0;
				dot(ctx, g.toDomXCoord(r.level) + shift, g.toDomYCoord(p.mbps), 1.8, color, 0.4);
			});
		if (isNumber(r.low))
			whisker(ctx, g, r.level, r.low, r.high, color);
		dot(ctx, g.toDomXCoord(r.level), g.toDomYCoord(r.mean), 2.6, color);
	}
}

function ladderChart(run, label, others, choice) {
	const sets = { up: rungsOf(run, label, "up"), down: rungsOf(run, label, "down") };
	const side = (sets.up[0] || sets.down[0]).cell.side;
	const color = side === "write" ? "--write" : side === "read" ? "--read" : "--mixed";
	const twoWays = sets.up.length && sets.down.length;
	const lines = [];
	const add = (name, rungs, value, style) => {
		if (rungs.length)
			lines.push({ name, style, at: new Map(rungs.map((r) => [r.level, value(r)])) });
	};
	add(twoWays ? "Mean, filling" : "Mean", sets.up.length ? sets.up : sets.down, (r) => r.mean, { color });
	if (twoWays)
		add("Mean, emptying", sets.down, (r) => r.mean, { color: "--down", dash: [6, 3] });
	add("Best run", sets.up.length ? sets.up : sets.down, (r) => r.best,
		{ color, dash: [2, 2], width: 1, visible: choice.best });
	others.forEach((other, i) => add(other.title + " " + other.id.slice(-4), rungsOf(other, label, "up"),
		(r) => r.mean, { color: ordered(i, others.length), width: 1.4 }));

	const levels = [...new Set(lines.flatMap((l) => [...l.at.keys()]))].sort((a, b) => a - b);
	const rows = [...levels.map((x) => [x, ...lines.map((l) => l.at.has(x) ? l.at.get(x) : NaN)]),
		...gapsIn(levels).map((x) => [x, ...lines.map(() => NaN)])].sort((a, b) => a[0] - b[0]);
	const chart = makeChart({
		title: labelName(label), unit: "MB/s", xlabel: "Fill level, % of the drive's bytes",
		labels: ["Fill level", ...lines.map((l) => l.name)], rows,
		series: Object.fromEntries(lines.map((l) => [l.name, l.style])),
		x: { min: -2, max: 101.5, show: (v) => significant(v, 3) + THIN + "% full" },
		y: { ...ladderRange([sets.up, sets.down], choice.fromZero), show: (v) => rate(v) + " MB/s" },
		table: () => ladderTable(run, label, sets),
		underlay(ctx, area, g) {
			const spread = Math.min(14, area.w / Math.max(1, levels.length) * 0.55);
			drawRungs(ctx, g, sets.down, cssValue(sets.up.length ? "--down" : color),
				{ dots: choice.dots, spread });
			drawRungs(ctx, g, sets.up, cssValue(color), { dots: choice.dots, spread });
		},
	});
	chart.apply = () => changeChart(chart, {
		series: { ...chart.spec.series, "Best run": { ...chart.spec.series["Best run"], visible: choice.best } },
		y: { ...chart.spec.y, ...ladderRange([sets.up, sets.down], choice.fromZero) },
	});
	return chart;
}

function ladderSection(run, others) {
	if (!hasLadder(run))
		return null;
	const choice = { dots: true, best: false, fromZero: true };
	const made = ladderLabels(run).map((label) => ladderChart(run, label, others, choice));
	const controls = toggles("Show", [
		{ label: "Every run", key: "dots", on: true }, { label: "Best run", key: "best" },
		{ label: "Axis from zero", key: "fromZero", on: true },
	], (item, on) => {
		choice[item.key] = on;
		made.forEach((chart) => chart.apply());
	});
	const n = summarise(made.length ? rungsOf(run, ladderLabels(run)[0], "up").flatMap((r) => r.cell.phases) : [],
		(p) => p.mbps);
	const repeats = run.repeats.length;
	const from = repeats >= 3 ? `the means of ${repeats} repeats` : "all runs of a level, inside one repeat";
	return section("ladder", "The ladder",
		`Throughput at each fill level: mean, 95\u202f% interval (bars, from ${from}), every run as a dot ` +
		`(set apart sideways in the order they ran). ${count(n.n)} runs a panel. Benchmark programs ` +
		"print the best run only; it can be shown beside the mean.",
		controls, el("div", { class: "charts" }, made.map((c) => c.figure)));
}
