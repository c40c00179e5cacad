/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * device.h - the one contract between loads and drives.
 *
 * A `device` is opened and guarded once. A `lane` is one submission context of it: a ring and its thread on
 * a real drive; a simulated drive has one. The clock belongs to the device: one run loop drives io_uring in
 * real time and the simulator in virtual time. There is no "if simulated" above this folder, only the facts
 * in struct device_info.
 *
 * Everything below is called through the wrappers device_x() and lane_x() (device.c), which assert the
 * contract for every backend: owner thread of a lane, ranges, alignment, depth, claimed operations,
 * every I/O given back once, stamps in order. A backend may therefore be naive.
 */
#ifndef ASSAY_DEVICE_DEVICE_H
#define ASSAY_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/content.h"
#include "data/sink.h"
#include "data/telemetry.h"

enum io_op { IO_READ, IO_WRITE, IO_TRIM, IO_FLUSH, IO_WRITE_ZEROES };
#define IO_OPS 5

struct io {
	enum io_op op;
	uint32_t length; /* bytes; TRIM and WRITE_ZEROES too, at most info.trim_bytes_max */
	uint64_t offset; /* bytes */
	struct content
		content;    /* WRITE: what to write; READ: what to expect where content.verify */
	uint64_t due_ns;    /* open loop: when it should have been submitted; else 0 */
	uint64_t submit_ns; /* stamped by the device ... */
	uint64_t done_ns;   /* ... on the device's clock */
	int32_t result; /* bytes moved, or a negative errno: a failed I/O is a sample, not an error */
	uint32_t slot;	/* the backend's, while in flight */
	bool in_flight; /* the wrapper's */
};

/* Ways of emptying a drive. PURGE_DEFAULT: the one that suits it, or that its drive specification names. */
enum purge_method {
	PURGE_DEFAULT,
	PURGE_FORMAT,
	PURGE_SANITIZE,
	PURGE_SECURE_ERASE,
	PURGE_DISCARD,
	PURGE_ZERO_FILL
};
extern const char *const purge_method_names[]; /* as above, ended by NULL */

#define DEVICE_OPTIONS_MAX 16

/* A DRIVE as given, e.g. "sim:NAME,capacity=8GB,seed=2". Made by device_spec_parse(). */
struct device_spec {
	char text[512]; /* as given */
	char kind[16];	/* "sim", "block", "file", "dir", "null" */
	char path[256]; /* path or model name */
	struct {
		char name[64], value[128];
	} option[DEVICE_OPTIONS_MAX];
	unsigned options;
	/* not part of the text: set by the command line */
	char destroy[64]; /* --destroy: serial (or kernel name) typed in full; empty: not given */
	char over[64];	  /* --over: signature that may be overwritten */
	bool read_only;	  /* open so that nothing can be written */
	bool look; /* read_only, and only the facts are wanted: info says what a writing open would, what
		    * does not exist yet is not made, and no lane may be opened */
	uint64_t leave_free_bytes; /* file, dir: keep so much of the file system free ... */
	bool leave_free_given;	   /* ... else the larger of 5 % and 2 GiB */
	uint64_t seed;		   /* of the simulated drive */
	char models[256];	   /* folder in which its model is looked for first; empty: none */
};

/* What callers may rely on; filled at open, constant afterwards. Empty strings: not known. */
struct device_info {
	char kind[16]; /* "sim", "block", "file", "dir", "null" */
	char model[64], serial[64], firmware[32];
	char state_key[128];	 /* names the physical thing for the ledger; empty: has no memory */
	uint64_t capacity_bytes; /* of the drive (dir: of the file system) */
	uint64_t occupied_bytes; /* of these, held by others and not addressable (dir); else 0 */
	uint64_t span_bytes;	 /* addressable: offsets are below this */
	uint32_t block_bytes;	 /* every offset and length is a multiple */
	uint32_t physical_block_bytes;
	uint32_t ops;		 /* bits 1u << enum io_op */
	uint32_t trim_bytes_max; /* largest length of a TRIM */
	unsigned lanes_max;	 /* how many lanes may be open at once */
	unsigned depth_max;	 /* per lane */
	bool needs_data;	 /* content is rendered into memory */
	bool state_persists;	 /* what was written is still there in the next run */
	bool wears;		 /* writing costs endurance */
	bool real_time;		 /* false: the clock stands while the caller works */
	bool counts;		 /* device_counters() works */
	uint64_t
		budget_default_bytes; /* how much may be written unless told otherwise; 0: no bound */
	uint64_t stamp_error_ns;      /* how late a completion may be stamped, at most, when busy */
};

