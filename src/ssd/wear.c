/* SPDX-License-Identifier: MIT */
#include "ssd/wear.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ssd/state.h"

#define RNG_STREAM_WEAR 0x77656172u
#define OCTAVE 24.0 /* levels */
#define BELOW 4.0   /* octaves below the hard limit at level 0 */
#define READS_STEP 8u
#define LOOK_OPENS 16u
#define NS_PER_S 1000000000u
#define DAY_S 86400.0

/* In the order of enum wear_free. */
const char *const wear_free_words[] = { "fifo", "least", NULL };

int wear_check(const struct ssd_config *cfg, const char **name, struct err *err)
{
	double last = cfg->ecc.hard_rber * pow(cfg->ecc.retry_gain, cfg->ecc.retry_steps);

	*name = "refresh.days";
	if (!wear_on(cfg) && (cfg->refresh.days > 0 || cfg->refresh.rber > 0))
		return err_set(err, -EINVAL,
			       "refresh needs the age of data, which wear.endurance switches on");
	*name = "ecc.soft_rber";
	if (wear_on(cfg) && cfg->ecc.soft_rber < last)
		return err_set(
			err, -EINVAL,
			"ecc.soft_rber (%g) is below what the last retry corrects (%g): soft "
			"decoding would never help",
			cfg->ecc.soft_rber, last);
	return 0;
}

/* Standard normal: twelve uniforms, so that no compiler's library has a say. */
static double normal(struct rng *rng)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += rng_double(rng);
	return sum;
}

static void *array(struct ssd *ssd, uint64_t n, size_t size)
{
	ssd->memory_bytes += n * size;
	return calloc(n, size);
}

/* Cycles in a superblock's life, and its error rate: a weak one is weak in both. */
static void draw(struct ssd *ssd)
{
	const struct ssd_config *cfg = &ssd->cfg;
	struct wear *w = &ssd->wear;
	struct rng rng;

	rng_init(&rng, cfg->seed, RNG_STREAM_WEAR);
	w->salt = rng_u64(&rng);
	w->quality = cfg->wear.drive_quality * exp(cfg->wear.drive_variation * normal(&rng));
	for (uint32_t sb = 0; sb < ssd->superblocks; sb++) {
		double z = normal(&rng);
		double limit = cfg->wear.endurance * w->quality *
			       exp(-cfg->wear.endurance_variation * z) * WEAR_CYCLE;

		w->limit[sb] = limit < (double)UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
		w->factor[sb] = (float)exp(cfg->wear.variation * z);
		w->cycles[sb] = cfg->wear.initial * WEAR_CYCLE;
	}
}

/* The share of pages, x 2^32, whose rate is at most `limit` where the superblock's is `rate`. */
static uint64_t share_below(const struct ssd *ssd, double limit, double rate)
{
	double sd = ssd->cfg.ecc.page_variation, x = log(limit / rate);

	if (sd <= 0)
		return x >= 0 ? 1ull << 32 : 0;
	return (uint64_t)(0.5 * erfc(-x / sd / sqrt(2)) * 0x1p32);
}

static void tabulate(struct ssd *ssd)
{
	const struct ssd_config *cfg = &ssd->cfg;
	struct wear *w = &ssd->wear;
	uint32_t steps = cfg->ecc.retry_steps;

	w->quiet_level = w->lossy_level = WEAR_LEVELS;
	for (uint32_t level = WEAR_LEVELS; level-- > 0;) {
		double rate = cfg->ecc.hard_rber * exp2(level / OCTAVE - BELOW);
		double limit = cfg->ecc.hard_rber;

		for (uint32_t i = 0; i <= steps; i++, limit *= cfg->ecc.retry_gain)
			w->below[level][i] = share_below(ssd, limit, rate);
		w->below[level][steps + 1] = share_below(ssd, cfg->ecc.soft_rber, rate);
		if (w->below[level][0] < 1ull << 32)
			w->quiet_level = level;
		if (w->below[level][steps + 1] < 1ull << 32)
			w->lossy_level = level;
	}
}

