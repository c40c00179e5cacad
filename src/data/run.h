/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.h - the head of a run: which experiment, on which drive, how it was asked for, how it ended.
 */
#ifndef ASSAY_DATA_RUN_H
#define ASSAY_DATA_RUN_H

#include <stdint.h>

#define RUN_ID_SIZE 24

enum run_status { RUN_RUNNING, RUN_DONE, RUN_INTERRUPTED, RUN_FAILED };
extern const char *const run_status_names[];

struct run {
	char id[RUN_ID_SIZE]; /* "20261130-224501-3f9a" */
	char experiment[32];
	char profile_name[32];
	unsigned profile_version;
	char profile_hash[20]; /* of the profile's name, version and every parameter */
	char drive_spec[512];  /* as given, e.g. "sim:sm2258xt-120g-usb" */
	char drive_kind[16];   /* "sim", "block", "file", "dir", "null" */
	char drive_model[64], drive_serial[64], drive_firmware[32]; /* empty: null */
	uint64_t capacity_bytes;
	uint64_t seed;
	char *environment_json; /* one JSON object, owned by whoever fills the struct */
	char *arguments_json;	/* what `assay resume` needs: {"argv": [...]}; owned likewise */
	char started[32];	/* RFC 3339, UTC */
	double wall_s, drive_s; /* how long it took, by the host's and by the drive's clock */
	uint64_t written_bytes;
	enum run_status status;
	char message[1000]; /* why it failed or was interrupted; empty else */
};

#endif
