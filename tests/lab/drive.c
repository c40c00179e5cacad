/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * drive.c - the device library with as little as possible around it, for the lab tests and for
 * measuring what an I/O costs.
 *
 *	lab-drive DRIVE [--destroy X] [--over X] [--read-only] [--leave-free BYTES] COMMAND...
 *
 * Commands are done in order on one lane: info | telemetry | purge | counters
 *	fill BLOCK DEPTH [BYTES]	write sequentially, verifiable
 *	check BLOCK DEPTH [BYTES]	read it back in order and compare
 *	trim BLOCK [OFFSET BYTES]	discard all or a part
 *	flush | zeroes OFFSET BYTES
 *	rand read|write BLOCK DEPTH SECONDS	random, uniform; prints figures and the counters' view
 *	wait SECONDS
 * Every command prints one line of key=value. Exit: 0, 3 refused, 2 usage, 1 anything else.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/rng.h"
#include "base/units.h"
#include "data/flow.h"
#include "device/clock.h"
#include "device/device.h"

struct args {
	char **next;
};

struct tally {
	uint64_t ops, bytes, errors, first_error_at;
	int error;
	uint64_t in_flight_ns; /* by our own stamps */
};

static void die(int code, const struct err *err)
{
	printf("error=%s\n", err->text);
	fflush(stdout);
	exit(code == -ERR_REFUSED ? 3 : code == -ERR_USAGE ? 2 : 1);
}

static char *take(struct args *args)
{
	if (!*args->next) {
		fprintf(stderr, "an argument is missing\n");
		exit(2);
	}
	return *args->next++;
}

static uint64_t take_bytes(struct args *args)
{
	struct err err;
	uint64_t bytes;
	char *text = take(args);

	if (parse_bytes(text, &bytes, &err) < 0)
		die(-ERR_USAGE, &err);
	return bytes;
}

static double take_seconds(struct args *args)
{
	struct err err;
	double seconds;

	if (parse_double(take(args), &seconds, &err) < 0)
		die(-ERR_USAGE, &err);
	return seconds;
}

static uint64_t take_bytes_if(struct args *args, uint64_t other)
{
	return *args->next && strchr("0123456789", **args->next) ? take_bytes(args) : other;
}

static struct lane *lane_for(struct device *dev, unsigned depth, uint64_t block)
{
	struct lane_spec spec = { .depth = depth, .length_max = (uint32_t)block };
	struct lane *lane;
	struct err err;
	int r = lane_open(&lane, dev, &spec, &err);

	if (r < 0)
		die(r, &err);
	return lane;
}

static void tally_add(struct tally *t, const struct io *io)
{
	t->ops++;
	t->in_flight_ns += io->done_ns - io->submit_ns;
	if (io->result < 0 || (io->op != IO_FLUSH && io->result != (int32_t)io->length)) {
		if (!t->errors++) {
			t->error = io->result < 0 ? -io->result : EIO;
			t->first_error_at = io->offset;
		}
		return;
	}
	t->bytes += io->length;
}

static void tally_print(const char *what, const struct tally *t)
{
	printf("%s ops=%" PRIu64 " bytes=%" PRIu64 " errors=%" PRIu64, what, t->ops, t->bytes,
	       t->errors);
	if (t->errors)
		printf(" first=%s at=%" PRIu64, strerrorname_np(t->error), t->first_error_at);
	printf("\n");
	fflush(stdout);
}

struct pass {
	const char *what;
	enum io_op op;
	unsigned depth;
	uint64_t block, from, bytes;
};

/* Make I/Os of the idle ones, in order from *at on, until there are none left of either. Returns how many. */
static unsigned pass_make(const struct pass *pass, struct io **idle, unsigned n, uint64_t *at)
{
	uint64_t end = pass->from + pass->bytes;
	unsigned m = 0;

	for (; m < n && *at < end; m++) {
		uint64_t left = end - *at;

		*idle[m] =
			(struct io){ .op = pass->op,
				     .offset = *at,
				     .length = (uint32_t)(left < pass->block ? left : pass->block),
				     .content = { .verify = true, .seed = 7 } };
		*at += idle[m]->length;
	}
	return m;
}

