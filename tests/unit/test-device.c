/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The wrappers catch a caller that breaks the contract; the null drive keeps it. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/clock.h"
#include "device/device.h"

#define SPAN 0x100000u

static void open_null(struct device **dev, struct lane **lane, unsigned depth)
{
	struct device_spec spec;
	struct lane_spec lane_spec = { .depth = depth, .length_max = 65536 };

	assert_int_equal(device_spec_parse("null,capacity=1MiB,block=4096", &spec, NULL), 0);
	assert_int_equal(device_open(dev, &spec, NULL), 0);
	assert_int_equal(lane_open(lane, *dev, &lane_spec, NULL), 0);
}

static void round_trip(void **state)
{
	struct device *dev;
	struct lane *lane;
	struct io io[8] = { 0 }, *list[8], *done[8];
	uint64_t before, last = 0;

	(void)state;
	open_null(&dev, &lane, 8);
	assert_int_equal(dev->info.span_bytes, SPAN);
	before = lane_now_ns(lane);
	for (unsigned i = 0; i < 8; i++) {
		io[i].op = i % 2 ? IO_WRITE : IO_READ;
		io[i].offset = i * 4096u;
		io[i].length = 4096;
		list[i] = &io[i];
	}
	assert_int_equal(lane_submit(lane, list, 5), 5);
	assert_int_equal(lane_submit(lane, list + 5, 3), 3);
	assert_int_equal(lane_reap(lane, done, 3, UINT64_MAX), 3);
	assert_int_equal(lane_reap(lane, done + 3, 8, UINT64_MAX), 5);
	for (unsigned i = 0; i < 8; i++) {
		assert_ptr_equal(done[i], &io[i]);
		assert_int_equal(done[i]->result, 4096);
		assert_false(done[i]->in_flight);
		assert_true(done[i]->submit_ns >= before);
		assert_true(done[i]->done_ns >= done[i]->submit_ns && done[i]->done_ns >= last);
		last = done[i]->done_ns;
	}
	lane_close(lane);
	device_close(dev);
}

/* With nothing in flight a reap is idling: it ends when asked to, not before, and gives nothing. */
static void idling(void **state)
{
	struct device *dev;
	struct lane *lane;
	struct io *done;
	uint64_t until;

	(void)state;
	open_null(&dev, &lane, 1);
	until = lane_now_ns(lane) + 30000000;
	assert_int_equal(lane_reap(lane, &done, 1, until), 0);
	assert_true(lane_now_ns(lane) >= until);
	assert_int_equal(lane_reap(lane, &done, 1, until), 0);
	lane_close(lane);
	device_close(dev);
}

static void optional_operations(void **state)
{
	struct device *dev;
	struct lane *lane;
	struct device_counters counters;
	struct telemetry telemetry;
	struct err err = { 0 };

	(void)state;
	open_null(&dev, &lane, 1);
	assert_int_equal(device_counters(dev, &counters), -ENOTSUP);
	assert_int_equal(device_telemetry(dev, &telemetry), -ENOTSUP);
	device_attach(dev, NULL);
	lane_close(lane);
	assert_int_equal(device_purge(dev, &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "'null'"));
	device_close(dev);
	device_close(NULL);
	lane_close(NULL);
}

static void null_options(void **state)
{
	static const char *const bad[] = { "null,capacitty=1MiB", "null,capacity=1",
					   "null,block=x" };
	struct device_spec spec;
	struct device *dev;
	struct err err;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(device_spec_parse(bad[i], &spec, NULL), 0);
		assert_int_equal(device_open(&dev, &spec, &err), -ERR_USAGE);
		assert_non_null(strstr(err.text, bad[i]));
	}
}

static void *submit_elsewhere(void *lane)
{
	lane_now_ns(lane);
	return NULL;
}

