/* SPDX-License-Identifier: MIT */
#include "ssd/ftl.h"

#include "ssd/buffer.h"
#include "ssd/compress.h"
#include "ssd/gc-policy.h"
#include "ssd/gc.h"
#include "ssd/tags.h"

#define ERASE_SUPERBLOCKS 4u
#define ERASE_BREAK 3u
#define GATHER (FTL_AHEAD / 2)

static uint32_t least_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void group_refresh(struct ssd *ssd, uint32_t group)
{
	uint32_t end = (group + 1) * GROUP, least = UINT32_MAX;

	if (end > ssd->superblocks)
		end = ssd->superblocks;
	for (uint32_t sb = group * GROUP; sb < end; sb++)
		if (ssd->key[sb] < least)
			least = ssd->key[sb];
	ssd->group_min[group] = least;
	if (ssd->group_oldest)
		gc_policy_refresh(ssd, group);
}

void ftl_set_state(struct ssd *ssd, uint32_t sb, enum sb_state state)
{
	uint32_t valid = ssd->key[sb] & ~KEY_INELIGIBLE;

	ssd->sb_state[sb] = (uint8_t)state;
	ssd->key[sb] = state == SB_MAIN ? valid : valid | KEY_INELIGIBLE;
	group_refresh(ssd, sb / GROUP);
}

void ftl_reset(struct ssd *ssd)
{
	ssd->free_head = ssd->free_count = 0;
	memory_zero(&ssd->l2p_memory);
	memory_zero(&ssd->p2l_memory);
	memory_zero(&ssd->written_memory);
	for (uint32_t sb = 0; sb < ssd->superblocks; sb++) {
		bool retired = ssd->has_wear && wear_purge(ssd, sb);

		ssd->key[sb] = KEY_INELIGIBLE;
		ssd->sb_state[sb] = retired ? SB_RETIRED : SB_FREE;
		ssd->sb_written[sb] = 0;
		ssd->sb_closed[sb] = 0;
		if (!retired)
			ssd->free_ring[ssd->free_count++] = sb;
	}
	for (uint32_t g = 0; g < ssd->groups; g++)
		group_refresh(ssd, g);
	ssd->cache_head = ssd->cache_closed = ssd->cache_blocks = 0;
	for (int i = 0; i < STREAMS; i++) {
		bool cache = i == STREAM_CACHE;

		ssd->stream[i] = (struct stream){
			.sb = NONE,
			.limit = cache ? ssd->cache_units : ssd->sb_units,
			.program_units = cache ? ssd->cfg.pslc.nand.program_units
					       : ssd->cfg.nand.program_units,
		};
	}
	ssd->gc.sb = ssd->fold.sb = ssd->campaign.sb = NONE;
	ssd->gc_credit = ssd->fold_credit_q16 = 0;
	ssd->folding = false;
	ssd->close_count = 0;
	ssd->erased_units = 0;
}

void ftl_open(struct ssd *ssd, enum stream_id id, uint64_t t)
{
	struct stream *s = &ssd->stream[id];
	uint32_t sb;

	if (id != STREAM_GC)
		gc_erase_empty(ssd);
	if (id == STREAM_HOST || id == STREAM_FOLD)
		gc_make_room(ssd, t);
	if (s->sb != NONE)
		return; /* collection shares the stream (gc.mixed) and has opened one */
	/* The reserve (gc.low) and the spare that ssd_config_check() demands make this hold. */
	assert(ssd->free_count > 0 && "simulated drive ran out of free superblocks");
	if (ssd->has_wear)
		wear_choose(ssd);
	sb = ssd->free_ring[ssd->free_head];
	if (++ssd->free_head == ssd->superblocks)
		ssd->free_head = 0;
	ssd->free_count--;
	assert(ssd->sb_state[sb] == SB_FREE);
	ftl_set_state(ssd, sb, id == STREAM_CACHE ? SB_CACHE_OPEN : SB_OPEN);
	if (id == STREAM_CACHE)
		ssd->cache_blocks++;
	if (ssd->has_wear)
		wear_open(ssd, sb, t);
	s->sb = sb;
	s->base = sb * ssd->sb_units;
	s->off = 0;
	s->partial = s->stored = 0;
}