/* One pass in order over [from, from + bytes). */
static void pass(struct device *dev, const struct pass *pass)
{
	unsigned depth = pass->depth, n = depth;
	struct lane *lane = lane_for(dev, depth, pass->op == IO_TRIM ? 4096 : pass->block);
	struct io *io = calloc(depth, sizeof(*io)), **idle = calloc(depth, sizeof(*idle));
	struct tally tally = { 0 };
	uint64_t at = pass->from;

	if (!io || !idle)
		abort();
	for (unsigned i = 0; i < depth; i++)
		idle[i] = &io[i];
	while (at < pass->from + pass->bytes || n < depth) {
		unsigned m = pass_make(pass, idle, n, &at);
		int r = lane_submit(lane, idle, m);

		if (r < (int)m) {
			printf("%s submit=%d of %u\n", pass->what, r, m);
			break;
		}
		memmove(idle, idle + m, (n - m) * sizeof(*idle));
		n -= m;
		r = lane_reap(lane, idle + n, depth - n, UINT64_MAX);
		for (int i = 0; i < r; i++)
			tally_add(&tally, idle[n + (unsigned)i]);
		if (r < 0) {
			printf("%s reap=%s\n", pass->what, strerrorname_np(-r));
			break;
		}
		n += (unsigned)r;
	}
	tally_print(pass->what, &tally);
	lane_close(lane);
	free(io);
	free(idle);
}

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void random_print(struct device *dev, const struct device_counters *before,
			 const struct tally *t, struct flow *flow, double seconds, double cpu)
{
	struct device_counters after = { 0 };

	printf("rand ops=%" PRIu64 " errors=%" PRIu64 " iops=%.0f p50_us=%.1f p99_us=%.1f "
	       "cpu_us_per_io=%.3f in_flight=%.1f",
	       t->ops, t->errors, (double)t->ops / seconds, (double)flow_quantile(flow, 0.5) / 1e3,
	       (double)flow_quantile(flow, 0.99) / 1e3, cpu * 1e6 / (double)t->ops,
	       (double)t->in_flight_ns / 1e9 / seconds);
	if (t->errors)
		printf(" first=%s", strerrorname_np(t->error));
	if (device_counters(dev, &after) == 0)
		printf(" device_in_flight=%.1f device_read=%" PRIu64 " device_written=%" PRIu64
		       " unwritten_read=%" PRIu64,
		       (double)(after.in_flight_ns - before->in_flight_ns) / 1e9 / seconds,
		       after.read_bytes - before->read_bytes,
		       after.written_bytes - before->written_bytes,
		       after.unwritten_read_bytes - before->unwritten_read_bytes);
	printf("\n");
	fflush(stdout);
}

static void random_load(struct device *dev, enum io_op op, uint64_t block, unsigned depth,
			double seconds)
{
	struct lane *lane = lane_for(dev, depth, block);
	struct io *io = calloc(depth, sizeof(*io)), **done = calloc(depth, sizeof(*done));
	struct flow *flow = calloc(1, sizeof(*flow));
	uint64_t places = dev->info.span_bytes / block, start, end;
	struct device_counters before = { 0 };
	struct tally tally = { 0 };
	struct rng rng;
	double cpu;
	int n = (int)depth;

	if (!io || !done || !flow)
		abort();
	rng_init(&rng, 1, 1);
	for (unsigned i = 0; i < depth; i++) {
		io[i] = (struct io){ .op = op, .length = (uint32_t)block };
		done[i] = &io[i];
	}
	device_counters(dev, &before);
	cpu = cpu_seconds();
	start = lane_now_ns(lane);
	end = start + (uint64_t)(seconds * 1e9);
	do {
		for (int i = 0; i < n; i++)
			done[i]->offset = rng_below(&rng, places) * block;
		if (lane_submit(lane, done, (unsigned)n) < n)
			break;
		n = lane_reap(lane, done, depth, end);
		for (int i = 0; i < n; i++) {
			tally_add(&tally, done[i]);
			flow_record(flow, done[i]->done_ns - done[i]->submit_ns, done[i]->length);
		}
	} while (n > 0 && done[n - 1]->done_ns < end);
	seconds = (double)(lane_now_ns(lane) - start) / 1e9;
	cpu = cpu_seconds() - cpu;
	random_print(dev, &before, &tally, flow, seconds, cpu);
	lane_close(lane);
	free(io);
	free(done);
	free(flow);
}

