/* SPDX-License-Identifier: MIT */
#include "ssd/fault.h"

#include <errno.h>

#include "ssd/state.h"

#define RNG_STREAM_FAULT 0x6661756c74 /* far from what the campaign counts up */
#define ANSWER_NS 100000u
#define GIVEN_UP_NS 60000000000u

void fault_init(struct ssd *ssd)
{
	const struct ssd_config *cfg = &ssd->cfg;
	struct fault *f = &ssd->fault;

	f->on = cfg->fault.read_error_p > 0 || cfg->fault.late_p > 0 || cfg->fault.stuck_p > 0 ||
		cfg->fault.bad_bytes || cfg->fault.drop_after_bytes || cfg->fault.drop_at_ns ||
		cfg->fault.cut_every_bytes;
	rng_init(&f->rng, cfg->seed, RNG_STREAM_FAULT);
	f->drop_ns = cfg->fault.drop_at_ns ? cfg->fault.drop_at_ns : UINT64_MAX;
	f->cut_next_units = cfg->fault.cut_every_bytes
				    ? (cfg->fault.cut_every_bytes - 1) / SSD_UNIT_BYTES + 1
				    : UINT64_MAX;
}

static bool refuse(struct fault *f, uint64_t now, int error, struct ssd_times *ret)
{
	f->answer_ns = max_ns(f->answer_ns, now) + ANSWER_NS;
	*ret = (struct ssd_times){
		.start_ns = now, .done_ns = f->answer_ns, .accept_ns = now, .error = error
	};
	return true;
}

static void broken(struct fault *f, uint64_t at_ns, int error)
{
	f->broken_ns = at_ns;
	f->broken_error = error;
}

bool fault_begin(struct ssd *ssd, uint64_t now, uint32_t n, bool write, struct ssd_times *ret)
{
	const struct ssd_config *cfg = &ssd->cfg;
	struct fault *f = &ssd->fault;

	f->now_ns = now;
	f->moved_units += n;
	if (f->drop_ns > now && cfg->fault.drop_after_bytes &&
	    f->moved_units > cfg->fault.drop_after_bytes / SSD_UNIT_BYTES)
		f->drop_ns = now;
	if (f->drop_ns <= now) {
		broken(f, f->drop_ns, -ENODEV);
		return refuse(f, now, -ENODEV, ret);
	}
	if (!write || (f->written_units += n) < f->cut_next_units)
		return false;
	f->cut_next_units =
		f->written_units + (cfg->fault.cut_every_bytes - 1) / SSD_UNIT_BYTES + 1;
	ssd_power_cut(ssd, now);
	broken(f, now, -EIO);
	return refuse(f, now, -EIO, ret);
}

bool fault_read(struct ssd *ssd, uint32_t unit, uint32_t n, uint64_t *done)
{
	const struct ssd_config *cfg = &ssd->cfg;
	uint64_t begin = (uint64_t)unit * SSD_UNIT_BYTES,
		 end = begin + (uint64_t)n * SSD_UNIT_BYTES;
	bool bad = cfg->fault.bad_bytes &&
		   begin < cfg->fault.bad_start_bytes + cfg->fault.bad_bytes &&
		   end > cfg->fault.bad_start_bytes;

	if (!bad && cfg->fault.read_error_p > 0)
		bad = rng_double(&ssd->fault.rng) < cfg->fault.read_error_p;
	if (!bad)
		return false;
	*done += cfg->fault.read_error_ns;
	ssd->stats.read_errors++;
	return true;
}

uint64_t fault_end(struct ssd *ssd, struct ssd_times *ret)
{
	const struct ssd_config *cfg = &ssd->cfg;
	struct fault *f = &ssd->fault;
	uint64_t free_ns;

	if (cfg->fault.late_p > 0 && rng_double(&f->rng) < cfg->fault.late_p) {
		ret->done_ns += cfg->fault.late_ns;
		ssd->stats.late_commands++;
	}
	free_ns = ret->done_ns;
	if (cfg->fault.stuck_p > 0 && rng_double(&f->rng) < cfg->fault.stuck_p) {
		ret->done_ns = UINT64_MAX;
		free_ns = ret->start_ns + GIVEN_UP_NS;
		ssd->stats.stuck_commands++;
	}
	if (f->drop_ns != UINT64_MAX && ret->done_ns >= f->drop_ns) {
		/* It will drop off before, and the time is known. */
		ret->done_ns = max_ns(f->drop_ns, f->now_ns);
		if (ret->start_ns > ret->done_ns)
			ret->start_ns = ret->done_ns;
		ret->error = -ENODEV;
		free_ns = ret->done_ns;
		broken(f, f->drop_ns, -ENODEV);
	}
	return free_ns;
}

int ssd_broken(const struct ssd *ssd, uint64_t *ret_at_ns)
{
	*ret_at_ns = ssd->fault.broken_ns;
	return ssd->fault.broken_error;
}