static void stream_close(struct ssd *ssd, struct stream *s, bool cache)
{
	ssd->sb_written[s->sb] = s->off;
	ssd->sb_closed[s->sb] = ++ssd->close_count;
	ftl_set_state(ssd, s->sb, cache ? SB_CACHE : SB_MAIN);
	if (cache) {
		uint32_t tail = ssd->cache_head + ssd->cache_closed++;

		ssd->cache_ring[tail < ssd->superblocks ? tail : tail - ssd->superblocks] = s->sb;
	}
	s->sb = NONE;
}

void ftl_erase_some(struct ssd *ssd, uint64_t t)
{
	uint32_t dies = ssd->cfg.geometry.dies;
	uint64_t step = max_ns(ssd->cfg.nand.erase_ns, 1);

	while (ssd->erase_debt_ns > ERASE_SUPERBLOCKS * step * dies) {
		for (uint32_t die = 0; die < dies; die++)
			nand_give(&ssd->nand, die, NAND_ERASE, t, t, step);
		ssd->erase_debt_ns -= step * dies;
	}
	if (!ssd->erase_debt_ns || ssd->erase_next_ns > t)
		return;
	if (step > ssd->erase_debt_ns)
		step = ssd->erase_debt_ns;
	ssd->erase_die = ssd->erase_die + 1 < dies ? ssd->erase_die + 1 : 0;
	ssd->erase_next_ns =
		nand_give(&ssd->nand, ssd->erase_die, NAND_ERASE, t, t, step) + ERASE_BREAK * step;
	ssd->erase_debt_ns -= step;
}

/* The program unit that ends at the write pointer is complete: to its die, by way of its channel. */
static uint64_t stream_program(struct ssd *ssd, enum stream_id id, uint64_t t, uint64_t from_ns)
{
	struct stream *s = &ssd->stream[id];
	const struct nand_timing *timing =
		id == STREAM_CACHE ? &ssd->cfg.pslc.nand : &ssd->cfg.nand;
	uint32_t die = (s->off / s->program_units - 1) % ssd->cfg.geometry.dies;
	uint64_t program_ns = timing->program_ns,
		 move_ns = ssd->cfg.channel_unit_ns * s->program_units;
	uint64_t done = 0;

	if (ssd->stored) {
		program_ns = compress_cost(s, program_ns);
		move_ns = compress_cost(s, move_ns);
		ssd->stored_sum += s->stored;
		s->stored = 0;
	}
	ssd->stats.nand_units += s->program_units;
	if (id == STREAM_CACHE)
		ssd->stats.cache_nand_units += s->program_units;
	s->partial = 0;
	s->done_ns = 0;
	if (!ssd->quiet) {
		if (ssd->erase_debt_ns)
			ftl_erase_some(ssd, t);
		from_ns = nand_occupy(&ssd->nand, die, t, from_ns, move_ns);
		done = nand_program(&ssd->nand, die, t, from_ns, program_ns);
		s->done_ns = done;
	}
	if (s->off == s->limit)
		stream_close(ssd, s, id == STREAM_CACHE);
	return done;
}

static void mark_written(struct ssd *ssd, uint32_t unit, uint32_t n)
{
	for (uint32_t end = unit + n, next; unit < end; unit = next) {
		uint64_t *word = &ssd->ever_written[unit / 64], bits = UINT64_MAX << unit % 64;

		next = (unit / 64 + 1) * 64;
		if (next > end) {
			bits &= UINT64_MAX >> (next - end);
			next = end;
		}
		ssd->stats.written_units += (uint64_t)__builtin_popcountll(bits & ~*word);
		*word |= bits;
	}
}