bool wear_init(struct ssd *ssd)
{
	struct wear *w = &ssd->wear;
	uint32_t n = ssd->superblocks, pages = ssd->sb_units / ssd->cfg.geometry.page_units;

	w->temperature_mk = w->levels_mk = (int32_t)lround(ssd->cfg.wear.temperature_c * 1000);
	if (!ssd->has_wear)
		return true;
	w->cycles = array(ssd, n, sizeof(*w->cycles));
	w->limit = array(ssd, n, sizeof(*w->limit));
	w->reads = array(ssd, n, sizeof(*w->reads));
	w->programmed_s = array(ssd, n, sizeof(*w->programmed_s));
	w->programmed_mk = array(ssd, n, sizeof(*w->programmed_mk));
	w->factor = array(ssd, n, sizeof(*w->factor));
	w->level = array(ssd, n, sizeof(*w->level));
	w->fresh = array(ssd, n, sizeof(*w->fresh));
	w->below = array(ssd, WEAR_LEVELS, sizeof(*w->below));
	w->lost = array(ssd, ((uint64_t)ssd->units + 63) / 64, sizeof(*w->lost));
	if (!w->cycles || !w->limit || !w->reads || !w->programmed_s || !w->programmed_mk ||
	    !w->factor || !w->level || !w->fresh || !w->below || !w->lost)
		return false;
	while (1ull << w->read_shift < (uint64_t)pages * READS_STEP)
		w->read_shift++;
	draw(ssd);
	tabulate(ssd);
	return true;
}

void wear_free(struct ssd *ssd)
{
	struct wear *w = &ssd->wear;

	free(w->cycles);
	free(w->limit);
	free(w->reads);
	free(w->programmed_s);
	free(w->programmed_mk);
	free(w->factor);
	free(w->level);
	free(w->fresh);
	free(w->below);
	free(w->lost);
}

void wear_reset(struct ssd *ssd)
{
	struct wear *w = &ssd->wear;

	w->lost_units = 0;
	memset(w->lost, 0, ((size_t)ssd->units + 63) / 64 * sizeof(*w->lost));
}

static double rber(const struct ssd *ssd, uint32_t sb, uint64_t t)
{
	const struct ssd_config *cfg = &ssd->cfg;
	const struct wear *w = &ssd->wear;
	double pe = w->cycles[sb] / (double)WEAR_CYCLE / w->quality;
	double days = ((double)t / NS_PER_S - w->programmed_s[sb]) / DAY_S;
	double reads = (double)w->reads[sb] * cfg->geometry.page_units /
		       (sb_is_cache(ssd, sb) ? ssd->cache_units : ssd->sb_units);
	double dt_k = abs(ssd_temperature_mk(ssd) - w->programmed_mk[sb]) / 1000.0;
	double ret;

	if (reads > cfg->wear.reads_max)
		reads = cfg->wear.reads_max;
	ret = cfg->wear.epsilon + cfg->wear.alpha * pow(pe, cfg->wear.k) +
	      cfg->wear.gamma * pow(pe, cfg->wear.p) * pow(reads, cfg->wear.q);
	if (days > 0)
		ret += cfg->wear.beta * pow(pe, cfg->wear.m) * pow(days, cfg->wear.n);
	if (sb_is_cache(ssd, sb))
		ret *= cfg->wear.pslc_rber;
	return ret * (double)w->factor[sb] * (1 + cfg->wear.cross_temperature * dt_k);
}

uint32_t wear_level_of(const struct ssd *ssd, double rate)
{
	double level = floor((log2(rate / ssd->cfg.ecc.hard_rber) + BELOW) * OCTAVE + 0.5);

	/* Written so that NaN and -inf (a rate of nothing) are level 0. */
	if (!(level > 0))
		return 0;
	return level < WEAR_LEVELS ? (uint32_t)level : WEAR_LEVELS - 1;
}

/* The least or most worn of the free ones. */
static uint32_t extreme(const struct ssd *ssd, bool most)
{
	uint32_t best = 0, worn = 0;

	for (uint32_t i = 0; i < ssd->free_count; i++) {
		uint32_t at = ssd->free_head + i, cycles;

		at = at < ssd->superblocks ? at : at - ssd->superblocks;
		cycles = ssd->wear.cycles[ssd->free_ring[at]];
		if (i && (most ? cycles <= worn : cycles >= worn))
			continue;
		worn = cycles;
		best = at;
	}
	return best;
}

