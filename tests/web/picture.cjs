// SPDX-License-Identifier: GPL-3.0-or-later
//
// picture.cjs PAGE.html OUT.png - the picture of a report for the README: its head and its ladder. The list of
// all answers, which stands between them, is left out for its length.
"use strict";
const path = require("node:path");
const { chromium } = require("playwright-core");

const [, , page_path, out] = process.argv;

(async () => {
	const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
	const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
	await page.goto("file://" + path.resolve(page_path));
	await page.waitForSelector("[data-ready]");
	await page.addStyleTag({ content: "#verdicts { display: none } #ladder { margin-top: 40px }" });
	const height = await page.evaluate(() => Math.ceil(document.querySelector("#ladder").getBoundingClientRect().bottom + scrollY) + 20);
	await page.setViewportSize({ width: 1280, height });
	await page.waitForTimeout(500);
	await page.screenshot({ path: out, clip: { x: 0, y: 0, width: 1280, height } });
	await browser.close();
})();