/* The device's own counters (diskstats; the simulated link). Differences over a phase prove what was done. */
struct device_counters {
	uint64_t read_bytes, written_bytes;
	uint64_t in_flight_ns; /* integral over time of the number of I/Os at the device */
	uint64_t in_flight;    /* and that number now */
	/* file, dir: bytes read by these lanes that were never written, so the file system made zeros; else 0 */
	uint64_t unwritten_read_bytes;
};

struct lane_spec {
	unsigned depth;	     /* I/Os in flight at most */
	uint32_t length_max; /* longest read or write */
};

struct device;
struct lane;

struct device_ops {
	const char *name; /* the kind in a drive specification */
	const char *help; /* how to write one, one line */
	/* Open and guard. -ERR_REFUSED where writing would not be safe. */
	int (*open)(struct device **ret, const struct device_spec *spec, struct err *err);
	void (*close)(struct device *dev);
	int (*lane_open)(struct lane **ret, struct device *dev, const struct lane_spec *spec,
			 struct err *err);
	void (*lane_close)(struct lane *lane);
	/* Nanoseconds since some fixed moment at or before the open; never goes back. */
	uint64_t (*now_ns)(struct lane *lane);
	/* I/Os to come: may prefetch, never changes a result. May be NULL. */
	void (*hint)(struct lane *lane, struct io *const *io, unsigned n);
	/* Returns how many of the n were taken, from the first on, or a negative errno. Never waits. */
	int (*submit)(struct lane *lane, struct io *const *io, unsigned n);
	/*
	 * Gives back completions in the order of done_ns (in virtual time only those of one instant), at
	 * most max, and returns how many. Waits until the first of them or until the clock says until_ns;
	 * with nothing in flight it waits until then, which is idling. Returns 0 at until_ns. An I/O that
	 * does not come back within lost_after (60 s) is given back with -ETIMEDOUT.
	 */
	int (*reap)(struct lane *lane, struct io **done, unsigned max, uint64_t until_ns);
	/* Optional, NULL means "cannot". */
	int (*counters)(struct device *dev, struct device_counters *ret);
	int (*telemetry)(struct device *dev, struct telemetry *ret);
	/* Bring all of the drive into the state "never written", if that can be done. -ENOTSUP: not in this way. */
	int (*purge)(struct device *dev, enum purge_method method, struct err *err);
	/* Where a simulated drive sends its truth series; now_ns is the clock at the start of the run. */
	void (*attach)(struct device *dev, struct sink *sink);
};

/* First member of every backend's own struct. */
struct device {
	const struct device_ops *ops;
	struct device_info info;
	unsigned lanes_open; /* the wrapper's, atomic */
};

struct lane {
	const struct device_ops *ops;
	struct device *dev;
	struct lane_spec spec;
	/* the wrapper's */
	unsigned in_flight;
	uint64_t owner;
	uint64_t done_ns_last;
};

/* All backends, ended by NULL (registry.c). */
extern const struct device_ops *const device_backends[];

/* Parse a DRIVE. -ERR_USAGE with a sentence. "/dev/x" is kind "block"; "" is the simulated default. */
int device_spec_parse(const char *text, struct device_spec *ret, struct err *err);
/* The value of an option, or NULL. */
const char *device_spec_option(const struct device_spec *spec, const char *name);

int device_open(struct device **ret, const struct device_spec *spec, struct err *err);
void device_close(struct device *dev); /* NULL is fine; all lanes must be closed */
int device_counters(struct device *dev, struct device_counters *ret); /* -ENOTSUP: cannot */
int device_telemetry(struct device *dev, struct telemetry *ret);      /* -ENOTSUP: cannot */
/* All lanes must be closed. -ENOTSUP: cannot, or not by this method. */
int device_purge_by(struct device *dev, enum purge_method method, struct err *err);
int device_purge(struct device *dev, struct err *err);	   /* PURGE_DEFAULT */
void device_attach(struct device *dev, struct sink *sink); /* no-op where there is no truth */

int lane_open(struct lane **ret, struct device *dev, const struct lane_spec *spec, struct err *err);
/* NULL is fine; I/Os in flight are given up, but their structs must outlive the call. */
void lane_close(struct lane *lane);
uint64_t lane_now_ns(struct lane *lane);
void lane_hint(struct lane *lane, struct io *const *io, unsigned n);
int lane_submit(struct lane *lane, struct io *const *io, unsigned n);
int lane_reap(struct lane *lane, struct io **done, unsigned max, uint64_t until_ns);

#endif