void wear_choose(struct ssd *ssd)
{
	uint32_t at, sb;

	if (ssd->cfg.wear.level_free != WEAR_FREE_LEAST || !ssd->free_count)
		return;
	/* Data that were found to be cold go to where the least wear is left. */
	at = extreme(ssd, ssd->refresh.moving);
	sb = ssd->free_ring[at];
	ssd->free_ring[at] = ssd->free_ring[ssd->free_head];
	ssd->free_ring[ssd->free_head] = sb;
}

void wear_open(struct ssd *ssd, uint32_t sb, uint64_t t)
{
	struct wear *w = &ssd->wear;

	w->reads[sb] = 0;
	w->programmed_s[sb] = (uint32_t)(t / NS_PER_S);
	w->programmed_mk[sb] = ssd_temperature_mk(ssd);
	w->level[sb] = w->fresh[sb] = (uint8_t)wear_level_of(ssd, rber(ssd, sb, t));
	if (ssd->cfg.wear.level_spread && ++w->opens >= LOOK_OPENS) {
		w->opens = 0;
		refresh_wake(ssd, t);
	}
}

bool wear_erase(struct ssd *ssd, uint32_t sb)
{
	struct wear *w = &ssd->wear;
	uint32_t cost = ssd->cfg.wear.acceleration * WEAR_CYCLE;

	if (sb_is_cache(ssd, sb))
		cost = (uint32_t)(cost * ssd->cfg.wear.pslc_factor + 0.5);
	w->cycles[sb] += cost;
	if (w->cycles[sb] < w->limit[sb] || ssd->read_only)
		return false;
	w->retired++;
	if (ssd->superblocks - w->retired < ssd_superblocks_needed(&ssd->cfg))
		ssd->read_only = true;
	return true;
}

bool wear_purge(struct ssd *ssd, uint32_t sb)
{
	if (ssd->sb_state[sb] == SB_RETIRED)
		return true;
	return ssd->sb_state[sb] != SB_FREE && wear_erase(ssd, sb);
}

/* What a page takes: 0 .. steps retries, steps + 1: soft decoding, steps + 2: lost. */
static uint32_t outcome(const struct ssd *ssd, uint32_t sb, uint32_t page)
{
	const struct wear *w = &ssd->wear;
	uint64_t place = (uint64_t)sb * (ssd->sb_units / ssd->cfg.geometry.page_units) + page;
	uint64_t draw = rng_mix(w->salt ^ (place << 32 | w->cycles[sb])) >> 32;
	const uint64_t *below = w->below[w->level[sb]];
	uint32_t last = ssd->cfg.ecc.retry_steps + 1, i = 0;

	while (i <= last && draw >= below[i])
		i++;
	return i;
}

/* Count the reads of some pages; at times they make the level worse. */
static void disturb(struct ssd *ssd, uint32_t sb, uint32_t pages, uint64_t t)
{
	struct wear *w = &ssd->wear;
	uint32_t was = w->reads[sb];

	w->reads[sb] = was + pages < was ? was : was + pages;
	if (!((was ^ w->reads[sb]) >> w->read_shift))
		return;
	w->level[sb] = (uint8_t)wear_level_of(ssd, rber(ssd, sb, t));
	if (w->level[sb] >= ssd->refresh.level)
		refresh_wake(ssd, t);
}

uint64_t wear_read(struct ssd *ssd, uint32_t sb, uint32_t off, uint32_t n, uint32_t die, uint64_t t)
{
	const struct ssd_config *cfg = &ssd->cfg;
	uint64_t read_ns = sb_is_cache(ssd, sb) ? cfg->pslc.nand.read_ns : cfg->nand.read_ns;
	struct wear *w = &ssd->wear;
	uint32_t size = cfg->geometry.page_units, steps = cfg->ecc.retry_steps, units = 0;
	uint32_t first = off / size, last = (off + n - 1) / size;
	uint64_t longest = 0;

	disturb(ssd, sb, last - first + 1, t);
	if (w->level[sb] < w->quiet_level)
		return 0;
	for (uint32_t page = first; page <= last; page++) {
		uint32_t from = page == first ? off : page * size;
		uint32_t to = page == last ? off + n : (page + 1) * size;
		uint32_t what = outcome(ssd, sb, page), retries = what > steps ? steps : what;
		uint32_t passes = retries;
		uint64_t cost = retries * cfg->ecc.retry_ns;

		if (!what)
			continue;
		ssd->stats.retries += retries;
		if (what > steps) {
			passes += cfg->ecc.soft_reads;
			cost += cfg->ecc.soft_ns;
			ssd->stats.soft_decodes++;
		}
		if (what > steps + 1) {
			ssd->stats.uncorrectable++;
			w->read_lost = true;
		}
		cost += passes * (read_ns + (to - from) * cfg->channel_unit_ns);
		units += passes * (to - from);
		ssd->nand.page_reads += passes;
		longest = max_ns(longest, cost);
	}
	/* Its planes wait for the slowest page; the channel carries them all. */
	if (units)
		nand_transfer(&ssd->nand, die, t, 0, units);
	return longest;
}

