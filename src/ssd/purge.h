/* SPDX-License-Identifier: MIT */
/*
 * purge.h - the ways in which a drive can be emptied, with what each really does and how long it takes.
 *
 * Only `new` is not a command of a drive: it makes the drive never written, in no time, counters included. The others
 * leave the lifetime counters, and with them wear.
 *
 *	format		the map is forgotten; blocks become garbage and are erased when the drive comes to it
 *	sanitize	every block is erased (block erase), the dies at the same time
 *	secure-erase	the map is forgotten and the blocks that hold anything are erased
 *	discard		TRIM of every unit: as format, but what was ever written is remembered as such
 *	zero-fill	zeros are written everywhere, 1 MiB after 1 MiB
 */
#ifndef ASSAY_SSD_PURGE_H
#define ASSAY_SSD_PURGE_H

extern const char *const ssd_purge_words[]; /* of enum ssd_purge_method, in its order */

#endif
