/* SPDX-License-Identifier: MIT */
/*
 * prefill.h - the drive as it was before its first command: new, or with every address written.
 *
 * Some behaviour exists only on a drive whose addresses were all written before: collection starts at once.
 * `sequential` computes what writing the whole drive in order and waiting until the cache is folded leaves
 * behind: every superblock full and wholly valid, the cache empty. It takes no virtual time; a purge leaves a
 * new drive.
 */
#ifndef ASSAY_SSD_PREFILL_H
#define ASSAY_SSD_PREFILL_H

struct ssd;

extern const char *const prefill_words[];

enum ssd_prefill { PREFILL_NONE, PREFILL_SEQUENTIAL };

/* A drive in which nothing was ever written becomes one on which everything was. */
void prefill_apply(struct ssd *ssd);

#endif
