/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chart.js - one way to draw every chart: dygraphs inside a figure with a title, the unit of its axis, a
 * legend that shows values, keys and buttons for zooming, a note, and the numbers as a table.
 *
 * spec: title, unit, xlabel, height, labels (of the columns of rows, x first), rows, series ({ name: {
 * color, width, dash, plotter, visible } }), x and y ({ min, max, log, ticker, show }), underlay(ctx,
 * area, g), note, table() -> element, group (charts of a group share their x range), options (for dygraphs).
 */

const charts = [];
const cssValue = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;

/* Colours are names of CSS variables, or functions for scales that depend on the theme. */
const colorOf = (c) => typeof c === "function" ? c() : cssValue(c || "--ink");

const SCALE = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

/* The i-th of n ordered colours (viridis: in order of lightness, for every kind of colour sight). */
const ordered = (i, n) => () => {
	const [from, to] = isDark() ? [0.34, 0.97] : [0.02, 0.76];
	const x = (from + (to - from) * (n > 1 ? i / (n - 1) : 0.4)) * (SCALE.length - 1);
	const k = Math.min(SCALE.length - 2, Math.floor(x));
	const mix = SCALE[k].map((a, c) => Math.round(a + (SCALE[k + 1][c] - a) * (x - k)));
	return `rgb(${mix.join(",")})`;
};

const escapeHtml = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

/* The legend: the series' names, and behind them the values under the pointer. */
function legendOf(spec) {
	return (data) => {
		const x = data.x === undefined ? "" :
			`<span class="legend-x">${escapeHtml(spec.x.show(data.x))}</span>`;
		return x + data.series.filter((s) => s.isVisible && !(spec.series[s.label] || {}).quiet)
			.map((s) => {
				const o = spec.series[s.label] || {};
				const value = data.x === undefined || !isNumber(s.y) ? "" :
					` <b>${escapeHtml(spec.y.show(s.y))}</b>`;
				const kind = o.dots ? "dots" : o.dash ? "dash" : "line";
				return `<span class="legend-item"><i class="${kind}" style="color:${s.color}"></i>` +
					`${escapeHtml(s.label)}${value}</span>`;
			}).join("");
	};
}

function followGroup(chart, g, initial) {
	if (initial || !chart.spec.group || chart.following)
		return;
	const range = g.xAxisRange();
	for (const other of charts) {
		if (other === chart || other.spec.group !== chart.spec.group || !other.g)
			continue;
		const now = other.g.xAxisRange();
		if (now[0] === range[0] && now[1] === range[1])
			continue;
		other.following = true;
		other.g.updateOptions({ dateWindow: range });
		other.following = false;
	}
}

function optionsOf(chart) {
	const spec = chart.spec;
	const names = spec.labels.slice(1);
	const series = {};
	for (const name of names) {
		const o = spec.series[name] || {};
		series[name] = { strokeWidth: o.width === undefined ? 1.6 : o.width, ...(o.options || {}) };
		if (o.dash)
			series[name].strokePattern = o.dash;
		if (o.plotter)
			series[name].plotter = o.plotter;
		if (o.fill)
			series[name].plotter = filledPlotter(o.fill);
		if (o.points)
			Object.assign(series[name], { drawPoints: true, pointSize: o.points });
	}
	const axisText = (ticker) => ticker && ((a, b, pixels) => ticker(a, b, pixels));
	return {
		labels: spec.labels,
		colors: names.map((name) => colorOf((spec.series[name] || {}).color)),
		visibility: names.map((name) => (spec.series[name] || {}).visible !== false),
		series,
		labelsDiv: chart.legend,
		legend: "always",
		legendFormatter: legendOf(spec),
		xlabel: spec.xlabel,
		xLabelHeight: 20,
		valueRange: [spec.y.min === undefined ? null : spec.y.min,
			spec.y.max === undefined ? null : spec.y.max],
		dateWindow: isNumber(spec.x.min) ? [spec.x.min, spec.x.max] : null,
		logscale: Boolean(spec.y.log),
		axes: {
			x: { ticker: axisText(spec.x.ticker || linearTicker), drawGrid: false, axisLabelWidth: 64,
				valueFormatter: (v) => spec.x.show(v) },
			/* Charts above each other on one clock begin at the same place. */
			y: { ticker: axisText(spec.y.ticker || linearTicker), axisLabelWidth: spec.group ? 76 : spec.y.log ? 58 : 44,
				valueFormatter: (v) => spec.y.show(v) },
		},
		axisLineColor: cssValue("--line-strong"),
		gridLineColor: cssValue("--line"),
		gridLineWidth: 1,
		axisLineWidth: 1,
		axisTickSize: 4,
		axisLabelFontSize: 12,
		highlightCircleSize: 3.5,
		rightGap: 10,
		animatedZooms: false,
		underlayCallback: spec.underlay ? (ctx, area, g) => {
			ctx.save();
			ctx.beginPath();
			ctx.rect(area.x, area.y, area.w, area.h);
			ctx.clip();
			spec.underlay(ctx, area, g);
			ctx.restore();
		} : null,
		drawCallback: (g, initial) => followGroup(chart, g, initial),
		...(spec.options || {}),
	};
}

