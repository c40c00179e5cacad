/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conditions.js - under which conditions it was measured, what makes numbers doubtful, and the way from a
 * number in this page to its rows in the database.
 */

const NOTE_WORDS = {
	host_bound: "The instrument itself was near its limit: the drive may be faster than this.",
	depth_not_reached: "The device saw fewer I/Os at once than were asked for; the number belongs to the depth it saw.",
	unwritten_read: "Addresses were read that had never been written: many drives answer these without reading flash.",
	cache_served: "The device's own counters show fewer bytes than were moved: something in between answered.",
	throttled: "The drive was throttling because of its temperature.",
	not_steady: "The drive had not settled: the number still changes with time.",
	span_not_covered: "The phase ended before every address of its span was touched once.",
	interrupted: "The run was broken off in this phase and taken up again.",
};

const KINDS = { sim: "simulated drive", block: "block device", file: "file", dir: "folder on a mounted file system",
	null: "null device" };

function definitions(pairs) {
	return el("dl", { class: "definitions" }, pairs.filter(([, v]) => v !== null && v !== undefined && v !== "")
		.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

function flatten(object, prefix = "") {
	if (object === null || typeof object !== "object")
		return [[prefix || "value", String(object)]];
	return Object.entries(object).flatMap(([k, v]) => v !== null && typeof v === "object" && !Array.isArray(v) ?
		flatten(v, prefix + k + ".") : [[prefix + k, Array.isArray(v) ? JSON.stringify(v) : String(v)]]);
}

function command(run) {
	const argv = run.arguments && Array.isArray(run.arguments.argv) ? run.arguments.argv : [];
	return argv.length ? (argv[0] === run.experiment ? "assay run " : "") + argv.join(" ") : null;
}

function stateBlock(run) {
	const first = run.phaseList[0];
	if (!first)
		return null;
	const unknown = "not known";
	return definitions([
		["Written since purge", isNumber(first.state_written_bytes) ? sizeOf(first.state_written_bytes) : unknown],
		["Filled", isNumber(first.state_fill_pct) ? significant(first.state_fill_pct, 3) + THIN + "%" : unknown],
		["Idle before", isNumber(first.state_idle_s) ? timeOf(first.state_idle_s) : unknown],
		["Temperature", isNumber(first.state_temperature_c) ? significant(first.state_temperature_c, 3) + " \u00b0C" : unknown],
		["Wear", isNumber(first.state_wear_pct) ? significant(first.state_wear_pct, 3) + THIN + "%" : unknown],
	]);
}

function notesBlock(run) {
	const counts = new Map();
	for (const p of run.phaseList)
		p.noteNames.forEach((n) => counts.set(n, (counts.get(n) || 0) + 1));
	if (!counts.size)
		return el("p", {}, "No phase carries a doubt: depth was reached, nothing was read unwritten, nothing throttled.");
	return el("ul", { class: "notes" }, [...counts].map(([name, n]) => el("li", {},
		el("code", {}, name), ` in ${plural(n, "phase")} of ${run.phaseList.length}. `, NOTE_WORDS[name] || "")));
}

function phasesTable(run) {
	const us = (name) => ({ get: (p) => isNumber(p["write_" + name]) ? p["write_" + name] : p["read_" + name], show: latencyOf });
	const levels = run.levels.length > 0;
	const mbps = (v) => isNumber(v) ? rate(v) : NOTHING;
	return sortableTable(`Phases of run ${run.id}`, [
		{ title: "Id", get: (p) => p.id },
		{ title: "Key", get: (p) => p.key, show: (v) => el("code", {}, v), text: true },
		{ title: "Label", get: (p) => p.label, text: true },
		...(levels ? [{ title: "Level", unit: "%", get: (p) => p.level, show: (v) => isNumber(v) ? String(v) : NOTHING }] : []),
		{ title: "Load", get: loadWords, text: true },
		{ title: "Span", get: (p) => p.span_bytes, show: (v) => sizeOf(v) },
		{ title: "Start", get: (p) => p.start_s, show: timeOf }, { title: "Length", get: (p) => p.seconds, show: timeOf },
		{ title: "Read", unit: "MB/s", get: (p) => p.read_mbps, show: mbps },
		{ title: "Write", unit: "MB/s", get: (p) => p.write_mbps, show: mbps },
		{ title: "IOPS", get: (p) => p.iops, show: (v) => significant(v, 4) },
		{ title: "p50", ...us("p50_us") }, { title: "p99", ...us("p99_us") }, { title: "Longest", ...us("max_us") },
		{ title: "Errors", get: (p) => p.read_errors + p.write_errors },
		{ title: "In flight", unit: "device", get: (p) => p.in_flight_device, show: (v) => significant(v, 4) },
		{ title: "Doubts", get: (p) => p.noteNames.join(", "), show: (v) => v.replace(/_/g, " ") || NOTHING, text: true },
	], run.phaseList);
}

function queryBlock(run) {
	const shell = (text) => el("pre", { tabindex: "0" }, el("code", {}, text));
	return el("div", {},
		el("p", {}, "Every number here comes from rows of one SQLite database. A phase's ",
			el("em", {}, "id"), " and ", el("em", {}, "key"), " are in the tables behind each chart; with them:"),
		shell(`assay show ${run.id}                # the same on the terminal\n` +
			`assay export ${run.id} --json       # everything but the windows\n` +
			`assay export ${run.id} --csv        # the windows\n` +
			`assay report ${run.id} -o again.html`),
		el("p", {}, "or in SQL (views v_run, v_phase, v_window, v_verdict, v_truth):"),
		shell(`select * from v_phase where run = '${run.id}' and phase = 17;\n` +
			`select at_s, write_mbps from v_window where run = '${run.id}' and phase = 17;`));
}

function conditionsSection(run) {
	const d = run.drive;
	const environment = run.environment === null || run.environment === undefined ? [] : flatten(run.environment);
	return section("conditions", "Conditions", null,
		el("div", { class: "columns" },
			el("div", {}, el("h3", {}, "Drive"), definitions([["Model", d.model], ["Given as", el("code", {}, d.spec)],
				["Kind", KINDS[d.kind] || d.kind], ["Serial", d.serial], ["Firmware", d.firmware],
				["Capacity", `${sizeOf(d.capacity_bytes, 5)} (${count(d.capacity_bytes)} bytes)`]]),
			el("h3", {}, "State at the start"), stateBlock(run)),
			el("div", {}, el("h3", {}, "Run"), definitions([["Run", el("code", {}, run.id)], ["Started", run.started],
				["Experiment", run.experiment], ["Profile", `${run.profile.name}, version ${run.profile.version}`],
				["Profile hash", el("code", {}, run.profile.hash)], ["Seed", el("code", {}, run.seed)],
				["Command", command(run) ? el("code", {}, command(run)) : null],
				["Ended", run.status + (run.message ? ": " + run.message : "")],
				["Took", `${timeOf(run.wall_s)}; ${timeOf(run.drive_s)} on the drive's clock`],
				["Written", sizeOf(run.written_bytes, 4)]]))),
		el("h3", {}, "Doubts"), notesBlock(run),
		environment.length ? fold("Environment of the host", () => definitions(environment)) : null,
		fold(`All ${plural(run.phaseList.length, "phase")}`, () => phasesTable(run), { id: "phases" }),
		el("h3", {}, "From here to the data"), queryBlock(run));
}
