/* SPDX-License-Identifier: MIT */
/*
 * nand.h - timelines of dies and channels.
 *
 * A die has one program or erase in progress and a queue of further ones; each begins when the one before
 * it and all reads are done. A read goes before the queue: it waits only for what is in progress, and
 * pushes the rest back by tR. Where programs or erases can be suspended, it interrupts the one in progress: the die
 * takes a time to get there and a time to go on, and a job is interrupted so many times at most. Planes read independently where configured.
 *
 * A channel is reached behind a die, so that its users do not come in time order. Its timeline is therefore
 * a credit: work is counted from when it was asked for, and a transfer is done when both the credit and its
 * own data say so. `channel = max(channel, data ready) + t` instead would let one late read block all
 * earlier-finishing ones.
 */
#ifndef ASSAY_SSD_NAND_H
#define ASSAY_SSD_NAND_H

#include <stdbool.h>
#include <stdint.h>

#include "ssd/config.h"

/* What a die is busy with; a pause is no work and cannot be suspended. */
enum nand_job { NAND_PROGRAM, NAND_ERASE, NAND_PAUSE, NAND_JOBS };

struct die {
	uint64_t start_ns, end_ns; /* program or erase in progress, or the last one */
	uint64_t read_end_ns;	   /* of the last read, over its planes */
	uint64_t queued_ns;	   /* sum of the queue */
	uint32_t head, count;	   /* the queue's */
	uint32_t channel;
	uint32_t job, suspends;	    /* in progress: enum nand_job, and how often it was suspended */
	uint64_t ready_ns, hold_ns; /* suspended: reads from the first on, to the second */
};

struct nand {
	struct die *die;
	uint64_t *plane_end_ns; /* dies x planes */
	uint64_t *channel_ns;
	uint64_t *
		queue; /* dies x (queue_mask + 1) durations, ns, with the job in the highest bits */
	uint32_t queue_mask;
	uint32_t dies, planes, channels;
	uint64_t channel_unit_ns;
	bool independent, can_suspend;
	uint64_t suspend_ns[NAND_JOBS], resume_ns; /* 0: that job is not suspended */
	uint32_t suspends_max;
	uint64_t die_busy_ns, channel_busy_ns;
	uint64_t page_reads; /* pages of one plane */
	uint64_t suspends;
};

#define PLANE_ALL UINT32_MAX

/*
 * Read one page of a plane, or of all. `since_ns` is when the firmware could have begun (at or before t: read
 * ahead uses time in which the die was idle), t is now. Returns when the data are in the die's register.
 */
uint64_t nand_read(struct nand *nand, uint32_t die, uint32_t plane, uint64_t since_ns, uint64_t t,
		   uint64_t dur_ns);

/*
 * A job for a die, not before `from_ns` (when the data are there); t is now. Returns when it will be done, unless reads
 * come before it.
 */
uint64_t nand_give(struct nand *nand, uint32_t die, enum nand_job job, uint64_t t, uint64_t from_ns,
		   uint64_t dur_ns);

static inline uint64_t nand_program(struct nand *nand, uint32_t die, uint64_t t, uint64_t from_ns,
				    uint64_t dur_ns)
{
	return nand_give(nand, die, NAND_PROGRAM, t, from_ns, dur_ns);
}

/* Use the channel of a die for cost_ns, for data that are there from `ready_ns` on; t is when it was asked for. */
static inline uint64_t nand_occupy(struct nand *nand, uint32_t die, uint64_t t, uint64_t ready_ns,
				   uint64_t cost)
{
	uint64_t *channel = &nand->channel_ns[nand->die[die].channel];

	*channel = (*channel > t ? *channel : t) + cost;
	nand->channel_busy_ns += cost;
	return ready_ns + cost > *channel ? ready_ns + cost : *channel;
}

/* Move `units` over the channel of a die from `ready_ns` on; t is when it was asked for. Returns when done. */
static inline uint64_t nand_transfer(struct nand *nand, uint32_t die, uint64_t t, uint64_t ready_ns,
				     uint32_t units)
{
	return nand_occupy(nand, die, t, ready_ns, nand->channel_unit_ns * units);
}

/* Likewise, one unit after the other, each ready as it is asked for: when the last one is done. */
static inline uint64_t nand_transfer_each(struct nand *nand, uint32_t die, uint64_t t,
					  uint64_t ready_ns, uint32_t units)
{
	uint64_t end = nand_transfer(nand, die, t, t, units);

	return ready_ns + nand->channel_unit_ns > end ? ready_ns + nand->channel_unit_ns : end;
}

#endif
