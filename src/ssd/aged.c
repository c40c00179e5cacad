/* SPDX-License-Identifier: MIT */
#include "ssd/aged.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/permute.h"
#include "ssd/compress.h"
#include "ssd/ftl.h"
#include "ssd/gc-clean.h"

#define RNG_STREAM_AGED (1ull << 33)
#define STEADY_DRIVE_WRITES 4.0
/*
 * Where little is spare, each host write moves many units, and the same change of all superblocks comes with fewer
 * of them: nothing changes any more after the flash was written so often, either.
 */
#define STEADY_TURNOVERS 24.0
#define MINIATURE_MAX 1024u
#define CHUNK 64u

/* A superblock of the miniature. */
struct rank {
	uint64_t closed;
	uint32_t valid;
};

struct pattern {
	struct rank *rank; /* oldest first */
	uint32_t count, units;
	uint32_t free;	     /* superblocks */
	double drive_writes; /* that the miniature saw */
	double copied;	     /* by collection until then, of the drive's units */
	double copied_each;  /* and at its end, per drive write */
};

double aged_drive_writes(const struct ssd_config *cfg)
{
	return cfg->aged.drive_writes +
	       cfg->aged.days * (double)cfg->aged.bytes_per_day / (double)cfg->capacity_bytes;
}

/* Superblocks that never hold closed data in the steady state: the free reserve and the open ones. */
static uint32_t held_back(const struct ssd_config *cfg)
{
	return cfg->gc.low + (cfg->gc.mixed ? 1 : 2);
}

static uint32_t at_most(uint64_t value, uint32_t most)
{
	return value < most ? (uint32_t)value : most;
}

static int miniature_new(struct ssd **ret, const struct ssd *ssd, struct err *err)
{
	uint32_t held = held_back(&ssd->cfg) + ssd->cache_reserve;
	uint32_t main = ssd->superblocks > held ? ssd->superblocks - held : 0;
	struct ssd_config cfg;
	double valid = (double)ssd->units / ((double)main * ssd->sb_units);

	if (!main || valid >= 1)
		return err_set(err, -EINVAL,
			       "aged: no spare beside the free reserve and the open superblocks");
	memset(&cfg, 0, sizeof(cfg));
	param_defaults(ssd_params, &cfg);
	cfg.seed = ssd->cfg.seed;
	cfg.cell = CELL_SLC;
	cfg.gc = ssd->cfg.gc;
	cfg.gc.pacing = PACING_PACED;
	cfg.gc.idle_bytes_per_s = 0;
	cfg.geometry.channels = cfg.geometry.dies = cfg.geometry.planes = 1;
	cfg.geometry.superblock_units = at_most(ssd->sb_units, MINIATURE_MAX);
	/* Few and large programs, for speed. */
	cfg.nand.program_units = 16;
	while (cfg.geometry.superblock_units % cfg.nand.program_units)
		cfg.nand.program_units /= 2;
	cfg.geometry.page_units = cfg.nand.program_units;
	main = at_most(main, MINIATURE_MAX);
	cfg.geometry.superblocks = main + held_back(&ssd->cfg);
	cfg.capacity_bytes =
		(uint64_t)(main * valid * cfg.geometry.superblock_units) * SSD_UNIT_BYTES;
	if (ssd_new(ret, &cfg, err) < 0) {
		err_prefix(err, "aged");
		return -EINVAL;
	}
	return 0;
}

/* Write the miniature as the drive was. */
static void miniature_write(struct ssd *mini, double drive_writes, struct pattern *p)
{
	uint64_t n = (uint64_t)(fmin(drive_writes, STEADY_DRIVE_WRITES) * mini->units);
	uint64_t done = 0, batch = mini->units / 16 + 1, before = 0;
	struct ssd_times t = { 0, 0, 0, 0 };
	struct rng rng;

	rng_init(&rng, mini->cfg.seed, RNG_STREAM_AGED);
	for (uint32_t unit = 0, k; unit < mini->units; unit += k) {
		k = at_most(mini->units - unit, CHUNK);
		ssd_write(mini, t.done_ns, unit, k, NULL, &t);
	}
	while (done < n && (double)mini->stats.nand_units < STEADY_TURNOVERS * mini->units) {
		if (batch > n - done)
			batch = n - done;
		before = mini->stats.gc_units;
		for (uint64_t i = 0; i < batch; i++)
			ssd_write(mini, t.done_ns, (uint32_t)rng_below(&rng, mini->units), 1, NULL,
				  &t);
		done += batch;
	}
	p->drive_writes = (double)done / mini->units;
	p->copied = (double)mini->stats.gc_units / mini->units;
	p->copied_each = (double)(mini->stats.gc_units - before) / (double)batch;
	p->units = mini->sb_units;
	p->free = mini->free_count;
}

