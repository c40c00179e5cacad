/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * copy.js - a long copy over the bytes it has written, at some fill levels, with the place where it slows
 * down (the knee); and the knees against free space, which is how the size of the fast cache shows.
 */

/* level -> [curve of each repeat]; a copy may be made of several phases that follow each other. */
function copyCurves(run) {
	const curves = new Map();
	for (const p of run.phaseList) {
		if (p.label !== "copy" || !isNumber(p.level) || p.way !== "up" || !run.seriesOf.has(p.index))
			continue;
		const repeats = curves.get(p.level) || curves.set(p.level, new Map()).get(p.level);
		const curve = repeats.get(p.repeat) || repeats.set(p.repeat, { phases: [], points: [], bytes: 0 })
			.get(p.repeat);
		for (const point of seriesPoints(run, p))
			curve.points.push({ gb: (curve.bytes + point.bytes -
				(point.w || 0) * 5e5 * (point.end - point.start)) / 1e9, mbps: point.w });
		curve.bytes += p.write_bytes;
		curve.phases.push(p);
	}
	return curves;
}

function kneesOf(run) {
	return run.verdicts.map((v) => {
		const m = /^fill\.copy_knee_bytes\.([\d.]+)$/.exec(v.name);
		return m ? { level: Number(m[1]), v } : null;
	}).filter(Boolean);
}

function copyRows(curves, levels) {
	const names = [];
	const rows = [];
	const all = levels.flatMap((level) => [...curves.get(level)].map(([repeat, curve]) => ({ level, repeat, curve })));
	all.forEach(({ level, repeat, curve }, k) => {
		names.push({ level, repeat, name: `to ${level}${THIN}% full` + (repeat > 1 ? `, repeat ${repeat}` : "") });
		for (const p of curve.points) {
			const row = new Array(all.length + 1).fill(null);
			row[0] = p.gb;
			row[k + 1] = isNumber(p.mbps) ? p.mbps : NaN;
			rows.push(row);
		}
	});
	rows.sort((a, b) => a[0] - b[0]);
	return { names, rows };
}

function copySpec(run, curves, levels) {
	const { names, rows } = copyRows(curves, levels);
	const colors = new Map(levels.map((l, i) => [l, ordered(i, levels.length)]));
	const first = (n) => names.find((x) => x.level === n.level) === n;
	const knees = kneesOf(run).filter((k) => levels.includes(k.level) && isNumber(k.v.value));
	const high = Math.max(...rows.map((r) => Math.max(...r.slice(1).filter(isNumber), 0)));
	const end = Math.max(...levels.flatMap((l) => [...curves.get(l).values()].map((c) => c.bytes))) / 1e9;
	return {
		labels: ["Written", ...names.map((n) => n.name)], rows,
		series: Object.fromEntries(names.map((n) => [n.name, { color: colors.get(n.level),
			width: first(n) ? 1.6 : 0.7, quiet: !first(n) }])),
		x: { min: 0, max: end * 1.005, show: (v) => significant(v, 3) + " GB written" },
		y: { min: 0, max: high * 1.12, show: (v) => rate(v) + " MB/s" },
		underlay: (ctx, area, g) => knees.forEach((k, i) => {
			const color = colors.get(k.level)();
			if (isNumber(k.v.low))
				band(ctx, area, g, k.v.low / 1e9, k.v.high / 1e9, color, 0.14);
			verticalMark(ctx, area, g, k.v.value / 1e9, sizeOf(k.v.value), color, { line: i });
		}),
	};
}

function copyTable(run, curves) {
	const knees = new Map(kneesOf(run).map((k) => [k.level, k.v]));
	const rows = [...curves].flatMap(([level, repeats]) => [...repeats].map(([repeat, curve]) => {
		const seconds = curve.phases.reduce((a, p) => a + p.seconds, 0);
		const values = curve.points.map((p) => p.mbps).filter(isNumber).sort((a, b) => a - b);
		return { level, repeat, bytes: curve.bytes, mean: curve.bytes / 1e6 / seconds,
			first: curve.points.length ? curve.points[0].mbps : NaN,
			last: meanOf(curve.points.slice(-10).map((p) => p.mbps).filter(isNumber)),
			slowest: values[0], knee: knees.get(level), ids: curve.phases.map((p) => p.id).join(" ") };
	}));
	return sortableTable("Copies", [
		{ title: "Level", unit: "%", get: (r) => r.level }, { title: "Repeat", get: (r) => r.repeat },
		{ title: "Written", get: (r) => r.bytes, show: (v) => sizeOf(v) },
		{ title: "Mean", unit: "MB/s", get: (r) => r.mean, show: rate },
		{ title: "Last points", unit: "MB/s", get: (r) => r.last, show: rate },
		{ title: "Slowest window", unit: "MB/s", get: (r) => r.slowest, show: rate },
		{ title: "Knee of the level", get: (r) => r.knee ? r.knee.value : null,
			show: (v, r) => isNumber(v) ? sizeOf(v) : r.knee ? STATUS[r.knee.status][0].toLowerCase() : NOTHING },
		{ title: "Phases", get: (r) => r.ids, text: true },
	], rows);
}

