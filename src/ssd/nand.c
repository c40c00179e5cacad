/* SPDX-License-Identifier: MIT */
#include "ssd/nand.h"

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#define JOB_SHIFT 62
#define DUR_MASK (((uint64_t)1 << JOB_SHIFT) - 1)

/* Begin the queued programs that had begun by t. One that would begin at t itself lets reads go first. */
static void settle(struct nand *nand, uint32_t die, uint64_t t)
{
	struct die *d = &nand->die[die];
	const uint64_t *queue = nand->queue + (uint64_t)die * (nand->queue_mask + 1);

	while (d->count) {
		uint64_t begin = later(d->end_ns, d->read_end_ns);
		uint64_t dur;

		if (begin >= t)
			break;
		dur = queue[d->head & nand->queue_mask];
		d->job = (uint32_t)(dur >> JOB_SHIFT);
		d->suspends = 0;
		dur &= DUR_MASK;
		d->head++;
		d->count--;
		d->queued_ns -= dur;
		d->start_ns = begin;
		d->end_ns = begin + dur;
	}
}

/* When all planes that take part are free of reads. */
static uint64_t planes_free(const struct nand *nand, uint32_t die, uint32_t plane)
{
	if (plane == PLANE_ALL || !nand->independent)
		return nand->die[die].read_end_ns;
	return nand->plane_end_ns[(uint64_t)die * nand->planes + plane];
}

static void planes_take(struct nand *nand, uint32_t die, uint32_t plane, uint64_t end)
{
	struct die *d = &nand->die[die];

	d->read_end_ns = later(d->read_end_ns, end);
	if (!nand->independent)
		return;
	if (plane != PLANE_ALL) {
		nand->plane_end_ns[(uint64_t)die * nand->planes + plane] = end;
		return;
	}
	for (uint32_t i = 0; i < nand->planes; i++)
		nand->plane_end_ns[(uint64_t)die * nand->planes + i] = end;
}

/*
 * A read while a job is in progress that can be suspended: the first one stops the job, others join it before the
 * job goes on. Returns when the read is done, 0: the job is not suspended.
 */
static uint64_t suspend(struct nand *nand, struct die *d, uint64_t begin, uint64_t t,
			uint64_t dur_ns)
{
	uint64_t stop = nand->suspend_ns[d->job], end;

	if (t < d->hold_ns) {
		end = later(begin, d->ready_ns) + dur_ns;
		if (end > d->hold_ns) {
			d->end_ns += end - d->hold_ns;
			d->hold_ns = end;
		}
		return end;
	}
	/* What is nearly done is not stopped, nor is what was stopped too often. */
	if (!stop || d->suspends == nand->suspends_max || d->end_ns - t <= stop)
		return 0;
	d->suspends++;
	nand->suspends++;
	d->ready_ns = t + stop;
	end = later(begin, d->ready_ns) + dur_ns;
	d->hold_ns = end;
	d->end_ns += end + nand->resume_ns - t;
	nand->die_busy_ns += stop + nand->resume_ns;
	return end;
}

uint64_t nand_read(struct nand *nand, uint32_t die, uint32_t plane, uint64_t since_ns, uint64_t t,
		   uint64_t dur_ns)
{
	struct die *d = &nand->die[die];
	uint64_t begin, end;

	settle(nand, die, t);
	begin = planes_free(nand, die, plane);
	nand->die_busy_ns += dur_ns;
	nand->page_reads += plane == PLANE_ALL ? nand->planes : 1;
	if (since_ns < t && !d->count) {
		/* Read ahead, in time in which the die had nothing else to do. */
		uint64_t ahead = later(later(since_ns, d->end_ns), begin);

		if (ahead < t) {
			planes_take(nand, die, plane, ahead + dur_ns);
			return ahead + dur_ns;
		}
	}
	if (d->start_ns <= t && d->end_ns > t) {
		if (nand->can_suspend) {
			end = suspend(nand, d, later(begin, t), t, dur_ns);
			if (end) {
				planes_take(nand, die, plane, end);
				return end;
			}
		}
		begin = later(begin, d->end_ns); /* in progress */
	}
	end = later(begin, t) + dur_ns;
	planes_take(nand, die, plane, end);
	if (d->start_ns > t && end > d->start_ns) {
		/* A program that waits for its data makes room. */
		d->end_ns += end - d->start_ns;
		d->start_ns = end;
	}
	return end;
}

uint64_t nand_give(struct nand *nand, uint32_t die, enum nand_job job, uint64_t t, uint64_t from_ns,
		   uint64_t dur_ns)
{
	struct die *d = &nand->die[die];
	uint64_t *queue = nand->queue + (uint64_t)die * (nand->queue_mask + 1);

	settle(nand, die, t);
	nand->die_busy_ns += dur_ns;
	if (!d->count && d->end_ns <= from_ns) {
		d->job = job;
		d->suspends = 0;
		d->start_ns = later(from_ns, d->read_end_ns);
		d->end_ns = d->start_ns + dur_ns;
		return d->end_ns;
	}
	if (d->count <= nand->queue_mask && dur_ns) {
		queue[(d->head + d->count) & nand->queue_mask] = dur_ns | (uint64_t)job
										  << JOB_SHIFT;
		d->count++;
	} else if (d->count) {
		/* Full: no time is lost, the last two are one. */
		queue[(d->head + d->count - 1) & nand->queue_mask] += dur_ns;
	}
	d->queued_ns += dur_ns;
	/* The queue knows no data: where the channel is what is slow, this one ends later than its turn says. */
	return later(later(d->end_ns, d->read_end_ns) + d->queued_ns, from_ns + dur_ns);
}