static void print_info(const struct device *dev)
{
	const struct device_info *i = &dev->info;

	printf("info kind=%s model='%s' serial='%s' firmware='%s' capacity=%" PRIu64
	       " occupied=%" PRIu64 " span=%" PRIu64 " block=%u physical=%u ops=%x trim_max=%u "
	       "counts=%d state_key='%s'\n",
	       i->kind, i->model, i->serial, i->firmware, i->capacity_bytes, i->occupied_bytes,
	       i->span_bytes, i->block_bytes, i->physical_block_bytes, i->ops, i->trim_bytes_max,
	       i->counts, i->state_key);
	fflush(stdout);
}

static void one_io(struct device *dev, enum io_op op, uint64_t offset, uint64_t bytes)
{
	struct lane *lane = lane_for(dev, 1, 4096);
	struct io io = { .op = op, .offset = offset, .length = (uint32_t)bytes }, *p = &io;
	struct tally tally = { 0 };

	if (lane_submit(lane, &p, 1) == 1 && lane_reap(lane, &p, 1, UINT64_MAX) == 1)
		tally_add(&tally, p);
	tally_print(op == IO_FLUSH ? "flush" : "zeroes", &tally);
	lane_close(lane);
}

static void command(struct device *dev, const char *name, struct args *args)
{
	uint64_t span = dev->info.span_bytes;
	struct device_counters counters;
	struct telemetry telemetry;
	struct err err = { 0 };

	if (!strcmp(name, "info")) {
		print_info(dev);
	} else if (!strcmp(name, "fill") || !strcmp(name, "check")) {
		struct pass all = { .what = name, .op = name[0] == 'f' ? IO_WRITE : IO_READ };

		all.block = take_bytes(args);
		all.depth = (unsigned)take_bytes(args);
		all.bytes = take_bytes_if(args, span);
		pass(dev, &all);
	} else if (!strcmp(name, "trim")) {
		struct pass all = { .what = name, .op = IO_TRIM, .depth = 4 };

		all.block = take_bytes(args);
		all.from = take_bytes_if(args, 0);
		all.bytes = take_bytes_if(args, span - all.from);
		pass(dev, &all);
	} else if (!strcmp(name, "rand")) {
		enum io_op op = !strcmp(take(args), "read") ? IO_READ : IO_WRITE;
		uint64_t block = take_bytes(args), depth = take_bytes(args);

		random_load(dev, op, block, (unsigned)depth, take_seconds(args));
	} else if (!strcmp(name, "flush")) {
		one_io(dev, IO_FLUSH, 0, 0);
	} else if (!strcmp(name, "zeroes")) {
		uint64_t from = take_bytes(args);

		one_io(dev, IO_WRITE_ZEROES, from, take_bytes(args));
	} else if (!strcmp(name, "purge")) {
		int r = device_purge(dev, &err);

		printf("purge result=%d %s\n", r, r < 0 ? err.text : "");
	} else if (!strcmp(name, "counters")) {
		int r = device_counters(dev, &counters);

		printf("counters result=%d read=%" PRIu64 " written=%" PRIu64 "\n", r,
		       counters.read_bytes, counters.written_bytes);
	} else if (!strcmp(name, "telemetry")) {
		int r = device_telemetry(dev, &telemetry);

		printf("telemetry result=%d temperature=%g wear=%g\n", r,
		       r ? 0 : telemetry.temperature_c, r ? 0 : telemetry.wear_pct);
	} else if (!strcmp(name, "wait")) {
		clock_sleep_until(clock_now_ns() + (uint64_t)(take_seconds(args) * 1e9));
	} else {
		fprintf(stderr, "there is no command '%s'\n", name);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct args args = { argv + 1 };
	struct device_spec spec;
	struct device *dev;
	struct err err = { 0 };
	int r;

	if (argc < 2)
		return 2;
	r = device_spec_parse(take(&args), &spec, &err);
	if (r < 0)
		die(r, &err);
	while (*args.next && !strncmp(*args.next, "--", 2)) {
		const char *option = take(&args);

		if (!strcmp(option, "--destroy"))
			snprintf(spec.destroy, sizeof(spec.destroy), "%s", take(&args));
		else if (!strcmp(option, "--over"))
			snprintf(spec.over, sizeof(spec.over), "%s", take(&args));
		else if (!strcmp(option, "--read-only"))
			spec.read_only = true;
		else if (!strcmp(option, "--leave-free")) {
			spec.leave_free_bytes = take_bytes(&args);
			spec.leave_free_given = true;
		}
	}
	r = device_open(&dev, &spec, &err);
	if (r < 0)
		die(r, &err);
	while (*args.next)
		command(dev, take(&args), &args);
	device_close(dev);
	printf("closed\n");
	return 0;
}
