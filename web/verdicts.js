/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verdicts.js - the answers: the ones that matter most as large sentences, then all of them in groups with
 * value, interval, sample count and status.
 */

const STATUS = {
	measured: ["Measured", "The number and its interval come from this run's data."],
	not_identifiable: ["Not identifiable", "The data do not say: no number is given."],
	not_reached: ["Not reached", "The run ended before it could show."],
	not_supported: ["Not supported", "The drive cannot do what would show it."],
	refused: ["Refused", "Not done, for safety."],
};

const INTERVALS = { within_run: "within one run", between_runs: "between repeats", none: "" };

const QUESTIONS = {
	quick: "What do the usual benchmarks say?",
	fill: "Does it slow down as it fills?",
	load: "What does it do under this load?",
	barrier: "Where does more data break it, and what brings it back?",
	mix: "How does it read and write at once?",
	cache: "How large is its fast cache, and what lies behind it?",
	saturate: "What is left after hours of random writes?",
	steady: "What does it deliver in steady state?",
};

/* Groups of verdicts: title, which, folded when longer than this. */
const GROUPS = [
	["Speed against fill level", /^fill\.(seq|rnd)\w*_change_pct\./, 8],
	["The fast write cache", /^fill\.cache_/, 8],
	["Where a long copy slows down", /^fill\.copy_knee_bytes\./, 0],
	["Shape and consistency", /^fill\.(regimes|\w*_modes|concurrency)/, 8],
];

/* What a reader wants first, in this order; at most HEADLINES of them. */
const FIRST = [
	/^fill\.seq1m_write_change_pct\.to_90$/, /^fill\.seq1m_write_change_pct\.at_99$/,
	/^fill\.copy_knee_bytes\./, /^fill\.rnd4k_write_modes$/, /^fill\.cache_share_of_free$/,
];
const HEADLINES = 3;

/* As many decimals as the interval allows: its half width with two digits. */
function verdictDecimals(v) {
	const half = (v.high - v.low) / 2;
	if (!isNumber(v.low) || !isNumber(v.high) || !(half > 0))
		return null;
	/* But no more than can matter: a hundredth of a per cent, four digits of anything else. */
	const most = v.unit === "%" ? 2 : 3 - Math.floor(Math.log10(Math.abs(v.value) || 1));
	return Math.max(0, Math.min(most, 1 - Math.floor(Math.log10(half))));
}

/* Minus zero is zero. */
const fixed = (x, decimals) => (Math.abs(x) < 0.5 * Math.pow(10, -decimals) ? 0 : x).toFixed(decimals).replace("-", MINUS);

function verdictValue(v, x = v.value) {
	if (x === v.value && v.word)
		return v.word.replace(/_/g, " ");
	if (!isNumber(x))
		return NOTHING;
	if (v.unit === "bytes")
		return sizeOf(x, isNumber(v.low) && sizeOf(v.low) === sizeOf(v.high) ? 4 : 3);
	const decimals = verdictDecimals(v);
	const sign = v.unit === "%" && /change/.test(v.name) && x > 0.5 * Math.pow(10, -(decimals || 0)) ? "+" : "";
	const text = decimals !== null && Math.abs(x) < 1e7 ? fixed(x, decimals) :
		Number.isInteger(x) ? count(x) : significant(x, 3);
	return sign + text + (v.unit ? THIN + v.unit : "");
}

/* Sentences are stored in plain characters, without capital and full stop, as errors are. */
function sentence(text) {
	let s = text.trim().replace(/\+-/g, "\u00b1").replace(/(^|[\s(])-(?=\d)/g, "$1" + MINUS);
	s = s.replace(/(\d) %/g, "$1\u202f%");
	return s ? s[0].toUpperCase() + s.slice(1) + (/[.!?]$/.test(s) ? "" : ".") : s;
}

/* What stands behind the value: its interval; samples and kind of interval. Each keeps to one line. */
function verdictInterval(v) {
	const parts = [];
	if (isNumber(v.low) && isNumber(v.high)) {
		const unit = v.unit && v.unit !== "bytes" ? THIN + v.unit : "";
		const low = unit ? verdictValue(v, v.low).slice(0, -unit.length) : verdictValue(v, v.low);
		parts.push(`95${THIN}%: ${low} to ${verdictValue(v, v.high)}`);
	}
	const how = [v.n ? "n" + THIN + "=" + THIN + count(v.n) : "", INTERVALS[v.interval] || ""].filter(Boolean);
	if (how.length)
		parts.push(how.join(" \u00b7 "));
	return parts.map((p) => el("span", { class: "keep" }, p));
}

function badge(v) {
	const [text, title] = STATUS[v.status] || [v.status, ""];
	return el("span", { class: "badge " + v.status, title }, text);
}

function verdictRow(v) {
	return el("li", { class: "verdict" }, badge(v),
		el("p", { class: "verdict-text" }, sentence(v.text || v.name), " ", el("code", {}, v.name)),
		el("div", { class: "verdict-value" }, el("strong", {}, verdictValue(v)),
			el("div", { class: "how" }, verdictInterval(v))));
}

function headlines(verdicts) {
	const found = [];
	for (const pattern of FIRST) {
		const matching = verdicts.filter((v) => pattern.test(v.name));
		const v = matching.find((m) => m.status === "measured") || matching[0];
		if (v && found.length < HEADLINES && !found.includes(v))
			found.push(v);
	}
	return found.length ? found : verdicts.slice(0, HEADLINES);
}

function grouped(verdicts) {
	const rest = new Set(verdicts);
	const groups = [];
	for (const [title, pattern, limit] of GROUPS) {
		const members = verdicts.filter((v) => pattern.test(v.name));
		members.forEach((v) => rest.delete(v));
		if (members.length)
			groups.push([title, members, limit]);
	}
	if (rest.size)
		groups.push([groups.length ? "Also found" : "All answers", [...rest], 12]);
	return groups;
}

function headlineBlock(run) {
	const first = headlines(run.verdicts);
	if (!first.length)
		return el("p", { class: "headline muted" }, run.status === "done" ?
			"This run was asked for measurements only: no verdicts are stored." :
			"The run ended before there were verdicts.");
	return el("div", { class: "headlines" }, first.map((v) => el("div", { class: "headline" },
		el("p", {}, sentence(v.text)), el("p", { class: "evidence" }, badge(v), verdictInterval(v)))));
}

function groupBlock([title, members, limit]) {
	const list = () => el("ul", { class: "verdicts" }, members.map(verdictRow));
	if (members.length <= limit)
		return el("div", {}, el("h3", {}, title), list());
	const measured = members.filter((v) => v.status === "measured").length;
	return el("div", {}, el("h3", {}, title),
		fold(`${plural(members.length, "answer")}, ${measured} measured`, list, { class: "more-verdicts" }));
}

function verdictSection(run) {
	if (!run.verdicts.length)
		return null;
	return section("verdicts", "Answers",
		"Each with its value, the 95\u202f% interval, the number of samples behind it, and how it was " +
		"come by. An answer that the data do not carry says so.",
		...grouped(run.verdicts).map(groupBlock));
}