void wear_copy(struct ssd *ssd, uint32_t sb, const uint32_t *not_unit, uint32_t n)
{
	struct wear *w = &ssd->wear;

	if (w->level[sb] < w->lossy_level)
		return;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t unit = ~not_unit[i], off = ~ssd->not_l2p[unit] - sb * ssd->sb_units;
		uint64_t bit = 1ull << (unit & 63);

		if (w->lost[unit >> 6] & bit)
			continue;
		if (outcome(ssd, sb, off / ssd->cfg.geometry.page_units) <
		    ssd->cfg.ecc.retry_steps + 2)
			continue;
		w->lost[unit >> 6] |= bit;
		w->lost_units++;
	}
}

void wear_heal(struct ssd *ssd, uint32_t unit, uint32_t n)
{
	struct wear *w = &ssd->wear;

	for (uint32_t u = unit; u < unit + n; u++) {
		uint64_t bit = 1ull << (u & 63);

		w->lost_units -= (w->lost[u >> 6] & bit) != 0;
		w->lost[u >> 6] &= ~bit;
	}
}

bool wear_is_lost(const struct ssd *ssd, uint32_t unit, uint32_t n)
{
	for (uint32_t u = unit; u < unit + n; u++)
		if (ssd->wear.lost[u >> 6] >> (u & 63) & 1)
			return true;
	return false;
}

void wear_levels(struct ssd *ssd, uint64_t t)
{
	struct wear *w = &ssd->wear;

	w->levels_mk = ssd_temperature_mk(ssd);
	for (uint32_t sb = 0; sb < ssd->superblocks; sb++)
		if (ssd->sb_state[sb] != SB_FREE && ssd->sb_state[sb] != SB_RETIRED)
			w->level[sb] = (uint8_t)wear_level_of(ssd, rber(ssd, sb, t));
}

void wear_used(struct ssd *ssd)
{
	struct wear *w = &ssd->wear;
	uint64_t cycles =
		ssd->stats.erases * WEAR_CYCLE / ssd->superblocks * ssd->cfg.wear.acceleration;

	for (uint32_t sb = 0; sb < ssd->superblocks; sb++) {
		uint64_t left = w->limit[sb] > w->cycles[sb] ? w->limit[sb] - w->cycles[sb] : 0;

		/* No more than all: what is beyond its end fails when it is erased next. */
		w->cycles[sb] += (uint32_t)(cycles < left ? cycles : left);
		w->programmed_mk[sb] = ssd_temperature_mk(ssd);
	}
	wear_levels(ssd, 0);
	memcpy(w->fresh, w->level, ssd->superblocks * sizeof(*w->fresh));
}

void wear_tell(const struct ssd *ssd, struct ssd_stats *ret)
{
	const struct wear *w = &ssd->wear;
	uint32_t least = UINT32_MAX, most = 0;
	uint64_t sum = 0;

	for (uint32_t sb = 0; sb < ssd->superblocks; sb++) {
		least = w->cycles[sb] < least ? w->cycles[sb] : least;
		most = w->cycles[sb] > most ? w->cycles[sb] : most;
		sum += w->cycles[sb];
	}
	ret->pe_min = least / (double)WEAR_CYCLE;
	ret->pe_max = most / (double)WEAR_CYCLE;
	ret->pe_mean = (double)sum / WEAR_CYCLE / ssd->superblocks;
	ret->wear_pct = 100 * ret->pe_mean /
			(ssd->cfg.wear.rated ? ssd->cfg.wear.rated : ssd->cfg.wear.endurance);
	ret->retired_superblocks = w->retired;
	ret->unreadable_units = w->lost_units;
}
