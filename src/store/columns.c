/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * columns.c - the fields of what is stored, in the order of the schema (schema.c); a test holds the two
 * against each other.
 */
#include "data/phase.h"
#include "data/run.h"
#include "data/telemetry.h"
#include "data/verdict.h"
#include "device/truth.h"
#include "store/row.h"
#include "store/window_row.h"

static const char *const content_words[] = { "random", "zeros", "duplicate", "gigafile", NULL };

#define U64(name, type, field)                                                                     \
	{                                                                                          \
		name, COLUMN_U64, offsetof(type, field), 0, NULL                                   \
	}
#define I64(name, type, field)                                                                     \
	{                                                                                          \
		name, COLUMN_I64, offsetof(type, field), 0, NULL                                   \
	}
#define U32(name, type, field)                                                                     \
	{                                                                                          \
		name, COLUMN_U32, offsetof(type, field), 0, NULL                                   \
	}
#define BOOL(name, type, field)                                                                    \
	{                                                                                          \
		name, COLUMN_BOOL, offsetof(type, field), 0, NULL                                  \
	}
#define F64(name, type, field)                                                                     \
	{                                                                                          \
		name, COLUMN_F64, offsetof(type, field), 0, NULL                                   \
	}
#define TEXT(name, type, field)                                                                    \
	{                                                                                          \
		name, COLUMN_TEXT, offsetof(type, field), sizeof(((type *)0)->field), NULL         \
	}
#define STRING(name, type, field)                                                                  \
	{                                                                                          \
		name, COLUMN_STRING, offsetof(type, field), 0, NULL                                \
	}
#define WORD(name, type, field, words)                                                             \
	{                                                                                          \
		name, COLUMN_WORD, offsetof(type, field), 0, words                                 \
	}
#define FLOW(prefix, type, field)                                                                  \
	U64(prefix "_ops", type, field.ops), U64(prefix "_bytes", type, field.bytes),              \
		U64(prefix "_errors", type, field.errors),                                         \
		U64(prefix "_lat_ns_sum", type, field.lat_ns_sum),                                 \
		U64(prefix "_lat_ns_min", type, field.lat_ns_min),                                 \
		U64(prefix "_lat_ns_max", type, field.lat_ns_max)

const struct column columns_run[] = {
	TEXT("id", struct run, id),
	TEXT("experiment", struct run, experiment),
	TEXT("profile_name", struct run, profile_name),
	U32("profile_version", struct run, profile_version),
	TEXT("profile_hash", struct run, profile_hash),
	TEXT("drive_spec", struct run, drive_spec),
	TEXT("drive_kind", struct run, drive_kind),
	TEXT("drive_model", struct run, drive_model),
	TEXT("drive_serial", struct run, drive_serial),
	TEXT("drive_firmware", struct run, drive_firmware),
	U64("capacity_bytes", struct run, capacity_bytes),
	U64("seed", struct run, seed),
	STRING("arguments", struct run, arguments_json),
	TEXT("started", struct run, started),
	F64("wall_s", struct run, wall_s),
	F64("drive_s", struct run, drive_s),
	U64("written_bytes", struct run, written_bytes),
	WORD("status", struct run, status, run_status_names),
	TEXT("message", struct run, message),
	COLUMN_END,
};

const struct column columns_phase_asked[] = {
	U64("id", struct phase, id),
	TEXT("key", struct phase, key),
	TEXT("label", struct phase, label),
	U32("repeat", struct phase, repeat),
	U32("pass", struct phase, pass),
	F64("level_pct", struct phase, level_pct),
	F64("read_pct", struct phase, load.read_pct),
	WORD("mix", struct phase, load.mix, load_mix_names),
	{ "blocks", COLUMN_BLOCKS, offsetof(struct phase, load), 0, NULL },
	U64("span_offset_bytes", struct phase, load.span_offset_bytes),
	U64("span_bytes", struct phase, load.span_bytes),
	WORD("load_order", struct phase, load.order, load_order_names),
	BOOL("share_start", struct phase, load.share_start),
	F64("zipf_theta", struct phase, load.zipf_theta),
	F64("hot_ops_pct", struct phase, load.hot_ops_pct),
	F64("hot_span_pct", struct phase, load.hot_span_pct),
	U64("stride_bytes", struct phase, load.stride_bytes),
	U32("queue_depth", struct phase, load.queue_depth),
	U32("threads", struct phase, load.threads),
	WORD("arrival", struct phase, load.arrival, load_arrival_names),
	F64("offered_iops", struct phase, load.offered_iops),
	U64("burst_ios", struct phase, load.burst_ios),
	U64("burst_pause_ns", struct phase, load.burst_pause_ns),
	WORD("content_kind", struct phase, load.content.kind, content_words),
	{ "content_compress_pct", COLUMN_U8, offsetof(struct phase, load.content.compress_pct), 0,
	  NULL },
	BOOL("content_verify", struct phase, load.content.verify),
	U32("content_generation", struct phase, load.content.generation),
	U64("content_seed", struct phase, load.content.seed),
	U64("ramp_ns", struct phase, load.ramp_ns),
	U64("stop_bytes", struct phase, load.stop_bytes),
	U64("stop_ns", struct phase, load.stop_ns),
	U64("stop_passes", struct phase, load.stop_passes),
	U64("window_ns", struct phase, load.window_ns),
	BOOL("trim", struct phase, load.trim),
	BOOL("unwritten_read", struct phase, load.unwritten_read),
	U64("load_seed", struct phase, load.seed),
	COLUMN_END,
};

