/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * make-fixture.c - databases and pages for the tests of the page, written through the store's own sink.
 *
 *	make-fixture DB PAGE.html KIND...
 *
 * stores a run of each kind and writes one page for all of them:
 *
 * fill     a ladder up (fixture-fill.c); both: up and down
 * quick    one benchmark, five passes, a real drive with telemetry and doubtful cells
 * days     72 h of random writes in windows of 1 s
 * sweep    open-loop load over the rate
 * hostile  text that tries to be markup, empty tables, no verdict that has a number, a failed run
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "report/html.h"

static void fill_up(struct fixture *f)
{
	fixture_fill(f, false);
}

static void fill_both(struct fixture *f)
{
	fixture_fill(f, true);
}

static void quick(struct fixture *f)
{
	static const char *const labels[] = { "seq1m_q8t1", "seq1m_q1t1", "rnd4k_q32t16",
					      "rnd4k_q1t1" };
	static const double mbps[] = { 3400, 1900, 980, 61 };

	for (int which = 0; which < 8; which++)
		for (unsigned pass = 1; pass <= 5; pass++) {
			bool write = which & 1, random = which >= 4;
			struct telemetry t = { .at_ns = f->now_ns,
					       .temperature_c = 38 + which + 0.2 * pass,
					       .wear_pct = 3,
					       .host_written_bytes = (int64_t)f->written,
					       .host_read_bytes = -1 };
			char key[96], label[48];

			snprintf(label, sizeof(label), "%s_%s", labels[which / 2],
				 write ? "write" : "read");
			snprintf(key, sizeof(key), "r1/%s/%u", label, pass);
			fixture_load(
				f, &(struct fixture_load){ write ? 0 : 100, random ? 4096 : 1 << 20,
							   which / 2 == 0   ? 8
							   : which / 2 == 2 ? 32
									    : 1,
							   which / 2 == 2 ? 16 : 1,
							   random ? ORDER_RANDOM : ORDER_SEQUENTIAL,
							   1 << 30, 100 * NS_PER_MS });
			fixture_must(f, f->sink->ops->telemetry(f->sink, &t, &f->err));
			fixture_begin(f, key, label, NAN, 1, pass);
			for (uint32_t i = 0; i < 50; i++)
				fixture_window(f, i, 100 * NS_PER_MS,
					       mbps[which / 2] * (write ? 0.8 : 1) *
						       (1 + 0.03 * fixture_gauss(&f->rng)),
					       write);
			if (which / 2 == 2) {
				f->phase->notes = NOTE_DEPTH_NOT_REACHED | NOTE_HOST_BOUND;
				f->phase->in_flight_device_mean = 127.4;
			}
			fixture_end(f);
			f->now_ns += 5 * NS_PER_S;
		}
	fixture_verdict(f, "quick.seq1m_q8t1_read_mbps", 3401, "MB/s", 22,
			"Sequential reading of 1 MiB at 8 outstanding: 3401 MB/s +- 22 MB/s.");
	fixture_verdict(
		f, "quick.rnd4k_q1t1_read_mbps", 61, "MB/s", 0.6,
		"Random reading of 4 KiB one at a time: 61.0 MB/s +- 0.6 MB/s, 67 us an I/O.");
	fixture_verdict_status(
		f, "quick.depth", STATUS_NOT_IDENTIFIABLE,
		"What 512 outstanding I/Os would give is not known: the device took 127 at most.");
}

static void days(struct fixture *f)
{
	fixture_load(f, &(struct fixture_load){ 0, 4096, 32, 1, ORDER_RANDOM, CAPACITY, NS_PER_S });
	fixture_begin(f, "r1/write", "rnd4k_q32t1_write", NAN, 1, 1);
	for (uint32_t i = 0; i < 72 * 3600; i++) {
		double t = i, iops = i < 50 ? 26000 : i < 600 ? 900 : 1800 + 400 * sin(t / 700);

		/* a stall now and then that thinning must not hide */
		iops = i % 7919 == 7918 ? 0 : fmax(0, iops * (1 + 0.05 * fixture_gauss(&f->rng)));
		fixture_window(f, i, NS_PER_S, iops * 4096 / 1e6, true);
		f->cache_used = 5.3e9;
		f->cache_limit = 5.4e9;
		f->truth.gc_copied_bytes += (uint64_t)(iops * 4096 * 9);
		f->truth.nand_written_bytes += (uint64_t)(iops * 4096 * 9);
		fixture_truth(f, i < 50 ? "link" : "firmware",
			      i < 50	? "none"
			      : i < 600 ? "folding"
					: "gc");
	}
	fixture_end(f);
	fixture_verdict(
		f, "load.steady_iops", 1803, "IO/s", 12,
		"After 15 minutes the drive keeps 1803 IO/s +- 12 IO/s, 7 % of the first 50 "
		"seconds.");
}

