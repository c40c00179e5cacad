// SPDX-License-Identifier: GPL-3.0-or-later
//
// report.test.cjs - the HTML report in a real browser, from file:, without a network. Prints TAP.
//
// PAGES is a folder with the pages that make-fixture.c wrote (run.sh), CHROMIUM the browser. SHOTS, if set, a
// folder for screenshots to look at; ONLY, if set, a regular expression for the names of the tests to run.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { chromium } = require("playwright-core");

const { PAGES, CHROMIUM, SHOTS, ONLY } = process.env;
const tests = [];
const test = (name, run) => {
	if (!ONLY || new RegExp(ONLY).test(name))
		tests.push({ name, run });
};

let browser;

// Open a page and wait until it is made in full. What it complains of or asks for is kept in page.trouble.
async function open(kind, options = {}) {
	const context = await browser.newContext({ viewport: { width: options.width || 1280, height: 900 },
		colorScheme: options.scheme || "light", javaScriptEnabled: options.scripts !== false, offline: true });
	const page = await context.newPage();
	page.trouble = [];
	page.on("console", (m) => page.trouble.push(`${m.type()}: ${m.text()}`));
	page.on("pageerror", (e) => page.trouble.push(`error: ${e.message}`));
	page.on("request", (r) => {
		if (r.url() !== `file://${PAGES}/${kind}.html`)
			page.trouble.push(`request: ${r.url()}`);
	});
	await page.goto(`file://${PAGES}/${kind}.html`);
	if (options.scripts !== false)
		await page.waitForSelector("[data-ready]", { timeout: 120000 });
	if (options.unfold)
		await unfold(page);
	return page;
}

// Open all that is folded, and what is folded in it.
async function unfold(page) {
	for (let depth = 0; depth < 3; depth++) {
		await page.evaluate(() => document.querySelectorAll("details:not([open])").forEach((d) => { d.open = true; }));
		await page.waitForTimeout(150);
	}
}

async function shot(page, name) {
	if (SHOTS)
		await page.screenshot({ path: path.join(SHOTS, name + ".png"), fullPage: true });
}

// For each chart: pixels of the colours of its series (or of its strips) in its canvas.
const countInk = (page) => page.evaluate(() => charts.map((chart) => {
	if (!chart.g)
		return { title: chart.spec.title, ink: 0 };
	const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const rgb = (css) => {
		probe.fillStyle = css;
		probe.fillRect(0, 0, 1, 1);
		return [...probe.getImageData(0, 0, 1, 1).data];
	};
	const colors = [...chart.g.getColors(), ...["--strip-1", "--strip-2", "--strip-3", "--strip-4", "--write", "--read"]
		.map(cssValue)].map(rgb);
	const canvas = chart.plot.querySelector("canvas");
	const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
	let ink = 0;
	for (let i = 0; i < data.length; i += 4)
		if (data[i + 3] > 60 && colors.some((c) => Math.abs(c[0] - data[i]) + Math.abs(c[1] - data[i + 1]) +
			Math.abs(c[2] - data[i + 2]) < 24))
			ink++;
	return { title: chart.spec.title, ink };
}));

for (const kind of ["fill", "both", "quick", "days", "sweep", "hostile", "two"])
	test(`${kind}: opens without a complaint or a request, every chart is drawn`, async () => {
		const page = await open(kind, { unfold: true });
		assert.deepEqual(page.trouble, []);
		const charts = await countInk(page);
		assert.deepEqual(charts.filter((c) => c.ink < 15), []);
		if (kind !== "hostile")
			assert.ok(charts.length >= 4, `only ${charts.length} charts`);
		await shot(page, kind + "-1280");
	});

for (const width of [1280, 400])
	for (const kind of ["both", "quick", "hostile", "two"])
		test(`${kind}: nothing is wider than ${width} pixels`, async () => {
			const page = await open(kind, { width, unfold: true });
			const wide = await page.evaluate(() => [document.documentElement.scrollWidth, ...[...document.querySelectorAll("body *")]
				.filter((e) => !e.closest(".table-scroll, pre, .plot") && e.getBoundingClientRect().right > innerWidth + 0.5)
				.slice(0, 5).map((e) => e.outerHTML.slice(0, 120))]);
			assert.deepEqual(wide, [width]);
			if (width === 400)
				await shot(page, kind + "-400");
		});