static int older(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	return (x->closed > y->closed) - (x->closed < y->closed);
}

/* Closed superblocks in the order in which they were closed. */
static int pattern_take(struct pattern *p, const struct ssd *mini)
{
	p->rank = calloc(mini->superblocks, sizeof(*p->rank));
	if (!p->rank)
		return -ENOMEM;
	for (uint32_t sb = 0; sb < mini->superblocks; sb++)
		if (mini->sb_state[sb] == SB_MAIN)
			p->rank[p->count++] = (struct rank){ mini->sb_closed[sb], mini->key[sb] };
	qsort(p->rank, p->count, sizeof(*p->rank), older);
	return 0;
}

/* Valid units of each of n superblocks, the oldest first, units in all. */
static void stretch(const struct ssd *ssd, const struct pattern *p, struct rng *rng,
		    uint32_t *valid, uint32_t n)
{
	uint32_t b = ssd->sb_units;
	uint64_t sum = 0;

	/* The youngest is full: it stands for the two that are open in the miniature. */
	sum = valid[n - 1] = b;
	for (uint32_t i = 0; i < n - 1; i++) {
		const struct rank *from = &p->rank[(uint64_t)i * p->count / (n - 1)];

		/* Between two counts of the miniature lie many of the drive. */
		valid[i] = at_most(((uint64_t)from->valid * b + rng_below(rng, b)) / p->units, b);
		sum += valid[i];
	}
	/* What rounding leaves, and the victim of the miniature, is young data. */
	for (uint32_t i = n; sum<ssd->units; i = i> 1 ? i - 1 : n) {
		uint32_t more = at_most(ssd->units - sum, b - valid[i - 1]);

		valid[i - 1] += more;
		sum += more;
	}
	for (uint32_t i = n; sum > ssd->units; i = i > 1 ? i - 1 : n) {
		uint32_t less = at_most(sum - ssd->units, (valid[i - 1] + 1) / 2);

		valid[i - 1] -= less;
		sum -= less;
	}
}

/* Units on their way to their places: memory is asked for them a chunk ahead. */
struct chunk {
	uint32_t ppn[CHUNK], unit[CHUNK], n;
};

static void chunk_lay(struct ssd *ssd, const struct chunk *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		ssd->not_l2p[c->unit[i]] = ~c->ppn[i];
		ssd->not_p2l[c->ppn[i]] = ~c->unit[i];
	}
}

/*
 * Lay the next units of the permutation to random positions of a superblock (each subset of positions is equally
 * likely: D. Knuth, TAOCP 2, 3.4.2, algorithm S). Returns the place in the permutation behind them.
 */
static uint64_t lay(struct ssd *ssd, uint32_t sb, uint32_t valid, const struct permute *order,
		    uint64_t place, struct rng *rng)
{
	uint32_t b = ssd->sb_units, base = sb * b, need = valid;
	struct chunk chunk[2] = { 0 };
	unsigned k = 0;

	for (uint32_t off = 0; off < b && need; k = !k) {
		struct chunk *c = &chunk[k];

		c->n = 0;
		/* No branch: whether a position is taken cannot be foreseen. */
		for (uint32_t end = at_most(b, off + CHUNK); off < end; off++) {
			uint32_t taken = rng_below(rng, b - off) < need;

			c->ppn[c->n] = base + off;
			c->n += taken;
			need -= taken;
		}
		for (uint32_t i = 0; i < c->n; i++)
			c->unit[i] = (uint32_t)permute_at(order, place++);
		/* Close together: page walks overlap then (docs/ssd-speed.md). */
		for (uint32_t i = 0; i < c->n; i++)
			__builtin_prefetch(&ssd->not_l2p[c->unit[i]], 1);
		chunk_lay(ssd, &chunk[!k]);
	}
	chunk_lay(ssd, &chunk[!k]);
	if (ssd->stored)
		memset(ssd->stored + base, STORED_ALL, b);
	if (ssd->has_wear)
		wear_open(ssd, sb, 0);
	ssd->key[sb] = valid | KEY_INELIGIBLE;
	ssd->sb_written[sb] = b;
	ssd->sb_closed[sb] = ++ssd->close_count;
	ftl_set_state(ssd, sb, SB_MAIN);
	return place;
}