void ftl_close(struct ssd *ssd, enum stream_id id)
{
	stream_close(ssd, &ssd->stream[id], id == STREAM_CACHE);
}

/* Whether n entries of the map are alike: NONE, or the same neighbouring positions. */
static bool is_run(const uint32_t *not_l2p, uint32_t n)
{
	uint32_t step = not_l2p[0] ? 1 : 0, differ = 0;

	for (uint32_t i = 0; i < n; i++)
		differ |= (not_l2p[i] + i * step) ^ not_l2p[0];
	return !differ;
}

/*
 * n neighbouring units lose their old places, each counted off where it was. Returns how many had none. Mostly
 * they are alike, and then this costs no more than to see it.
 */
static uint32_t unmap(struct ssd *ssd, const uint32_t *not_l2p, uint32_t n)
{
	uint32_t sb = 0, base = 0, gone = 0, none = 0;

	if (is_run(not_l2p, n)) {
		if (!not_l2p[0])
			return n;
		sb = ssd_sb_of(ssd, ~not_l2p[0]);
		if (sb == ssd_sb_of(ssd, ~not_l2p[n - 1])) {
			ftl_invalidate(ssd, sb, n);
			return 0;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t old = ~not_l2p[i];

		if (old == NONE) {
			none++;
			continue;
		}
		/* Old copies in one superblock are counted off together. */
		if (gone && old - base < ssd->sb_units) {
			gone++;
			continue;
		}
		if (gone)
			ftl_invalidate(ssd, sb, gone);
		sb = ssd_sb_of(ssd, old);
		base = sb * ssd->sb_units;
		gone = 1;
	}
	if (gone)
		ftl_invalidate(ssd, sb, gone);
	return none;
}

void ftl_unmap(struct ssd *ssd, uint32_t unit, uint32_t n)
{
	if (ssd->wear.lost_units)
		wear_heal(ssd, unit, n);
	for (uint32_t end = unit + n, k; unit < end; unit += k) {
		uint32_t *not_l2p = ssd->not_l2p + unit;

		k = least_of(end - unit, 64);
		ssd->stats.mapped_units -= k - unmap(ssd, not_l2p, k);
		/* What is not written stays untouched memory. */
		for (uint32_t i = 0; i < k; i++)
			if (not_l2p[i])
				not_l2p[i] = 0;
	}
}

/* What the n units that are placed from ppn on carry. */
static void carry(struct ssd *ssd, struct stream *s, uint32_t ppn, uint32_t n)
{
	if (ssd->has_tags)
		tags_place(ssd, ppn, n);
	if (ssd->stored)
		compress_place(ssd, s, ppn, n);
}

/* What the valid ones of n positions carry goes with them to the stream. Returns their stored size. */
static uint32_t carry_copies(struct ssd *ssd, struct stream *s, uint32_t from, uint32_t n)
{
	uint32_t to = s->base + s->off, before = s->stored;

	for (uint32_t i = from; i < from + n; i++) {
		uint32_t not_unit = ssd->not_p2l[i];

		if (ssd->not_l2p[not_unit ? ~not_unit : 0] != ~i)
			continue;
		if (ssd->has_tags)
			ssd->tag[to] = ssd->tag[i];
		if (ssd->stored) {
			ssd->stored[to] = ssd->stored[i];
			s->stored += ssd->stored[i];
		}
		to++;
	}
	return s->stored - before;
}

uint64_t ftl_place(struct ssd *ssd, enum stream_id id, uint32_t unit, uint32_t n, uint64_t t,
		   uint64_t from_ns)
{
	struct stream *s = &ssd->stream[id];
	uint32_t to = ~(s->base + s->off), none;
	uint32_t *not_l2p = ssd->not_l2p + unit, *not_p2l = ssd->not_p2l + s->base + s->off;

	if (ssd->wear.lost_units)
		wear_heal(ssd, unit, n);
	none = unmap(ssd, not_l2p, n);
	if (none) {
		ssd->stats.mapped_units += none;
		mark_written(ssd, unit, n);
	}
	for (uint32_t i = 0; i < n; i++) {
		not_l2p[i] = to - i;
		not_p2l[i] = ~unit - i;
	}
	if (ssd->carries)
		carry(ssd, s, ~to, n);
	ssd->key[s->sb] += n;
	s->off += n;
	s->partial += n;
	return s->partial == s->program_units ? stream_program(ssd, id, t, from_ns) : 0;
}

uint64_t ftl_pad(struct ssd *ssd, enum stream_id id, uint64_t t)
{
	struct stream *s = &ssd->stream[id];
	uint32_t room = ftl_room(s);

	if (s->sb == NONE || !s->partial)
		return 0;
	for (uint32_t i = 0; i < room; i++)
		ssd->not_p2l[s->base + s->off + i] = ~NONE;
	s->off += room;
	s->stored += room * STORED_ALL;
	ssd->stats.pad_units += room;
	return stream_program(ssd, id, t, t);
}

/* Ask the memory for the map of the next positions. (Beyond the map, from padding, that does no harm.) */
static void cursor_ask(const struct ssd *ssd, struct cursor *c)
{
	const uint32_t *not_p2l = ssd->not_p2l + (size_t)c->sb * ssd->sb_units + c->asked;

	for (uint32_t i = 0; i < FTL_AHEAD; i++)
		__builtin_prefetch(&ssd->not_l2p[~not_p2l[i]], 1);
	c->asked += FTL_AHEAD;
}

void ftl_cursor_open(struct ssd *ssd, struct cursor *c, uint32_t sb)
{
	mapcache_next_victim(&ssd->map);
	*c = (struct cursor){ .sb = sb, .written = ssd->sb_written[sb] };
	cursor_ask(ssd, c);
}

/* The page at the position is the next to look at. */
static void cursor_turn(const struct ssd *ssd, struct cursor *c)
{
	const struct nand_timing *timing =
		sb_is_cache(ssd, c->sb) ? &ssd->cfg.pslc.nand : &ssd->cfg.nand;

	c->die = c->position / timing->program_units % ssd->cfg.geometry.dies;
	c->page_end = (c->position / ssd->page_all + 1) * ssd->page_all;
	c->is_read = false;
}

/*
 * Fetch n units of the page (of so much stored size), and the page first unless it was. Returns when the last
 * of them is there.
 */
static uint64_t cursor_read(struct ssd *ssd, struct cursor *c, uint32_t n, uint32_t stored,
			    uint64_t t)
{
	uint64_t ready = t;

	if (!c->is_read) {
		uint64_t read_ns = sb_is_cache(ssd, c->sb) ? ssd->cfg.pslc.nand.read_ns
							   : ssd->cfg.nand.read_ns;
		uint64_t there;

		if (ssd->has_wear)
			read_ns += wear_read(ssd, c->sb, c->page_end - ssd->page_all, ssd->page_all,
					     c->die, t);
		there = nand_read(&ssd->nand, c->die, PLANE_ALL, t, t, read_ns);
		c->is_read = true;
		if (n == 1)
			ready = there;
	}
	if (ssd->stored)
		return nand_occupy(&ssd->nand, c->die, t, ready,
				   ssd->cfg.channel_unit_ns * stored / STORED_ALL);
	return nand_transfer_each(&ssd->nand, c->die, t, ready, n);
}

/*
 * Which of n positions from `from` on are valid: their units, complemented, go to `out` (as many places).
 * Without a branch on validity, which no processor can predict. A position of padding looks up unit 0, which
 * is not mapped there.
 */
static inline uint32_t gather(const struct ssd *ssd, uint32_t from, uint32_t n, uint32_t *out)
{
	const uint32_t *not_p2l = ssd->not_p2l + from, *not_l2p = ssd->not_l2p;
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t not_unit = not_p2l[i];

		out[count] = not_unit;
		count += not_l2p[not_unit ? ~not_unit : 0] == ~(from + i);
	}
	return count;
}