function zoomBy(g, factor, shift) {
	const [a, b] = g.xAxisRange();
	const [lowest, highest] = g.xAxisExtremes();
	const middle = (a + b) / 2 + (b - a) * shift;
	const half = (b - a) / 2 * factor;
	const from = Math.max(lowest, middle - half);
	const to = Math.min(highest, middle + half);
	if (to > from)
		g.updateOptions({ dateWindow: [from, to] });
}

function resetZoom(chart) {
	chart.g.updateOptions({ dateWindow: isNumber(chart.spec.x.min) ?
		[chart.spec.x.min, chart.spec.x.max] : null,
	valueRange: [chart.spec.y.min === undefined ? null : chart.spec.y.min,
		chart.spec.y.max === undefined ? null : chart.spec.y.max] });
}

function onKey(chart, event) {
	const actions = {
		"+": () => zoomBy(chart.g, 0.5, 0), "=": () => zoomBy(chart.g, 0.5, 0),
		"-": () => zoomBy(chart.g, 2, 0), "0": () => resetZoom(chart), Escape: () => resetZoom(chart),
		ArrowLeft: () => zoomBy(chart.g, 1, -0.2), ArrowRight: () => zoomBy(chart.g, 1, 0.2),
	};
	const action = actions[event.key];
	if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
		event.preventDefault();
		action();
	}
}

function draw(chart) {
	let range = null;
	if (chart.g) {
		range = chart.g.isZoomed("x") ? chart.g.xAxisRange() : null;
		chart.g.destroy();
	}
	try {
		chart.g = new Dygraph(chart.plot, chart.spec.rows, optionsOf(chart));
	} catch (error) {
		/* One chart that cannot be drawn must not take the others with it; its numbers are there. */
		console.error(error);
		chart.failed = true;
		chart.plot.replaceChildren(el("p", { class: "muted" }, "This chart could not be drawn: " + error.message));
		return;
	}
	if (range)
		chart.g.updateOptions({ dateWindow: range });
}

/* The figure. Drawn once it is in the document: drawAll(). */
function makeChart(spec) {
	const chart = { spec, legend: el("div", { class: "legend", "aria-hidden": "true" }) };
	spec.series = spec.series || {};
	spec.x = { show: (v) => significant(v, 4), ...spec.x };
	spec.y = { show: (v) => significant(v, 4) + (spec.unit ? " " + spec.unit : ""), ...spec.y };
	chart.plot = el("div", { class: "plot", tabindex: "0", role: "group",
		style: `height:${spec.height || 230}px`,
		"aria-label": `Chart: ${spec.title}. ${spec.unit || ""} over ${spec.xlabel || "x"}. ` +
			"Arrow keys move, plus and minus zoom, zero resets; the numbers are in the table below.",
		onkeydown: (event) => onKey(chart, event) });
	const button = (text, label, act) => el("button", { type: "button", "aria-label":
		`${label}: ${spec.title}`, title: label, onclick: act }, text);
	chart.figure = el("figure", { class: "chart" + (spec.wide ? " wide" : "") },
		el("div", { class: "chart-head" },
			el("div", {}, el("h3", {}, spec.title), el("span", { class: "unit" }, spec.unit || "")),
			el("div", { class: "zoom" },
				button("+", "Zoom in", () => zoomBy(chart.g, 0.5, 0)),
				button(MINUS, "Zoom out", () => zoomBy(chart.g, 2, 0)),
				button("\u21ba", "Reset zoom", () => resetZoom(chart)))),
		chart.legend, chart.plot,
		spec.note ? el("figcaption", {}, spec.note) : null,
		spec.table ? fold("Numbers", spec.table, { class: "numbers" }) : null);
	chart.figure.chart = chart;
	charts.push(chart);
	return chart;
}

const isWaiting = (chart) => !chart.g && !chart.failed && chart.plot.isConnected && chart.plot.clientWidth > 0;

/* Draw what can be seen and is not drawn, at once; called when content was unfolded. */
function drawAll() {
	for (const chart of charts.filter(isWaiting))
		draw(chart);
}

/* The same one after another, so that the page answers in between; then done(). */
function drawInTurn(done) {
	const next = charts.find(isWaiting);
	if (!next) {
		done();
		return;
	}
	draw(next);
	setTimeout(() => drawInTurn(done), 0);
}

function redrawAll() {
	for (const chart of charts)
		if (chart.g)
			draw(chart);
}

/* Forget the charts of a run that is taken down, also those that were never unfolded. */
function dropCharts() {
	for (const chart of charts.splice(0))
		if (chart.g)
			chart.g.destroy();
}

function changeChart(chart, change) {
	Object.assign(chart.spec, change);
	if (chart.g)
		draw(chart);
}

/* ---- drawing helpers for underlays --------------------------------------------------------------- */

