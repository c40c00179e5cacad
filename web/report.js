/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report.js - the page: its head, the runs side by side where there are several, and one run in full.
 */

function facts(run) {
	const cells = measuredCells(run).length;
	const items = [
		["Drive", sizeOf(run.drive.capacity_bytes, 4) + ", " + (KINDS[run.drive.kind] || run.drive.kind)],
		run.levels.length > 1 ? ["Filled", `${run.levels[0]} to ${run.levels[run.levels.length - 1]}${THIN}%, ` +
			plural(run.levels.length, "level")] : ["Cells", count(cells)],
		["Repeats", run.repeats.length ? String(run.repeats.length) : "1"],
		["Phases", count(run.phaseList.length)],
		["Written", sizeOf(run.written_bytes)],
		["Drive's clock", timeOf(run.drive_s)],
	];
	return el("dl", { class: "facts" }, items.map(([k, v]) => el("div", {}, el("dt", {}, k), el("dd", {}, v))));
}

function runStatus(run) {
	if (run.status === "done")
		return null;
	const words = { running: "This run had not ended when the page was made.",
		interrupted: "This run was interrupted: what follows is what there is.", failed: "This run failed." };
	return el("p", { class: "warning", role: "note" }, (words[run.status] || run.status) + (run.message ? " " + run.message : ""));
}

function pageHead(run) {
	return el("header", {},
		el("p", { class: "kicker" }, el("span", {}, "Assay \u00b7 " + run.experiment), el("span", {}, "Run " + run.id +
			" \u00b7 " + run.started.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC"))),
		el("h1", {}, QUESTIONS[run.experiment] || run.experiment),
		el("p", { class: "subject" }, run.title, run.drive.model ? el("code", {}, run.drive.spec) : null),
		runStatus(run), headlineBlock(run), facts(run));
}

/* Verdicts that at least two of the runs have, side by side. */
function comparison(runs) {
	const names = [...new Set(runs.flatMap((r) => r.verdicts.map((v) => v.name)))];
	const shared = names.filter((n) => runs.filter((r) => r.verdicts.some((v) => v.name === n)).length > 1);
	const of = (r, n) => r.verdicts.find((v) => v.name === n);
	const profiles = new Set(runs.map((r) => r.profile.hash));
	return section("comparison", `${runs.length} runs side by side`,
		profiles.size > 1 ? "These runs do not have the same profile: differences may come from what was asked." : null,
		sortableTable("Runs", [
			{ title: "Run", get: (r) => r.id, text: true }, { title: "Experiment", get: (r) => r.experiment, text: true },
			{ title: "Drive", get: (r) => r.title, text: true }, { title: "Given as", get: (r) => r.drive.spec, text: true },
			{ title: "Ended", get: (r) => r.status, text: true }, { title: "Written", get: (r) => r.written_bytes, show: (v) => sizeOf(v) },
			{ title: "Drive's clock", get: (r) => r.drive_s, show: timeOf },
		], runs),
		shared.length ? sortableTable("Answers of more than one run, with 95 % intervals", [
			{ title: "Answer", get: (n) => n, show: (n) => el("code", {}, n), text: true },
			...runs.map((r) => ({ title: r.id.slice(-4), unit: r.title.slice(0, 28), text: true,
				get: (n) => of(r, n) ? of(r, n).value : null,
				show: (x, n) => {
					const v = of(r, n);
					if (!v)
						return NOTHING;
					return v.status !== "measured" ? (STATUS[v.status] || [v.status])[0].toLowerCase() :
						verdictValue(v) + (isNumber(v.low) ? ` (${verdictValue(v, v.low)} to ${verdictValue(v, v.high)})` : "");
				} })),
		], shared) : null);
}

/*
 * One run in full, into `body`: what is seen first at once, then a section at a time, so that the page can
 * be read while the rest of it is made. `body` carries data-ready when all is there.
 */
function showRun(run, runs, body) {
	const others = runs.filter((r) => r !== run && r.experiment === run.experiment && hasLadder(r));
	const links = el("nav", { class: "contents", "aria-label": "Contents" });
	const parts = [verdictSection, (r) => ladderSection(r, others), cellsSection, copySection, latencySection,
		(r) => happenedSection(r, runs.indexOf(r)), conditionsSection];
	const turn = showRun.turn = (showRun.turn || 0) + 1;

	const ready = () => {
		body.dataset.ready = "yes";
		if (location.hash.length > 1 && document.getElementById(location.hash.slice(1)))
			document.getElementById(location.hash.slice(1)).scrollIntoView();
	};
	const next = () => {
		const part = parts.shift();
		if (turn !== showRun.turn)
			return;
		if (!part) {
			drawInTurn(ready);
			return;
		}
		const made = part(run);
		if (made) {
			body.append(made);
			links.append(el("a", { href: "#" + made.id }, made.querySelector("h2").textContent));
		}
		setTimeout(next, 0);
	};

	dropCharts();
	delete body.dataset.ready;
	body.replaceChildren(pageHead(run), links);
	next();
}

function build(runs) {
	const root = document.getElementById("assay-root");
	const body = el("div", {});
	const tabs = runs.length > 1 ? toggles("Run", runs.map((r, i) => ({ label: `${r.id.slice(-4)} \u00b7 ${r.title}`, run: r,
		on: i === 0, exclusive: true })), (item) => showRun(item.run, runs, body)) : null;
	root.append(el("main", { class: "page" }, runs.length > 1 ? comparison(runs) : null, tabs, body,
		el("footer", {}, "Made by Assay. This page holds all its data and asks for nothing from outside. Charts: dygraphs, MIT licence.")));
	showRun(runs[0], runs, body);
}

build(readRuns());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
addEventListener("beforeprint", () => {
	for (const details of document.querySelectorAll("details.more-verdicts")) {
		details.ensure();
		details.open = true;
	}
	drawAll();
});