test("fill: every verdict stands there as a sentence, with its status", async () => {
	const page = await open("fill", { unfold: true });
	const { verdicts, rows } = await page.evaluate(() => ({
		verdicts: JSON.parse(document.querySelector("script.assay-run").textContent).verdicts,
		rows: [...document.querySelectorAll(".verdict")].map((e) => e.innerText) }));
	assert.ok(verdicts.length > 25);
	for (const v of verdicts) {
		const row = rows.find((r) => r.includes(v.name + "\n") || r.includes(v.name));
		assert.ok(row, v.name);
		const plain = (t) => t.toLowerCase().replace(/[^a-z0-9]/g, "");
		assert.ok(plain(row).includes(plain(v.text)), `${v.text} | ${row}`);
		assert.match(row, v.status === "measured" ? /Measured/ : /Not reached/);
	}
	const head = await page.evaluate(() => document.querySelector(".headlines").innerText);
	assert.match(head, /SEQ1M write changes by \u22120\.2\u202f% from the empty drive to 90\u202f% full/);
});

test("fill: the ladder's numbers are those of the phases, and carry their ids", async () => {
	const page = await open("fill", { unfold: true });
	const result = await page.evaluate(() => {
		const t = JSON.parse(document.querySelector("script.assay-run").textContent).phases;
		const get = (name, i) => Array.isArray(t[name]) ? t[name][i] : t[name];
		const label = "seq1m_q8t1_write";
		const mbps = [];
		const ids = [];
		for (let i = 0; i < t.n; i++)
			if (t.label[i] === label && get("level_pct", i) === 99) {
				mbps.push(get("write_bytes", i) / 1e6 / (get("end_s", i) - get("start_s", i)));
				ids.push(get("id", i));
			}
		const table = [...document.querySelectorAll("#ladder table")].find((x) => /SEQ1M Q8T1 write/.test(x.caption.textContent));
		const row = [...table.tBodies[0].rows].find((r) => r.cells[0].textContent === "99");
		return { mean: mbps.reduce((a, b) => a + b) / mbps.length, n: mbps.length, ids: ids.join(" "),
			cells: [...row.cells].map((c) => c.textContent) };
	});
	assert.equal(result.n, 15);
	assert.equal(result.cells[1], result.mean.toFixed(1));
	assert.equal(result.cells[result.cells.length - 1], result.ids);
	assert.ok(result.mean > 355 && result.mean < 375, String(result.mean));
});

test("fill: a level that was not measured is a gap", async () => {
	const page = await open("fill");
	const rows = await page.evaluate(() => charts.find((c) => c.spec.title === "SEQ1M Q8T1 write").spec.rows);
	assert.ok(rows.some((r) => r[0] === 65 && r[1] === null) || rows.some((r) => r[0] === 65 && Number.isNaN(r[1])));
});

test("fill: the copy's knee is marked where the curve falls", async () => {
	const page = await open("fill");
	await page.locator("#copy .toggles").getByRole("button", { name: "80", exact: true }).click();
	const { rows, labels, knee } = await page.evaluate(() => {
		const chart = charts.find((c) => c.spec.title === "Copy speed over bytes written");
		return { rows: chart.spec.rows, labels: chart.spec.labels,
			knee: kneesOf(readRuns()[0]).find((k) => k.level === 80).v.value / 1e9 };
	});
	const column = labels.findIndex((l) => /to 80.% full$/.test(l));
	const speeds = (from, to) => rows.filter((r) => r[column] > 0 && r[0] >= from && r[0] < to).map((r) => r[column]);
	const mean = (v) => v.reduce((a, b) => a + b) / v.length;
	assert.ok(mean(speeds(knee - 1, knee - 0.2)) > 390 && mean(speeds(knee + 0.2, knee + 1)) < 250);
});

