/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schema_steps.c - the SQL of each version of the schema. A released step is never changed.
 */
#include <stddef.h>

#include "store/schema.h"

/* SQL is laid out as SQL. */
/* clang-format off */

#define FLOW(name)                                                                                 \
	"  " name "_ops INTEGER NOT NULL, " name "_bytes INTEGER NOT NULL,\n"                      \
	"  " name "_errors INTEGER NOT NULL, " name "_lat_ns_sum INTEGER NOT NULL,\n"              \
	"  " name "_lat_ns_min INTEGER NOT NULL, " name "_lat_ns_max INTEGER NOT NULL,\n"

/* In views: what one direction did in a row of table t during s seconds. NULL where it did nothing. */
#define FLOW_VIEW(t, name, s)                                                                      \
	"  CASE WHEN " s " > 0 THEN " t "." name "_bytes / 1e6 / " s " END AS " name "_mbps,\n"    \
	"  CASE WHEN " s " > 0 THEN " t "." name "_ops / " s " END AS " name "_iops,\n"            \
	"  CASE WHEN " t "." name "_ops > 0 THEN\n"                                                \
	"    " t "." name "_lat_ns_sum / 1e3 / " t "." name "_ops END AS " name "_lat_us_mean,\n"  \
	"  CASE WHEN " t "." name "_ops > 0 THEN\n"                                                \
	"    " t "." name "_lat_ns_max / 1e3 END AS " name "_lat_us_max,\n"                        \
	"  " t "." name "_errors AS " name "_errors,\n"