/* Move gathered units to a stream that has room for them. */
static void scatter(struct ssd *ssd, struct stream *s, const uint32_t *not_unit, uint32_t n)
{
	uint32_t *not_p2l = ssd->not_p2l + s->base + s->off, to = ~(s->base + s->off);

	for (uint32_t i = 0; i < n; i++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): gather() wrote n */
		ssd->not_l2p[~not_unit[i]] = to - i;
		not_p2l[i] = not_unit[i];
	}
	ssd->key[s->sb] += n;
	s->off += n;
	s->partial += n;
}

uint32_t ftl_cursor_run(struct ssd *ssd, struct cursor *c, enum stream_id id, uint32_t n,
			uint32_t most, uint64_t t)
{
	struct stream *s = &ssd->stream[id];
	uint32_t base = c->sb * ssd->sb_units, end = c->position + n, moved = 0;

	assert(end <= c->written);
	while (c->position < end && moved < most) {
		uint32_t not_unit[GATHER], count, look, stored = 0;
		uint64_t ready = t;

		if (c->position == c->page_end)
			cursor_turn(ssd, c);
		if (c->position + FTL_AHEAD / 2 >= c->asked)
			cursor_ask(ssd, c);
		/* So few that all fit, if valid: in the page, the program unit, and what may be moved. */
		look = least_of(least_of(end, c->page_end) - c->position, GATHER);
		look = least_of(look, least_of(ftl_room(s), most - moved));
		count = gather(ssd, base + c->position, look, not_unit);
		if (count) {
			if (s->sb == NONE)
				ftl_open(ssd, id, t);
			if (ssd->carries)
				stored = carry_copies(ssd, s, base + c->position, look);
			if (!ssd->quiet) {
				ready = cursor_read(ssd, c, count, stored, t);
				if (ssd->cfg.fw.copy_ns)
					fw_take(ssd, t, count * ssd->cfg.fw.copy_ns);
			}
			if (ssd->has_wear)
				wear_copy(ssd, c->sb, not_unit, count);
			if (ssd->moves_look_up)
				mapcache_move(ssd, not_unit, count, t);
			scatter(ssd, s, not_unit, count);
			ssd->key[c->sb] -= count;
			moved += count;
		}
		c->position += look;
		if (count && s->partial == s->program_units) {
			uint64_t done = stream_program(ssd, id, t, ready);

			if (id == STREAM_HOST) /* gc.mixed: it may carry units of the host */
				buffer_programmed(ssd, id, done);
		}
	}
	return moved;
}

void ftl_erase(struct ssd *ssd, uint32_t sb)
{
	bool cache = sb_is_cache(ssd, sb);
	uint64_t erase_ns = cache ? ssd->cfg.pslc.nand.erase_ns : ssd->cfg.nand.erase_ns;
	uint32_t tail = ssd->free_head + ssd->free_count;
	bool retired = ssd->has_wear && wear_erase(ssd, sb);

	assert((ssd->key[sb] & ~KEY_INELIGIBLE) == 0);
	ssd->erased_units += ssd->sb_written[sb];
	ssd->sb_written[sb] = 0;
	if (cache)
		ssd->cache_blocks--;
	ftl_set_state(ssd, sb, retired ? SB_RETIRED : SB_FREE);
	if (!retired) {
		ssd->free_ring[tail < ssd->superblocks ? tail : tail - ssd->superblocks] = sb;
		ssd->free_count++;
	}
	ssd->stats.erases++;
	if (!ssd->quiet)
		ssd->erase_debt_ns += erase_ns * ssd->cfg.geometry.dies;
}