/* The counters of a drive on which that was written. */
static void count(struct ssd *ssd, const struct pattern *p, double drive_writes, uint32_t n)
{
	double beyond = drive_writes - p->drive_writes, units = ssd->units;
	uint64_t placed = (uint64_t)n * ssd->sb_units;
	struct ssd_stats *s = &ssd->stats;

	s->host_write_units = (uint64_t)(units * (1 + drive_writes));
	s->gc_units = (uint64_t)(units * (p->copied + beyond * p->copied_each));
	s->nand_units = s->host_write_units + s->gc_units;
	/* Superblocks that would be open are closed here. */
	if (s->nand_units < placed) {
		s->pad_units = placed - s->nand_units;
		s->nand_units = placed;
	}
	ssd->stored_sum = s->nand_units * STORED_ALL;
	s->mapped_units = s->written_units = ssd->units;
	ssd->erased_units = s->nand_units - placed;
	s->erases = ssd->erased_units / ssd->sb_units;
	memset(ssd->ever_written, 0xff, ssd->units / 64 * sizeof(*ssd->ever_written));
	if (ssd->units % 64)
		ssd->ever_written[ssd->units / 64] = UINT64_MAX >> (64 - ssd->units % 64);
	/* Campaigns were, too. */
	if (s->host_write_units >= ssd->campaign_next_units) {
		uint64_t every = ssd->cfg.campaign.every_bytes / SSD_UNIT_BYTES;

		ssd->campaign_next_units +=
			((s->host_write_units - ssd->campaign_next_units) / every + 1) * every;
	}
}

static int apply_pattern(struct ssd *ssd, const struct pattern *p, double drive_writes,
			 struct err *err)
{
	/* One more free than the reserve: the next that is opened sets collection to work. */
	uint32_t reserve = ssd->cfg.gc.low + 1, n = ssd->superblocks - ssd->cache_reserve;
	_cleanup_free_ uint32_t *valid = calloc(ssd->superblocks, sizeof(*valid));
	struct permute order;
	struct rng rng;
	uint64_t place = 0;

	if (!valid)
		return err_set(err, -ENOMEM, "no memory to age a simulated drive");
	/* Before the spare is used up there are as many more as in the miniature, by share. */
	if (p->free > reserve)
		n -= (uint32_t)((uint64_t)(p->free - reserve) * (n - reserve) /
				(p->count + p->free - reserve));
	n -= reserve;
	rng_init(&rng, ssd->cfg.seed, RNG_STREAM_AGED + 1);
	permute_init(&order, ssd->units, rng_u64(&rng));
	stretch(ssd, p, &rng, valid, n);
	count(ssd, p, drive_writes, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t sb = ssd->free_ring[ssd->free_head];

		ssd->free_head = (ssd->free_head + 1) % ssd->superblocks;
		ssd->free_count--;
		place = lay(ssd, sb, valid[i], &order, place, &rng);
	}
	assert(place == ssd->units);
	return 0;
}

int aged_apply(struct ssd *ssd, struct err *err)
{
	double drive_writes = aged_drive_writes(&ssd->cfg);
	struct pattern p = { 0 };
	struct ssd *mini = NULL;
	int r = miniature_new(&mini, ssd, err);

	if (r < 0)
		return r;
	assert(mini);
	miniature_write(mini, drive_writes, &p);
	r = pattern_take(&p, mini);
	ssd_free(mini);
	if (r < 0)
		return err_set(err, r, "no memory to age a simulated drive");
	r = apply_pattern(ssd, &p, drive_writes, err);
	free(p.rank);
	return r;
}