static const char step_1[] =
	"CREATE TABLE run (\n"
	"  row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, experiment TEXT NOT NULL,\n"
	"  profile_name TEXT NOT NULL, profile_version INTEGER NOT NULL,\n"
	"  profile_hash TEXT NOT NULL, drive_spec TEXT NOT NULL, drive_kind TEXT NOT NULL,\n"
	"  drive_model TEXT NOT NULL, drive_serial TEXT NOT NULL, drive_firmware TEXT NOT NULL,\n"
	"  capacity_bytes INTEGER NOT NULL, seed INTEGER NOT NULL, arguments TEXT,\n"
	"  started TEXT NOT NULL, wall_s REAL, drive_s REAL, written_bytes INTEGER NOT NULL,\n"
	"  status TEXT NOT NULL, message TEXT NOT NULL);\n"

	"CREATE TABLE environment (run INTEGER PRIMARY KEY REFERENCES run, json TEXT);\n"

	"CREATE TABLE phase (\n"
	"  row INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run,\n"
	"  finished INTEGER NOT NULL,\n"
	/* what was asked */
	"  id INTEGER NOT NULL, key TEXT NOT NULL, label TEXT NOT NULL, repeat INTEGER NOT NULL,\n"
	"  pass INTEGER NOT NULL, level_pct REAL, read_pct REAL NOT NULL, mix TEXT NOT NULL,\n"
	"  blocks TEXT NOT NULL, span_offset_bytes INTEGER NOT NULL,\n"
	"  span_bytes INTEGER NOT NULL, load_order TEXT NOT NULL, share_start INTEGER NOT NULL,\n"
	"  zipf_theta REAL, hot_ops_pct REAL, hot_span_pct REAL, stride_bytes INTEGER NOT NULL,\n"
	"  queue_depth INTEGER NOT NULL, threads INTEGER NOT NULL, arrival TEXT NOT NULL,\n"
	"  offered_iops REAL, burst_ios INTEGER NOT NULL, burst_pause_ns INTEGER NOT NULL,\n"
	"  content_kind TEXT NOT NULL, content_compress_pct INTEGER NOT NULL,\n"
	"  content_verify INTEGER NOT NULL, content_generation INTEGER NOT NULL,\n"
	"  content_seed INTEGER NOT NULL, ramp_ns INTEGER NOT NULL, stop_bytes INTEGER NOT NULL,\n"
	"  stop_ns INTEGER NOT NULL, stop_passes INTEGER NOT NULL, window_ns INTEGER NOT NULL,\n"
	"  trim INTEGER NOT NULL, unwritten_read INTEGER NOT NULL, load_seed INTEGER NOT NULL,\n"
	/* the drive at the start */
	"  written_since_purge_bytes INTEGER, fill_pct REAL, idle_before_s REAL,\n"
	"  temperature_c REAL, wear_pct REAL,\n"
	/* what came out */
	"  start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, written_bytes INTEGER NOT NULL,\n"
	FLOW("read")
	FLOW("write")
	FLOW("read_service")
	FLOW( "write_service")
	"  read_in_flight_mean REAL, write_in_flight_mean REAL, in_flight_device_mean REAL,\n"
	"  in_flight_device_max REAL,\n"
	"  stamp_error_ns INTEGER NOT NULL, notes INTEGER NOT NULL,\n"
	"  UNIQUE (run, id), UNIQUE (run, key));\n"

	"CREATE TABLE window (\n"
	"  phase INTEGER NOT NULL REFERENCES phase, idx INTEGER NOT NULL,\n"
	"  start_ns INTEGER NOT NULL, length_ns INTEGER NOT NULL, written_bytes INTEGER NOT NULL,\n"
	"  in_flight_ns INTEGER NOT NULL, backlog INTEGER NOT NULL,\n"
	FLOW("read")
	FLOW( "write")
	"  PRIMARY KEY (phase, idx)) WITHOUT ROWID;\n"

	/* idx -1: the whole phase. flow: 0 read, 1 write, 2 read_service, 3 write_service. */
	"CREATE TABLE histogram (\n"
	"  phase INTEGER NOT NULL REFERENCES phase, idx INTEGER NOT NULL, flow INTEGER NOT NULL,\n"
	"  buckets BLOB NOT NULL, PRIMARY KEY (phase, idx, flow)) WITHOUT ROWID;\n"

	"CREATE TABLE oplog (\n"
	"  phase INTEGER NOT NULL REFERENCES phase, chunk INTEGER NOT NULL,\n"
	"  records INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE (phase, chunk));\n"

	"CREATE TABLE telemetry (\n"
	"  run INTEGER NOT NULL REFERENCES run, seq INTEGER NOT NULL, at_ns INTEGER NOT NULL,\n"
	"  temperature_c REAL, wear_pct REAL, host_written_bytes INTEGER,\n"
	"  host_read_bytes INTEGER, PRIMARY KEY (run, seq)) WITHOUT ROWID;\n"

	"CREATE TABLE truth (\n"
	"  run INTEGER NOT NULL REFERENCES run, seq INTEGER NOT NULL, at_ns INTEGER NOT NULL,\n"
	"  host_written_bytes INTEGER NOT NULL, host_read_bytes INTEGER NOT NULL,\n"
	"  nand_written_bytes INTEGER NOT NULL, gc_copied_bytes INTEGER NOT NULL,\n"
	"  folded_bytes INTEGER NOT NULL, refreshed_bytes INTEGER NOT NULL,\n"
	"  cache_used_bytes INTEGER NOT NULL, cache_limit_bytes INTEGER NOT NULL,\n"
	"  free_superblocks INTEGER NOT NULL, erases INTEGER NOT NULL,\n"
	"  mapping_misses INTEGER NOT NULL, alpha_eff REAL,\n"
	"  die_busy_share REAL, link_busy_share REAL, temperature_c REAL, binding TEXT NOT NULL,\n"
	"  activity TEXT NOT NULL, PRIMARY KEY (run, seq)) WITHOUT ROWID;\n"

	"CREATE TABLE verdict (\n"
	"  run INTEGER NOT NULL REFERENCES run, seq INTEGER NOT NULL, name TEXT NOT NULL,\n"
	"  word TEXT NOT NULL, value REAL, unit TEXT NOT NULL, low REAL, high REAL,\n"
	"  n INTEGER NOT NULL, interval TEXT NOT NULL, status TEXT NOT NULL, text TEXT NOT NULL,\n"
	"  PRIMARY KEY (run, seq)) WITHOUT ROWID;\n"

	"CREATE TABLE ledger (\n"
	"  drive TEXT PRIMARY KEY, written_since_purge_bytes INTEGER, fill_bytes INTEGER,\n"
	"  last_io_unix_s INTEGER) WITHOUT ROWID;\n"

	"CREATE VIEW v_run AS SELECT id AS run, experiment, drive_spec AS drive,\n"
	"  drive_model AS model, drive_serial AS serial, started, status, wall_s, drive_s,\n"
	"  written_bytes / 1e9 AS written_gb, capacity_bytes / 1e9 AS capacity_gb,\n"
	"  profile_name || ' ' || profile_version AS profile, profile_hash,\n"
	"  printf('%llu', seed) AS seed, message,\n"
	"  (SELECT count(*) FROM phase AS p WHERE p.run = r.row AND p.finished) AS phases\n"
	"  FROM run AS r;\n"

	"CREATE VIEW v_phase AS SELECT r.id AS run, p.id AS phase, p.key, p.label, p.level_pct,\n"
	"  nullif(p.repeat, 0) AS repeat, nullif(p.pass, 0) AS pass, p.read_pct, p.blocks,\n"
	"  p.load_order, p.span_bytes / 1e6 AS span_mb, p.queue_depth, p.threads, p.arrival,\n"
	"  CASE WHEN p.arrival <> 'closed' THEN p.offered_iops END AS offered_iops,\n"
	"  p.start_ns / 1e9 AS start_s, p.end_ns / 1e9 AS end_s,\n"
	"  (p.end_ns - p.start_ns) / 1e9 AS length_s,\n"
	"  p.written_bytes / 1e9 AS written_gb, p.fill_pct, p.temperature_c,\n"
	FLOW_VIEW( "p", "read", "((p.end_ns - p.start_ns) / 1e9)")
	FLOW_VIEW("p", "write", "((p.end_ns - p.start_ns) / " "1e9)")
	"  p.read_in_flight_mean, p.write_in_flight_mean, p.in_flight_device_mean, p.in_flight_device_max,\n"
	"  trim(iif(notes & 1, 'host_bound ', '') || iif(notes & 2, 'depth_not_reached ', '') ||\n"
	"    iif(notes & 4, 'unwritten_read ', '') || iif(notes & 8, 'cache_served ', '') ||\n"
	"    iif(notes & 16, 'throttled ', '') || iif(notes & 32, 'not_steady ', '') ||\n"
	"    iif(notes & 64, 'span_not_covered ', '') || iif(notes & 128, 'interrupted ', ''))\n"
	"    AS notes\n"
	"  FROM phase AS p JOIN run AS r ON r.row = p.run WHERE p.finished;\n"

	"CREATE VIEW v_window AS SELECT r.id AS run, p.id AS phase, p.label, p.level_pct,\n"
	"  nullif(p.repeat, 0) AS repeat, nullif(p.pass, 0) AS pass, w.idx AS window,\n"
	"  (p.start_ns + w.start_ns) / 1e9 AS at_s, w.start_ns / 1e9 AS start_s,\n"
	"  w.length_ns / 1e9 AS length_s, w.written_bytes / 1e9 AS written_gb,\n"
	FLOW_VIEW("w", "read", "(w.length_ns / 1e9)")
	FLOW_VIEW( "w", "write", "(w.length_ns " "/ 1e9)")
	"  w.in_flight_ns * 1.0 / w.length_ns AS in_flight_mean, w.backlog\n"
	"  FROM window AS w JOIN phase AS p ON p.row = w.phase JOIN run AS r ON r.row = p.run;\n"

	"CREATE VIEW v_verdict AS SELECT r.id AS run, v.seq, v.name,\n"
	"  CASE WHEN v.word <> '' THEN v.word ELSE v.value END AS value, v.unit, v.low, v.high,\n"
	"  v.n, v.interval, v.status, v.text FROM verdict AS v JOIN run AS r ON r.row = v.run;\n"

	"CREATE VIEW v_truth AS SELECT r.id AS run, t.at_ns / 1e9 AS at_s,\n"
	"  t.host_written_bytes / 1e9 AS host_written_gb,\n"
	"  t.nand_written_bytes / 1e9 AS nand_written_gb,\n"
	"  CASE WHEN t.host_written_bytes > 0 THEN\n"
	"    t.nand_written_bytes * 1.0 / t.host_written_bytes END AS write_amplification,\n"
	"  t.gc_copied_bytes / 1e9 AS gc_copied_gb, t.folded_bytes / 1e9 AS folded_gb,\n"
	"  t.cache_used_bytes / 1e9 AS cache_used_gb, t.cache_limit_bytes / 1e9 AS cache_limit_gb,\n"
	"  t.free_superblocks, t.erases, t.mapping_misses, t.die_busy_share, t.link_busy_share, t.temperature_c,\n"
	"  t.binding, t.activity FROM truth AS t JOIN run AS r ON r.row = t.run;\n";

/* clang-format on */

const char *const schema_steps[] = { step_1, NULL };