/* Knees against free space, and the line that the verdicts give. */
function kneeChart(run, curves) {
	const capacity = run.drive.capacity_bytes / 1e9;
	const startOf = (level) => {
		const repeats = curves.get(level);
		const fill = repeats ? [...repeats.values()][0].phases[0].state_fill_pct : null;
		return capacity * (1 - (isNumber(fill) ? fill : level) / 100);
	};
	/* Where the knee lies, or where the copy ended without one. */
	const freeThen = (level, gb) => startOf(level) - (isNumber(gb) ? gb : 0);
	const knees = kneesOf(run).map((k) => {
		const copied = curves.get(k.level) ? Math.max(...[...curves.get(k.level).values()].map((c) => c.bytes)) / 1e9 : NaN;
		const gb = isNumber(k.v.value) ? k.v.value / 1e9 : NaN;
		return { ...k, free: freeThen(k.level, isNumber(gb) ? gb : copied), gb, copied };
	}).sort((a, b) => a.free - b.free);
	if (knees.filter((k) => isNumber(k.gb)).length < 2)
		return null;
	const number = (name) => (run.verdicts.find((v) => v.name === name && v.status === "measured") || {}).value;
	const share = number("fill.cache_share_of_free");
	const fixed = number("fill.cache_fixed_bytes") / 1e9;
	const line = (x) => isNumber(share) && isNumber(fixed) ? fixed + share * x : NaN;
	const high = Math.max(...knees.map((k) => isNumber(k.gb) ? (isNumber(k.v.high) ? k.v.high / 1e9 : k.gb) : k.copied)
		.filter(isNumber).concat(isNumber(line(0)) ? line(capacity) : []));
	const unseen = (k) => !isNumber(k.gb) && k.v.status === "not_reached" ? k.copied : NaN;
	return makeChart({
		title: "Knee against free space", unit: "GB written before the copy slowed down",
		xlabel: "Free space at the knee, GB", labels: ["Free", "Knee", "Copy ended first", "Fit"],
		rows: [[0, NaN, NaN, line(0)], ...knees.map((k) => [k.free, k.gb, unseen(k), line(k.free)]),
			[capacity, NaN, NaN, line(capacity)]].filter((r, i, all) => !i || r[0] !== all[i - 1][0] ||
				r.slice(1).some(isNumber)),
		series: { Knee: { color: "--write", width: 0, points: 3, dots: true },
			"Copy ended first": { color: "--muted", width: 0, points: 3, dots: true },
			Fit: { color: "--ink", width: 1.2, dash: [5, 3] } },
		x: { min: 0, max: capacity * 1.01, show: (v) => significant(v, 4) + " GB free" },
		y: { min: 0, max: high * 1.15, show: (v) => significant(v, 3) + " GB" },
		note: isNumber(line(0)) ? `Line: ${significant(fixed, 3)} GB + ${significant(share, 3)} \u00d7 free space. ` +
			"Grey: the copy ended before it slowed down; its knee lies above." : null,
		underlay: (ctx, area, g) => knees.forEach((k) => isNumber(k.v.low) && isNumber(k.gb) &&
			whisker(ctx, g, k.free, k.v.low / 1e9, k.v.high / 1e9, cssValue("--write"))),
		table: () => sortableTable("Knees", [
			{ title: "Level", unit: "%", get: (k) => k.level },
			{ title: "Free", unit: "GB", get: (k) => k.free, show: (v) => significant(v, 4) },
			{ title: "Knee", unit: "GB", get: (k) => k.gb, show: (v) => significant(v, 3) },
			{ title: "95 % low", unit: "GB", get: (k) => k.v.low, show: (v) => isNumber(v) ? significant(v / 1e9, 3) : NOTHING },
			{ title: "95 % high", unit: "GB", get: (k) => k.v.high, show: (v) => isNumber(v) ? significant(v / 1e9, 3) : NOTHING },
			{ title: "n", get: (k) => k.v.n }, { title: "Status", text: true, get: (k) => (STATUS[k.v.status] || [k.v.status])[0] },
		], knees),
	});
}

/*
 * Fill levels (%) at which the copy's speed breaks: from verdicts that give them as numbers, else from the
 * sentence of the regimes, "breaks at 45 % (41 to 48)".
 */
