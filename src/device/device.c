/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * device.c - the wrappers that assert the contract for every backend, so that backends may be naive and a
 * wrong caller is caught at the call and not in a number.
 *
 * The assertions are on in release builds too. They cost a few ns an I/O (measured on `null`), which is
 * far below what a system call costs.
 */
#include "device/device.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static uint64_t thread_self(void)
{
	return (uint64_t)pthread_self();
}

static void assert_info(const struct device_info *info)
{
	assert(info->kind[0] != '\0');
	assert(info->block_bytes > 0);
	assert(info->span_bytes > 0 && info->span_bytes % info->block_bytes == 0);
	assert(info->span_bytes <= info->capacity_bytes);
	assert(info->lanes_max > 0 && info->depth_max > 0);
	assert(info->ops & 1u << IO_READ);
	assert(!(info->ops & 1u << IO_TRIM) ||
	       (info->trim_bytes_max > 0 && info->trim_bytes_max % info->block_bytes == 0));
}

int device_open(struct device **ret, const struct device_spec *spec, struct err *err)
{
	for (size_t i = 0; device_backends[i]; i++) {
		struct device *dev = NULL;
		int r;

		if (strcmp(device_backends[i]->name, spec->kind) != 0)
			continue;
		r = device_backends[i]->open(&dev, spec, err);
		if (r < 0)
			return r;
		assert(dev && dev->ops && dev->lanes_open == 0);
		assert_info(&dev->info);
		*ret = dev;
		return 0;
	}
	return err_set(err, -ERR_USAGE, "cannot open '%s': there is no kind of drive called '%s'",
		       spec->text, spec->kind);
}

void device_close(struct device *dev)
{
	if (!dev)
		return;
	assert(__atomic_load_n(&dev->lanes_open, __ATOMIC_ACQUIRE) == 0);
	dev->ops->close(dev);
}

int device_counters(struct device *dev, struct device_counters *ret)
{
	return dev->ops->counters && dev->info.counts ? dev->ops->counters(dev, ret) : -ENOTSUP;
}

int device_telemetry(struct device *dev, struct telemetry *ret)
{
	return dev->ops->telemetry ? dev->ops->telemetry(dev, ret) : -ENOTSUP;
}

const char *const purge_method_names[] = { "default", "format",	   "sanitize", "secure-erase",
					   "discard", "zero-fill", NULL };

int device_purge_by(struct device *dev, enum purge_method method, struct err *err)
{
	assert(__atomic_load_n(&dev->lanes_open, __ATOMIC_ACQUIRE) == 0);
	if (!dev->ops->purge)
		return err_set(err, -ENOTSUP, "a drive of kind '%s' cannot be purged",
			       dev->info.kind);
	return dev->ops->purge(dev, method, err);
}

int device_purge(struct device *dev, struct err *err)
{
	return device_purge_by(dev, PURGE_DEFAULT, err);
}

void device_attach(struct device *dev, struct sink *sink)
{
	if (dev->ops->attach)
		dev->ops->attach(dev, sink);
}

int lane_open(struct lane **ret, struct device *dev, const struct lane_spec *spec, struct err *err)
{
	struct lane *lane = NULL;
	unsigned open;
	int r;

	assert(spec->depth > 0 && spec->depth <= dev->info.depth_max);
	assert(spec->length_max > 0 && spec->length_max % dev->info.block_bytes == 0);
	open = __atomic_add_fetch(&dev->lanes_open, 1, __ATOMIC_ACQ_REL);
	assert(open <= dev->info.lanes_max);
	r = dev->ops->lane_open(&lane, dev, spec, err);
	if (r < 0) {
		__atomic_sub_fetch(&dev->lanes_open, 1, __ATOMIC_ACQ_REL);
		return r;
	}
	lane->ops = dev->ops;
	lane->dev = dev;
	lane->spec = *spec;
	lane->in_flight = 0;
	lane->owner = thread_self();
	lane->done_ns_last = 0;
	*ret = lane;
	return 0;
}

void lane_close(struct lane *lane)
{
	struct device *dev;

	if (!lane)
		return;
	assert(lane->owner == thread_self());
	dev = lane->dev;
	lane->ops->lane_close(lane);
	__atomic_sub_fetch(&dev->lanes_open, 1, __ATOMIC_ACQ_REL);
}

uint64_t lane_now_ns(struct lane *lane)
{
	assert(lane->owner == thread_self());
	return lane->ops->now_ns(lane);
}

static void assert_io(const struct lane *lane, const struct io *io)
{
	const struct device_info *info = &lane->dev->info;

	assert((unsigned)io->op < IO_OPS);
	assert(info->ops & 1u << io->op);
	if (io->op == IO_FLUSH) {
		assert(io->length == 0);
		return;
	}
	assert(io->length > 0);
	/* Almost every block size is a power of two, but nothing says so. */
	assert(((io->length | io->offset) & (info->block_bytes - 1)) == 0 ||
	       (io->length % info->block_bytes == 0 && io->offset % info->block_bytes == 0));
	assert(io->offset < info->span_bytes && io->length <= info->span_bytes - io->offset);
	if (io->op == IO_READ || io->op == IO_WRITE)
		assert(io->length <= lane->spec.length_max);
	else
		assert(io->length <= info->trim_bytes_max);
}

void lane_hint(struct lane *lane, struct io *const *io, unsigned n)
{
	assert(lane->owner == thread_self());
	if (!lane->ops->hint)
		return;
	for (unsigned i = 0; i < n; i++)
		assert_io(lane, io[i]);
	lane->ops->hint(lane, io, n);
}

int lane_submit(struct lane *lane, struct io *const *io, unsigned n)
{
	int taken;

	assert(lane->owner == thread_self());
	assert(n <= lane->spec.depth - lane->in_flight);
	for (unsigned i = 0; i < n; i++) {
		assert(!io[i]->in_flight);
		assert_io(lane, io[i]);
		io[i]->in_flight = true;
	}
	taken = lane->ops->submit(lane, io, n);
	assert(taken <= (int)n);
	for (unsigned i = taken > 0 ? (unsigned)taken : 0; i < n; i++)
		io[i]->in_flight = false;
	if (taken > 0)
		lane->in_flight += (unsigned)taken;
	return taken;
}

int lane_reap(struct lane *lane, struct io **done, unsigned max, uint64_t until_ns)
{
	uint64_t last = lane->done_ns_last;
	int n;

	assert(lane->owner == thread_self());
	assert(max > 0);
	/* Nothing in flight and no end to the wait would be for ever. */
	assert(lane->in_flight > 0 || until_ns != UINT64_MAX);
	n = lane->ops->reap(lane, done, max, until_ns);
	assert(n <= (int)max && n <= (int)lane->in_flight);
	for (int i = 0; i < n; i++) {
		const struct io *io = done[i];

		assert(io->in_flight);
		assert(io->done_ns >= last && io->done_ns >= io->submit_ns);
		assert(io->result < 0 || (uint32_t)io->result <= io->length);
		last = io->done_ns;
		done[i]->in_flight = false;
	}
	if (n > 0) {
		lane->in_flight -= (unsigned)n;
		lane->done_ns_last = last;
	}
	return n;
}