const struct column columns_phase_result[] = {
	I64("written_since_purge_bytes", struct phase, state.written_since_purge_bytes),
	F64("fill_pct", struct phase, state.fill_pct),
	F64("idle_before_s", struct phase, state.idle_before_s),
	F64("temperature_c", struct phase, state.temperature_c),
	F64("wear_pct", struct phase, state.wear_pct),
	U64("start_ns", struct phase, start_ns),
	U64("end_ns", struct phase, end_ns),
	U64("written_bytes", struct phase, written_bytes),
	FLOW("read", struct phase, read),
	FLOW("write", struct phase, write),
	FLOW("read_service", struct phase, read_service),
	FLOW("write_service", struct phase, write_service),
	F64("read_in_flight_mean", struct phase, read_in_flight_mean),
	F64("write_in_flight_mean", struct phase, write_in_flight_mean),
	F64("in_flight_device_mean", struct phase, in_flight_device_mean),
	F64("in_flight_device_max", struct phase, in_flight_device_max),
	U64("stamp_error_ns", struct phase, stamp_error_ns),
	U32("notes", struct phase, notes),
	COLUMN_END,
};

const struct column columns_window[] = {
	U64("start_ns", struct window_row, start_ns),
	U64("length_ns", struct window_row, length_ns),
	U64("written_bytes", struct window_row, written_bytes),
	U64("in_flight_ns", struct window_row, in_flight_ns),
	U64("backlog", struct window_row, backlog),
	FLOW("read", struct window_row, read),
	FLOW("write", struct window_row, write),
	COLUMN_END,
};

const struct column columns_telemetry[] = {
	U64("at_ns", struct telemetry, at_ns),
	F64("temperature_c", struct telemetry, temperature_c),
	F64("wear_pct", struct telemetry, wear_pct),
	I64("host_written_bytes", struct telemetry, host_written_bytes),
	I64("host_read_bytes", struct telemetry, host_read_bytes),
	COLUMN_END,
};

const struct column columns_truth[] = {
	U64("at_ns", struct truth, at_ns),
	U64("host_written_bytes", struct truth, host_written_bytes),
	U64("host_read_bytes", struct truth, host_read_bytes),
	U64("nand_written_bytes", struct truth, nand_written_bytes),
	U64("gc_copied_bytes", struct truth, gc_copied_bytes),
	U64("folded_bytes", struct truth, folded_bytes),
	U64("refreshed_bytes", struct truth, refreshed_bytes),
	U64("cache_used_bytes", struct truth, cache_used_bytes),
	U64("cache_limit_bytes", struct truth, cache_limit_bytes),
	U64("free_superblocks", struct truth, free_superblocks),
	U64("erases", struct truth, erases),
	U64("mapping_misses", struct truth, mapping_misses),
	F64("alpha_eff", struct truth, alpha_eff),
	F64("die_busy_share", struct truth, die_busy_share),
	F64("link_busy_share", struct truth, link_busy_share),
	F64("temperature_c", struct truth, temperature_c),
	TEXT("binding", struct truth, binding),
	TEXT("activity", struct truth, activity),
	COLUMN_END,
};

const struct column columns_verdict[] = {
	TEXT("name", struct verdict, name),
	TEXT("word", struct verdict, word),
	F64("value", struct verdict, value),
	TEXT("unit", struct verdict, unit),
	F64("low", struct verdict, low),
	F64("high", struct verdict, high),
	U64("n", struct verdict, n),
	WORD("interval", struct verdict, interval, verdict_interval_names),
	WORD("status", struct verdict, status, verdict_status_names),
	TEXT("text", struct verdict, text),
	COLUMN_END,
};
