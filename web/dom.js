/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dom.js - elements and tables. Text always goes in as text: what a drive calls itself is not markup.
 */

function el(tag, attributes = {}, ...children) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (name.startsWith("on"))
			e.addEventListener(name.slice(2), value);
		else if (value === true)
			e.setAttribute(name, "");
		else if (value !== false && value !== null && value !== undefined)
			e.setAttribute(name, value);
	}
	e.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
	return e;
}

/* Folded content that is made when it is first opened (or printed). */
function fold(summary, make, attributes = {}) {
	const details = el("details", attributes, el("summary", {}, summary));
	let made = false;
	const ensure = () => {
		if (made)
			return;
		made = true;
		details.append(make());
	};
	details.addEventListener("toggle", () => {
		if (!details.open)
			return;
		ensure();
		drawAll();
	});
	details.ensure = ensure;
	return details;
}

const ROWS_AT_FIRST = 60;

function compareValues(a, b) {
	const missing = (v) => v === null || v === undefined || (typeof v === "number" && Number.isNaN(v));
	if (missing(a) || missing(b))
		return missing(a) - missing(b);
	if (typeof a === "number" && typeof b === "number")
		return a - b;
	return String(a).localeCompare(String(b), "en", { numeric: true });
}

/*
 * A table that can be sorted by its heads. columns: { title, unit, get(row), show(value, row), text }:
 * text columns are set left, numbers right. rows: any objects.
 */
function sortableTable(caption, columns, rows) {
	const body = el("tbody");
	const more = el("p", { class: "more" });
	let order = rows.slice();
	let all = rows.length <= ROWS_AT_FIRST;
	let sorted = { index: -1, descending: false };

	function draw() {
		const shown = all ? order : order.slice(0, ROWS_AT_FIRST);
		body.replaceChildren(...shown.map((row) => el("tr", {}, columns.map((c, i) => {
			const value = c.get(row);
			const content = c.show ? c.show(value, row) : value === null || value === undefined ?
				NOTHING : String(value);
			return el(i === 0 ? "th" : "td", { class: c.text ? "text" : "number",
				scope: i === 0 ? "row" : null }, content);
		}))));
		more.replaceChildren(...(all ? [] : [el("button", { type: "button",
			onclick: () => { all = true; draw(); } }, "Show all " + plural(rows.length, "row"))]));
	}

	function sortBy(index) {
		sorted = { index, descending: sorted.index === index && !sorted.descending };
		order = rows.slice().sort((a, b) => (sorted.descending ? -1 : 1) *
			compareValues(columns[index].get(a), columns[index].get(b)));
		heads.forEach((h, i) => i === index ?
			h.setAttribute("aria-sort", sorted.descending ? "descending" : "ascending") :
			h.removeAttribute("aria-sort"));
		draw();
	}

	const heads = columns.map((c, i) => el("th", { scope: "col", class: c.text ? "text" : "number" },
		el("button", { type: "button", onclick: () => sortBy(i) }, c.title,
			c.unit ? el("span", { class: "unit" }, c.unit) : null)));
	draw();
	return el("div", { class: "table-frame" },
		el("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": caption },
			el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)), body)),
		more);
}

/* A set of buttons of which some are pressed. */
function toggles(label, items, onchange) {
	return el("fieldset", { class: "toggles" }, el("legend", {}, label), items.map((item) => {
		const button = el("button", { type: "button", "aria-pressed": String(Boolean(item.on)) },
			item.label);
		button.addEventListener("click", () => {
			if (item.exclusive) {
				for (const b of button.parentNode.querySelectorAll("button"))
					b.setAttribute("aria-pressed", String(b === button));
				onchange(item, true);
				return;
			}
			const on = button.getAttribute("aria-pressed") !== "true";
			button.setAttribute("aria-pressed", String(on));
			onchange(item, on);
		});
		return button;
	}));
}

function section(id, title, intro, ...children) {
	return el("section", { id, "aria-labelledby": id + "-title" },
		el("h2", { id: id + "-title" }, title),
		intro ? el("p", { class: "intro" }, intro) : null, ...children);
}