static void sweep(struct fixture *f)
{
	for (unsigned i = 1; i <= 10; i++) {
		char key[96];

		fixture_load(f, &(struct fixture_load){ 70, 4096, 64, 1, ORDER_RANDOM, CAPACITY / 2,
							100 * NS_PER_MS });
		f->phase->load.arrival = ARRIVAL_POISSON;
		f->phase->load.offered_iops = 5000 * i;
		snprintf(key, sizeof(key), "load/offered_iops=%u", 5000 * i);
		fixture_begin(f, key, "load", NAN, 1, 1);
		for (uint32_t k = 0; k < 100; k++) {
			/* only so that latency grows with the load */
			f->phase->load.queue_depth = 1 + i * i / 4;
			fixture_window(f, k, 100 * NS_PER_MS, 5000 * i * 4096e-6, false);
		}
		f->phase->load.queue_depth = 64;
		fixture_end(f);
	}
}

static void hostile(struct fixture *f)
{
	fixture_verdict_status(
		f, "</script><script>window.hacked=1</script>", STATUS_REFUSED,
		"</script><img src=x onerror=\"window.hacked=1\"> \"quoted\" & 'single' <!-- \\ "
		"\xC3\xA9.");
	fixture_load(f, &(struct fixture_load){ 0, 4096, 1, 1, ORDER_RANDOM, CAPACITY,
						100 * NS_PER_MS });
	fixture_begin(f, "<img src=x onerror=window.hacked=1>", "<b>label</b>", NAN, 0, 0);
	fixture_end(f);
}

static const struct kind {
	const char *name, *experiment, *spec, *kind, *model, *serial;
	void (*make)(struct fixture *f);
} kinds[] = {
	{ "fill", "fill", "sim:sm2258xt-120g-usb", "sim", "SM2258XT 120 GB, USB bridge", "",
	  fill_up },
	{ "both", "fill", "sim:sm2258xt-120g-usb,link.trim=true", "sim", "SM2258XT 120 GB, SATA",
	  "", fill_both },
	{ "quick", "quick", "/dev/nvme0n1", "block", "EXAMPLE NVME 1TB", "S0EXAMPLE123", quick },
	{ "days", "load", "sim:tlc-sata-120g", "sim", "TLC 120 GB SATA", "", days },
	{ "sweep", "load", "sim:p31-500g", "sim", "", "", sweep },
	{ "hostile", "</title><script>window.hacked=1</script>", "null<script>", "null", "", "",
	  hostile },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void make_run(struct fixture *f, const struct kind *kind, char id[RUN_ID_SIZE])
{
	struct run run = { .profile_version = 1,
			   .profile_hash = "5b1c0e7a9d24f3c8",
			   .capacity_bytes = CAPACITY,
			   .seed = UINT64_MAX,
			   .started = "2026-11-30T22:45:01Z" };

	snprintf(id, RUN_ID_SIZE, "20261130-224501-%04zx", (size_t)(kind - kinds));
	memcpy(run.id, id, sizeof(run.id));
	snprintf(run.experiment, sizeof(run.experiment), "%s", kind->experiment);
	snprintf(run.profile_name, sizeof(run.profile_name), "default");
	snprintf(run.drive_spec, sizeof(run.drive_spec), "%s", kind->spec);
	snprintf(run.drive_kind, sizeof(run.drive_kind), "%s", kind->kind);
	snprintf(run.drive_model, sizeof(run.drive_model), "%s", kind->model);
	snprintf(run.drive_serial, sizeof(run.drive_serial), "%s", kind->serial);
	run.environment_json = (char[]){ "{\"kernel\":\"6.1.0\",\"cpu\":\"x86_64 <8 cores>\"}" };
	run.arguments_json = (char[]){ "{\"argv\":[\"assay\",\"run\",\"fill\"]}" };
	rng_init(&f->rng, 7, (uint64_t)(kind - kinds));
	f->now_ns = f->written = f->id = 0;
	f->truth =
		(struct truth){ .temperature_c = NAN, .free_superblocks = 120, .alpha_eff = 1.09 };
	fixture_must(f, store_run_begin(f->store, &run, &f->err));
	f->sink = store_sink(f->store);
	kind->make(f);
	run.status = kind->make == hostile ? RUN_FAILED : RUN_DONE;
	if (run.status == RUN_FAILED)
		snprintf(run.message, sizeof(run.message),
			 "cannot <i>write</i> to 'x': No space left");
	run.drive_s = (double)f->now_ns / 1e9;
	run.wall_s = 12.4;
	run.written_bytes = f->written;
	fixture_must(f, store_run_end(f->store, &run, &f->err));
}

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	fprintf(stderr, "make-fixture: no kind '%s'\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	struct fixture f = { .phase = phase_new(), .window = calloc(1, sizeof(struct window)) };
	char ids[KINDS][RUN_ID_SIZE];
	const char *names[KINDS];
	unsigned n = 0;
	FILE *page;

	if (argc < 4 || argc > 3 + (int)KINDS || !f.phase || !f.window)
		return 2;
	fixture_must(&f, store_open(&f.store, argv[1], false, &f.err));
	for (int i = 3; i < argc; i++, n++) {
		make_run(&f, find_kind(argv[i]), ids[n]);
		names[n] = ids[n];
	}
	page = fopen(argv[2], "w");
	fixture_must(&f, page ? report_html(page, f.store, names, n, &f.err) : -errno);
	fixture_must(&f, fclose(page) ? -errno : 0);
	store_close(f.store);
	free(f.phase);
	free(f.window);
	return 0;
}