test("zoom: by drag, key and button; charts of one clock follow each other; reset", async () => {
	const page = await open("fill");
	const range = (title) => page.evaluate((t) => charts.find((c) => c.spec.title === t).g.xAxisRange(), title);
	const plot = page.locator("figure.chart").filter({ hasText: "Throughput of the host" }).locator(".plot");
	await plot.scrollIntoViewIfNeeded();
	const before = await range("Throughput of the host");
	const box = await plot.boundingBox();
	await page.mouse.move(box.x + box.width * 0.3, box.y + 60);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.5, box.y + 64, { steps: 5 });
	await page.mouse.up();
	const dragged = await range("Throughput of the host");
	assert.ok(dragged[1] - dragged[0] < 0.4 * (before[1] - before[0]), String(dragged));
	assert.deepEqual(await range("Fast cache: used and allowed"), dragged);
	await plot.press("+");
	const keyed = await range("Throughput of the host");
	assert.ok(keyed[1] - keyed[0] < 0.6 * (dragged[1] - dragged[0]));
	await plot.press("0");
	assert.deepEqual(await range("Throughput of the host"), before);
	assert.deepEqual(await range("Fast cache: used and allowed"), before);
	await page.getByLabel("Zoom in: Copy speed over bytes written").click();
	const copy = await range("Copy speed over bytes written");
	await page.getByLabel("Reset zoom: Copy speed over bytes written").click();
	const reset = await range("Copy speed over bytes written");
	assert.ok(copy[1] - copy[0] < 0.6 * (reset[1] - reset[0]));
	await page.locator("label.stretch select").selectOption({ index: 3 });
	const stretch = await range("What went to the flash");
	assert.ok(stretch[1] - stretch[0] < before[1] - before[0]);
	assert.deepEqual(page.trouble, []);
});

test("controls: best run, axis, levels of the copy; a table is sorted by its head", async () => {
	const page = await open("fill", { unfold: true });
	const chart = (title) => page.evaluate((t) => {
		const c = charts.find((x) => x.spec.title === t);
		return { y: c.g.yAxisRange(), visible: c.g.visibility(), labels: c.spec.labels.length };
	}, title);
	const at = "SEQ1M Q8T1 write";
	assert.equal((await chart(at)).y[0], 0);
	await page.getByRole("button", { name: "Axis from zero" }).click();
	assert.ok((await chart(at)).y[0] > 100);
	await page.getByRole("button", { name: "Best run" }).click();
	assert.ok((await chart(at)).visible.every(Boolean));
	const lines = (await chart("Copy speed over bytes written")).labels;
	await page.locator("#copy .toggles").getByRole("button", { name: "80", exact: true }).click();
	assert.ok((await chart("Copy speed over bytes written")).labels > lines);
	const table = page.locator("#phases table");
	await table.getByRole("button", { name: "Length" }).click();
	await table.getByRole("button", { name: "Length" }).click();
	assert.equal(await table.locator("th[aria-sort]").getAttribute("aria-sort"), "descending");
	assert.match(await table.locator("tbody tr").first().innerText(), /copy/);
	await page.locator("#phases .more button").click();
	assert.equal(await table.locator("tbody tr").count(), await page.evaluate(() => readRuns()[0].phaseList.length));
});

// Smallest contrast of text with what is behind it, and which text.
const worstContrast = (page) => page.evaluate(() => {
	const rgb = (css) => (css.match(/[\d.]+/g) || []).map(Number);
	const luminance = (c) => c.slice(0, 3).map((v) => v / 255)
		.map((v) => v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4))
		.reduce((a, v, i) => a + v * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const c = rgb(getComputedStyle(e).backgroundColor);
			if (c.length === 3 || c[3] > 0.9)
				return c;
		}
		return [255, 255, 255];
	};
	let worst = { ratio: 99 };
	for (const e of document.querySelectorAll("body *")) {
		const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
		if (!own || !e.checkVisibility() || e.closest("option, script, noscript"))
			continue;
		const [a, b] = [luminance(rgb(getComputedStyle(e).color)), luminance(behind(e))].sort((x, y) => y - x);
		const ratio = (a + 0.05) / (b + 0.05);
		if (ratio < worst.ratio)
			worst = { ratio, text: e.textContent.slice(0, 40), of: e.className };
	}
	return worst;
});

for (const scheme of ["light", "dark"])
	test(`${scheme}: all text has a contrast of 4.5 or more; lines of charts 3 or more`, async () => {
		for (const kind of ["fill", "quick"]) {
			const page = await open(kind, { scheme, unfold: true });
			const worst = await worstContrast(page);
			assert.ok(worst.ratio >= 4.5, JSON.stringify(worst));
			const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
			assert.equal(paper, scheme === "dark" ? "rgb(20, 23, 26)" : "rgb(255, 255, 255)");
			assert.deepEqual((await countInk(page)).filter((c) => c.ink < 15), []);
			await shot(page, `${kind}-${scheme}`);
		}
	});

