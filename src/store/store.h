/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store.h - results in one SQLite file, and back out of it.
 *
 * One writer at a time (WAL, so readers do not wait). What was handed to the sink is committed every wall
 * second and at least every 256 windows. `path` NULL is a store in memory: the same code, nothing kept.
 */
#ifndef ASSAY_STORE_STORE_H
#define ASSAY_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "data/phase.h"
#include "data/run.h"
#include "data/sink.h"
#include "data/verdict.h"
#include "device/truth.h"

struct store;

/*
 * Open or make the file and bring its schema up to date; read_only makes none and changes no record. Errors
 * a caller may branch on: -ENOENT (read_only: no such file, or empty), -ENOTSUP (written by a newer Assay),
 * -EINVAL (no database, or another program's), -EUCLEAN (damaged), -EROFS or -EACCES (cannot be written),
 * -ENOSPC, -EBUSY (another process kept it locked for 15 s). Every call below may give the last six.
 */
int store_open(struct store **ret, const char *path, bool read_only, struct err *err);
void store_close(struct store *store); /* commits; NULL is fine */

/* Start a run: stores the head (status "running") and makes it the one the sink writes to. */
int store_run_begin(struct store *store, const struct run *run, struct err *err);
/*
 * Go on with a stored run. Where `replay` is set (a drive whose state does not persist) the run is computed
 * again from its start and what is stored is compared byte for byte (-EBADMSG with a sentence where it
 * differs); else stored phases are handed out by phase_stored() and unfinished ones are dropped. A phase
 * that Ctrl-C ended (the last one, NOTE_INTERRUPTED) counts as unfinished. -EBUSY where another process
 * is still making the run.
 */
int store_run_resume(struct store *store, const char *run_id, bool replay, struct err *err);
/* Finish the run: status, message, wall_s, drive_s, written_bytes from `run`. */
int store_run_end(struct store *store, const struct run *run, struct err *err);

/* The sink of the run begun or resumed; owned by the store. */
struct sink *store_sink(struct store *store);

DEFINE_VEC(phases, struct phase *);

/* A run as it is stored. */
struct run_record {
	struct run run;
	struct phases phases;	  /* in the order of their ids, finished ones only */
	struct verdicts verdicts; /* in the order they were given */
};

/* -ENOENT with a sentence where there is no such run. An unambiguous beginning of the id, or "last", will do. */
int store_run_load(struct store *store, const char *run_id, struct run_record **ret,
		   struct err *err);
/* As store_run_load(), without the phases (which take up to 120 KB each). */
int store_run_head(struct store *store, const char *run_id, struct run_record **ret,
		   struct err *err);
void run_record_free(struct run_record *record); /* NULL is fine */

/* Finished phases in the order of their ids, one at a time; valid during the call only. */
int store_phases(struct store *store, const char *run_id,
		 int (*each)(void *user, const struct phase *phase), void *user, struct err *err);

/* Heads of all runs, the newest last. A callback that returns non-zero ends the walk with that value. */
int store_runs(struct store *store, int (*each)(void *user, const struct run *run), void *user,
	       struct err *err);
int store_windows(struct store *store, const char *run_id, uint64_t phase_id,
		  int (*each)(void *user, const struct window *window), void *user,
		  struct err *err);
int store_truth(struct store *store, const char *run_id,
		int (*each)(void *user, const struct truth *truth), void *user, struct err *err);
int store_telemetry(struct store *store, const char *run_id,
		    int (*each)(void *user, const struct telemetry *t), void *user,
		    struct err *err);

/* The ledger: what is known of a drive over all runs. Unknown: -1. */
struct ledger {
	int64_t written_since_purge_bytes, fill_bytes;
	int64_t last_io_unix_s;
};
int store_ledger_get(struct store *store, const char *state_key, struct ledger *ret,
		     struct err *err);
int store_ledger_set(struct store *store, const char *state_key, const struct ledger *ledger,
		     struct err *err);

#endif