function verticalMark(ctx, area, g, x, text, color, options = {}) {
	const px = g.toDomXCoord(x);
	if (!isNumber(px) || px < area.x || px > area.x + area.w)
		return;
	ctx.strokeStyle = ctx.fillStyle = color;
	ctx.lineWidth = 1;
	ctx.setLineDash(options.dash || [4, 3]);
	ctx.beginPath();
	ctx.moveTo(Math.round(px) + 0.5, area.y);
	ctx.lineTo(Math.round(px) + 0.5, area.y + area.h);
	ctx.stroke();
	ctx.setLineDash([]);
	if (!text)
		return;
	ctx.font = "12px " + cssValue("--font");
	const right = px + ctx.measureText(text).width + 8 > area.x + area.w;
	ctx.textAlign = right ? "right" : "left";
	ctx.fillText(text, px + (right ? -4 : 4), area.y + 12 + (options.line || 0) * 15);
}

function band(ctx, area, g, from, to, color, alpha) {
	const a = Math.max(area.x, g.toDomXCoord(from));
	const b = Math.min(area.x + area.w, g.toDomXCoord(to));
	if (!(b > a))
		return;
	ctx.globalAlpha = alpha;
	ctx.fillStyle = color;
	ctx.fillRect(a, area.y, Math.max(1, b - a), area.h);
	ctx.globalAlpha = 1;
}

function whisker(ctx, g, x, low, high, color) {
	const px = g.toDomXCoord(x);
	const a = g.toDomYCoord(low);
	const b = g.toDomYCoord(high);
	if (!isNumber(a) || !isNumber(b))
		return;
	ctx.strokeStyle = color;
	ctx.lineWidth = 1.3;
	ctx.beginPath();
	ctx.moveTo(px, a);
	ctx.lineTo(px, b);
	ctx.moveTo(px - 3, a);
	ctx.lineTo(px + 3, a);
	ctx.moveTo(px - 3, b);
	ctx.lineTo(px + 3, b);
	ctx.stroke();
}

function dot(ctx, px, py, radius, color, alpha = 1) {
	ctx.globalAlpha = alpha;
	ctx.fillStyle = color;
	ctx.beginPath();
	ctx.arc(px, py, radius, 0, 2 * Math.PI);
	ctx.fill();
	ctx.globalAlpha = 1;
}

/* One pixel column of a line: where it enters and leaves, and how far it reaches. */
function columnsOfLine(e) {
	const { h, y } = e.plotArea;
	const runs = [];
	let run = null;
	let now = null;
	for (const p of e.points) {
		if (!isNumber(p.canvasy)) {
			run = now = null;
			continue;
		}
		const px = Math.round(p.canvasx);
		if (!run)
			runs.push(run = []);
		if (!now || now.px !== px)
			run.push(now = { px, first: p.canvasy, low: p.canvasy, high: p.canvasy, from: p.canvasy, to: p.canvasy });
		now.last = p.canvasy;
		now.low = Math.max(now.low, p.canvasy);
		now.high = Math.min(now.high, p.canvasy);
		for (const edge of [p.y_bottom, p.y_top]) {
			if (isNumber(edge)) {
				now.from = Math.max(now.from, edge * h + y);
				now.to = Math.min(now.to, edge * h + y);
			}
		}
	}
	return runs;
}

/*
 * Plotter for long series with [least, mean, greatest]: one stroke a pixel column instead of one a point, so
 * that a zoom does not wait. Everything that lies in a column is in its stroke; nothing is left out.
 */
function envelopePlotter(e) {
	const ctx = e.drawingContext;
	ctx.strokeStyle = e.color;
	ctx.lineWidth = 1.4;
	for (const run of columnsOfLine(e)) {
		ctx.globalAlpha = 0.3;
		ctx.beginPath();
		for (const c of run)
			if (c.from - c.to > 1) {
				ctx.moveTo(c.px, c.from);
				ctx.lineTo(c.px, c.to);
			}
		ctx.stroke();
		ctx.globalAlpha = 1;
		ctx.beginPath();
		ctx.moveTo(run[0].px - 0.5, run[0].first);
		for (const c of run) {
			ctx.lineTo(c.px, c.first);
			if (c.low - c.high > 0.5) {
				ctx.lineTo(c.px, c.low);
				ctx.lineTo(c.px, c.high);
			}
			ctx.lineTo(c.px, c.last);
		}
		ctx.lineTo(run[run.length - 1].px + 0.5, run[run.length - 1].last);
		ctx.stroke();
	}
}

/* The same with the area under the line filled. */
const filledPlotter = (alpha) => (e) => {
	const ctx = e.drawingContext;
	const bottom = e.plotArea.y + e.plotArea.h;
	ctx.fillStyle = e.color;
	ctx.globalAlpha = alpha;
	for (const run of columnsOfLine(e)) {
		ctx.beginPath();
		ctx.moveTo(run[0].px, bottom);
		for (const c of run) {
			ctx.lineTo(c.px, c.first);
			ctx.lineTo(c.px, c.high);
			ctx.lineTo(c.px, c.last);
		}
		ctx.lineTo(run[run.length - 1].px, bottom);
		ctx.fill();
	}
	ctx.globalAlpha = 1;
	envelopePlotter(e);
};