test("hostile: what is stored is text, never markup", async () => {
	const page = await open("hostile", { unfold: true });
	assert.equal(await page.evaluate(() => window.hacked), undefined);
	assert.equal(await page.locator("#assay-root img, #assay-root script, #assay-root b.label").count(), 0);
	const text = await page.evaluate(() => document.body.innerText);
	assert.ok(text.includes("</script><script>window.hacked=1</script>"));
	assert.ok(text.includes("<img src=x onerror=window.hacked=1>"));
	assert.match(text, /This run failed\. cannot <i>write<\/i>/);
	assert.match(text, /Refused/);
});

test("days: 72 h at 1 s stay below 5 MB, and no stall is thinned away", async () => {
	assert.ok(fs.statSync(`${PAGES}/days.html`).size <= 5e6);
	const page = await open("days");
	const series = await page.evaluate(() => JSON.parse(document.querySelector("script.assay-run").textContent).series[0]);
	assert.ok(series.windows_per_point > 1 && series.n * series.windows_per_point >= 72 * 3600);
	assert.equal(series.w_min.filter((v) => v === 0).length, Math.floor((72 * 3600 + 1) / 7919));
	const bytes = series.w.reduce((a, v, i) => a + v * (i + 1 < series.n ? series.dt_s : series.end_s - (series.n - 1) * series.dt_s), 0);
	const exact = await page.evaluate(() => readRuns()[0].phaseList[0].write_bytes / 1e6);
	assert.ok(Math.abs(bytes / exact - 1) < 1e-4, `${bytes} ${exact}`);
});

test("sweep: the load that was swept is an axis", async () => {
	const page = await open("sweep");
	const chart = await page.evaluate(() => {
		const found = charts.filter((x) => /offered load/.test(x.spec.title));
		return found.map((c) => [c.spec.title, c.spec.rows.length, c.spec.xlabel]);
	});
	assert.deepEqual(chart, [["Throughput over offered load", 10, "Offered load, IO/s"],
		["99th percentile of reads over offered load", 10, "Offered load, IO/s"]]);
	assert.match(await page.evaluate(() => document.body.innerText), /no verdicts are stored/);
});

test("quick: what makes a number doubtful is said in words, with telemetry and depth", async () => {
	const page = await open("quick", { unfold: true });
	const text = await page.evaluate(() => document.body.innerText);
	assert.match(text, /The device saw fewer I\/Os at once than were asked for/);
	assert.match(text, /depth_not_reached in 10 phases of 40/);
	const titles = await page.evaluate(() => charts.map((c) => c.spec.title));
	for (const title of ["Temperature", "I/Os in flight: asked for and proven", "Latency distribution"])
		assert.ok(titles.includes(title), title + " not in " + titles);
	assert.ok(!titles.includes("Fast cache: used and allowed"), "a real drive tells no truth");
});

test("two: runs side by side, and each in full", async () => {
	const page = await open("two");
	assert.match(await page.locator("#comparison").innerText(), /fill\.cache_share_of_free/);
	assert.ok((await page.evaluate(() => charts[0].spec.labels)).some((l) => /SATA 0001/.test(l)));
	await page.locator("fieldset.toggles button").nth(1).click();
	await page.waitForSelector("[data-ready]");
	assert.match(await page.locator("header .subject").innerText(), /SATA/);
	assert.ok((await page.evaluate(() => charts[0].spec.labels)).includes("Mean, emptying"));
	assert.deepEqual(page.trouble, []);
});

test("without scripts the answers can be read", async () => {
	const page = await open("fill", { scripts: false });
	assert.match(await page.locator("noscript").first().innerText(), /SEQ1M write changes by -0\.2 %/);
});

test("print: folded answers are there, controls are not", async () => {
	const page = await open("fill");
	await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
	await page.emulateMedia({ media: "print" });
	assert.ok(await page.getByText("fill.copy_knee_bytes.50", { exact: true }).isVisible());
	assert.ok(!await page.locator(".zoom").first().isVisible());
	assert.ok((await page.pdf({ format: "A4" })).length > 50000);
});

(async () => {
	let failed = 0;
	browser = await chromium.launch({ executablePath: CHROMIUM,
		args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
	console.log(`1..${tests.length}`);
	for (const [i, { name, run }] of tests.entries()) {
		try {
			await run();
			console.log(`ok ${i + 1} - ${name}`);
		} catch (error) {
			failed++;
			console.log(`not ok ${i + 1} - ${name}`);
			console.log(String(error.stack).replace(/^/gm, "# "));
		}
		await Promise.all(browser.contexts().map((c) => c.close()));
	}
	await browser.close();
	process.exitCode = failed ? 1 : 0;
})();
