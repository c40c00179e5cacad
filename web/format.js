"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format.js - numbers as people read them, and axis ticks. Latencies come in microseconds, sizes in bytes,
 * times in seconds. The files of this folder are joined into one script in the order of meson's list.
 */

const MINUS = "\u2212";
const THIN = "\u202f";
const NOTHING = "\u2013";

const isNumber = (v) => typeof v === "number" && Number.isFinite(v);

/* A number with `digits` significant digits, never in exponents, with a true minus sign. */
function significant(v, digits = 3) {
	if (!isNumber(v))
		return NOTHING;
	if (v === 0)
		return "0";
	const magnitude = Math.floor(Math.log10(Math.abs(v)));
	const decimals = Math.min(12, Math.max(0, digits - 1 - magnitude));
	let text = Math.abs(v).toFixed(decimals);
	const [whole, fraction] = text.split(".");
	text = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, THIN) : whole;
	if (fraction)
		text += "." + fraction;
	return (v < 0 ? MINUS : "") + text;
}

const signed = (v, digits) => (v > 0 ? "+" : "") + significant(v, digits);

/* How many: a whole number in full. */
const count = (n) => isNumber(n) ?
	(n < 0 ? MINUS : "") + String(Math.abs(Math.round(n))).replace(/\B(?=(\d{3})+$)/g, Math.abs(n) >= 1e4 ? THIN : "") : NOTHING;

const trimmed = (text) => text.includes(".") ? text.replace(/\.?0+$/, "") : text;

const rate = (v) => significant(v, v >= 100 ? 4 : 3);

function sizeOf(bytes, digits = 3) {
	if (!isNumber(bytes))
		return NOTHING;
	const units = ["B", "kB", "MB", "GB", "TB", "PB"];
	let i = 0;
	let v = bytes;
	while (Math.abs(v) >= 999.5 && i < units.length - 1) {
		v /= 1000;
		i++;
	}
	return (i ? significant(v, digits) : significant(v, 4)) + " " + units[i];
}

/* Block sizes are powers of two: "4 KiB". */
function blockOf(bytes) {
	if (!isNumber(bytes))
		return "mixed";
	if (bytes >= 1 << 20 && bytes % (1 << 20) === 0)
		return bytes / (1 << 20) + " MiB";
	if (bytes >= 1024 && bytes % 1024 === 0)
		return bytes / 1024 + " KiB";
	return bytes + " B";
}

function latencyOf(us) {
	if (!isNumber(us))
		return NOTHING;
	if (us < 1)
		return significant(us * 1e3, 3) + " ns";
	if (us < 1e3)
		return significant(us, 3) + " \u00b5s";
	if (us < 1e6)
		return significant(us / 1e3, 3) + " ms";
	return significant(us / 1e6, 3) + " s";
}

function timeOf(s) {
	if (!isNumber(s))
		return NOTHING;
	const two = (a, ua, b, ub) => a + " " + ua + (b ? " " + b + " " + ub : "");
	if (s < 1e-3)
		return significant(s * 1e6, 3) + " \u00b5s";
	if (s < 1)
		return significant(s * 1e3, 3) + " ms";
	if (s < 60)
		return significant(s, 3) + " s";
	const r = Math.round(s);
	if (r < 3600)
		return two(Math.floor(r / 60), "min", r % 60, "s");
	if (r < 86400)
		return two(Math.floor(r / 3600), "h", Math.round(r % 3600 / 60), "min");
	return two(Math.floor(r / 86400), "d", Math.round(r % 86400 / 3600), "h");
}

const plural = (n, one, many = one + "s") => count(n) + " " + (n === 1 ? one : many);

/* Round steps: 1, 2, 5 times a power of ten; for hours and minutes their own. */
function niceStep(span, count, steps = [1, 2, 2.5, 5, 10]) {
	const raw = span / Math.max(1, count);
	const power = Math.pow(10, Math.floor(Math.log10(raw)));
	return steps.find((s) => s * power >= raw * 0.999) * power;
}

function ticksBetween(a, b, step, label) {
	const ticks = [];
	for (let i = Math.ceil(a / step - 1e-9); i * step <= b + step * 1e-9; i++)
		ticks.push({ v: i * step, label: label(i * step, step) });
	return ticks;
}

const stepLabel = (v, step) => trimmed(significant(v, Math.max(1,
	Math.ceil(Math.log10(Math.abs(v) / step + 1e-12) + 2))));

function linearTicker(a, b, pixels) {
	const step = niceStep(b - a, pixels / 42);
	return ticksBetween(a, b, step, (v) => v === 0 ? "0" : stepLabel(Number(v.toPrecision(12)), step));
}

/* Seconds as a clock of h, min, s. */
function timeTicker(a, b, pixels) {
	const nice = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120,
		300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800];
	const raw = (b - a) / Math.max(1, pixels / 75);
	const step = nice.find((s) => s >= raw) || Math.ceil(raw / 86400) * 86400;
	return ticksBetween(a, b, step, (v) => {
		if (step >= 3600)
			return Math.round(v / 3600) + " h";
		if (b >= 3600) {
			const h = Math.floor(v / 3600 + 1e-9);
			const rest = v - h * 3600;
			const m = Math.floor(rest / 60 + 1e-9);
			const text = h + ":" + String(m).padStart(2, "0");
			return step >= 60 ? text + " h" :
				text + ":" + String(trimmed((rest - m * 60).toFixed(step < 1 ? 3 : 0))).padStart(2, "0");
		}
		if (step >= 60)
			return Math.round(v / 60) + " min";
		return trimmed(v.toFixed(step < 1 ? 3 : 0)) + " s";
	});
}

const logTicker = (a, b, pixels) => logTicks(a, b, pixels, (v) => latencyOf(v).replace(/\.0+ /, " "));
const logNumberTicker = (a, b, pixels) => logTicks(a, b, pixels, (v) => trimmed(significant(v, 2)));

function logTicks(a, b, pixels, label) {
	const ticks = [];
	const decades = Math.log10(b / a);
	const factors = pixels / decades > 110 ? [1, 2, 5] : [1];
	for (let e = Math.floor(Math.log10(a)); e <= Math.ceil(Math.log10(b)); e++)
		for (const f of factors) {
			const v = f * Math.pow(10, e);
			if (v >= a * 0.999 && v <= b * 1.001)
				ticks.push({ v, label: label(v) });
		}
	return ticks;
}