function breakLevels(run) {
	const given = run.verdicts.filter((v) => /^fill\.regimes\..*break|^fill\.break/.test(v.name) && v.unit === "%" && isNumber(v.value));
	if (given.length)
		return given.map((v) => ({ value: v.value, low: v.low, high: v.high }));
	const v = run.verdicts.find((x) => x.name === "fill.regimes" && x.status === "measured");
	const told = v ? v.text.split(/breaks? at/)[1] || "" : "";
	return [...told.matchAll(/([\d.]+) % \(([\d.]+) to ([\d.]+)\)/g)]
		.map((m) => ({ value: Number(m[1]), low: Number(m[2]), high: Number(m[3]) }));
}

function copyLevelChart(run, curves, levels) {
	const rungs = levels.map((level) => {
		const rates = [...curves.get(level).values()].map((c) => c.bytes / 1e6 / c.phases.reduce((a, p) => a + p.seconds, 0));
		const half = halfWidth(rates);
		return { level, rates, mean: meanOf(rates), low: meanOf(rates) - half, high: meanOf(rates) + half };
	});
	if (rungs.length < LADDER_LEVELS_MIN)
		return null;
	const rows = [...rungs.map((r) => [r.level, r.mean]), ...gapsIn(levels).map((x) => [x, NaN])].sort((a, b) => a[0] - b[0]);
	return makeChart({ title: "Mean speed of the whole copy", unit: "MB/s", xlabel: "Copy up to this fill level, %",
		labels: ["Level", "Mean"], rows, series: { Mean: { color: "--write" } },
		x: { min: -2, max: 101.5, show: (v) => "to " + significant(v, 3) + THIN + "% full" },
		y: { min: 0, max: Math.max(...rungs.flatMap((r) => r.rates)) * 1.18, show: (v) => rate(v) + " MB/s" },
		note: breakLevels(run).length ? "Dashed: where a line in pieces fits better than one line (BIC), with its 95\u202f% interval." : null,
		underlay: (ctx, area, g) => {
			breakLevels(run).forEach((b) => {
				band(ctx, area, g, b.low, b.high, cssValue("--ink"), 0.07);
				verticalMark(ctx, area, g, b.value, significant(b.value, 3) + THIN + "%", cssValue("--muted"));
			});
			rungs.forEach((r) => {
				r.rates.forEach((v) => dot(ctx, g.toDomXCoord(r.level), g.toDomYCoord(v), 1.8, cssValue("--write"), 0.4));
				if (isNumber(r.low))
					whisker(ctx, g, r.level, r.low, r.high, cssValue("--write"));
			});
		},
		table: () => sortableTable("Whole copies", [
			{ title: "Up to level", unit: "%", get: (r) => r.level }, { title: "Mean", unit: "MB/s", get: (r) => r.mean, show: rate },
			{ title: "95 % low", unit: "MB/s", get: (r) => r.low, show: rate },
			{ title: "95 % high", unit: "MB/s", get: (r) => r.high, show: rate },
			{ title: "Copies", get: (r) => r.rates.length },
		], rungs) });
}

function copySection(run) {
	const curves = copyCurves(run);
	if (!curves.size)
		return null;
	const levels = [...curves.keys()].sort((a, b) => a - b);
	const chosen = new Set([levels[0], levels[Math.floor((levels.length - 1) / 2)], levels[levels.length - 1]]);
	const inOrder = () => levels.filter((l) => chosen.has(l));
	const chart = makeChart({ title: "Copy speed over bytes written", unit: "MB/s",
		xlabel: "Written since the copy began, GB", height: 300, wide: true,
		options: { connectSeparatedPoints: true }, table: () => copyTable(run, curves),
		note: "A point is one window (100 ms), or the mean of neighbouring ones where a copy has very many. Thin " +
			"lines are further repeats. Dashed: the knee, with its 95\u202f% interval as a band.",
		...copySpec(run, curves, inOrder()) });
	const controls = toggles("Copy up to, % full", levels.map((l) => ({ label: String(l), level: l, on: chosen.has(l) })),
		(item, on) => {
			if (on)
				chosen.add(item.level);
			else if (chosen.size > 1)
				chosen.delete(item.level);
			changeChart(chart, copySpec(run, curves, inOrder()));
		});
	return section("copy", "A long copy",
		"Short benchmarks end before a fast cache is full; a long copy does not. How much goes in at full speed " +
		"on the way to each level says how large the cache is.",
		controls, el("div", { class: "charts" }, [chart, copyLevelChart(run, curves, levels), kneeChart(run, curves)]
			.filter(Boolean).map((c) => c.figure)));
}