/* Each breaks the contract in one way. */
static void violate(unsigned which)
{
	struct device *dev;
	struct lane *lane, *second;
	struct io a = { .op = IO_READ, .length = 4096 }, b = a, c = a;
	struct io *list[2] = { &a, &b }, *same[2] = { &a, &a }, *third = &c, *done[2];
	struct lane_spec lane_spec = { .depth = 1, .length_max = 4096 };
	pthread_t thread;

	open_null(&dev, &lane, 2);
	switch (which) {
	case 0: /* one I/O twice in a batch */
		lane_submit(lane, same, 2);
		break;
	case 1: /* one that is in flight already */
		lane_submit(lane, list, 1);
		lane_submit(lane, list, 1);
		break;
	case 2: /* deeper than agreed */
		lane_submit(lane, list, 2);
		lane_submit(lane, &third, 1);
		break;
	case 3: /* beyond the end */
		a.offset = SPAN;
		lane_submit(lane, list, 1);
		break;
	case 4: /* across the end */
		a.offset = SPAN - 4096;
		a.length = 8192;
		lane_submit(lane, list, 1);
		break;
	case 5: /* would wrap around */
		a.offset = UINT64_MAX - 4095;
		lane_submit(lane, list, 1);
		break;
	case 6: /* not whole blocks */
		a.offset = 512;
		lane_submit(lane, list, 1);
		break;
	case 7:
		a.length = 512;
		lane_submit(lane, list, 1);
		break;
	case 8: /* empty */
		a.length = 0;
		lane_submit(lane, list, 1);
		break;
	case 9: /* longer than agreed */
		a.length = 131072;
		lane_submit(lane, list, 1);
		break;
	case 10: /* from another thread */
		pthread_create(&thread, NULL, submit_elsewhere, lane);
		pthread_join(thread, NULL);
		break;
	case 11: /* waiting for nothing, for ever */
		lane_reap(lane, done, 1, UINT64_MAX);
		break;
	case 12: /* room for nothing */
		lane_submit(lane, list, 1);
		lane_reap(lane, done, 0, UINT64_MAX);
		break;
	case 13: /* closed under its lanes */
		device_close(dev);
		break;
	case 14: /* an operation that does not exist */
		a.op = (enum io_op)IO_OPS;
		lane_submit(lane, list, 1);
		break;
	case 15: /* an operation that was not claimed */
		dev->info.ops &= ~(1u << IO_TRIM);
		a.op = IO_TRIM;
		lane_submit(lane, list, 1);
		break;
	case 16: /* a flush of something */
		a.op = IO_FLUSH;
		lane_submit(lane, list, 1);
		break;
	case 17: /* more lanes than there are */
		dev->info.lanes_max = 1;
		lane_open(&second, dev, &lane_spec, NULL);
		break;
	case 18: /* deeper than the drive can */
		lane_spec.depth = dev->info.depth_max + 1;
		lane_open(&second, dev, &lane_spec, NULL);
		break;
	case 19: /* purged while in use */
		device_purge(dev, NULL);
		break;
	default:
		fail();
	}
}

/* What a broken backend gives back; which is the way it is broken. */
static int broken;
static const struct device_ops *whole; /* what it would do if it were not */

static int broken_reap(struct lane *lane, struct io **done, unsigned max, uint64_t until_ns)
{
	static struct io stranger = { .length = 4096, .done_ns = UINT64_MAX };
	int n = whole->reap(lane, done, max, until_ns);

	switch (broken) {
	case 0: /* more bytes than were asked for */
		done[0]->result = (int32_t)done[0]->length + 1;
		break;
	case 1: /* done before it began */
		done[0]->done_ns = done[0]->submit_ns - 1;
		break;
	case 2: /* going back in time */
		done[0]->done_ns += 1000000000;
		break;
	case 3: /* twice the same */
		done[1] = done[0];
		break;
	case 4: /* never submitted */
		done[0] = &stranger;
		break;
	case 5: /* more than there are */
		n++;
		break;
	}
	return n;
}

static void violate_as_backend(unsigned which)
{
	struct device *dev;
	struct lane *lane;
	struct io a = { .op = IO_READ, .length = 4096 }, b = a;
	struct io *list[2] = { &a, &b }, *done[3];
	struct device_ops ops;

	open_null(&dev, &lane, 2);
	whole = lane->ops;
	ops = *whole;
	ops.reap = broken_reap;
	lane->ops = &ops;
	broken = (int)which;
	lane_submit(lane, list, 2);
	lane_reap(lane, done, 3, UINT64_MAX);
}

static void dies(void (*f)(unsigned), unsigned which)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
		sigaction(SIGABRT, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
		f(which);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
		fail_msg("violation %u was not caught", which);
}

static void violations_of_callers(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++)
		dies(violate, i);
}

static void violations_of_backends(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 6; i++)
		dies(violate_as_backend, i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(idling),
		cmocka_unit_test(optional_operations),
		cmocka_unit_test(null_options),
		cmocka_unit_test(violations_of_callers),
		cmocka_unit_test(violations_of_backends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
