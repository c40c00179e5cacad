/* SPDX-License-Identifier: MIT */
/*
 * config.h - every parameter of a simulated SSD, in one table.
 *
 * The drive maps units of 4 KiB. A superblock takes the same block of every plane of every die; it is what
 * is opened, filled, closed, collected and erased. Within a superblock, consecutive program units (what one
 * program operation of one die writes) go to consecutive dies. In pSLC mode a superblock holds one bit a
 * cell, so 1 / bits of its units.
 *
 * Times are integer nanoseconds, sizes bytes unless a name says units (4 KiB) or superblocks.
 */
#ifndef ASSAY_SSD_CONFIG_H
#define ASSAY_SSD_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/param.h"

#define SSD_UNIT_BYTES 4096u

enum ssd_cell { CELL_SLC, CELL_MLC, CELL_TLC, CELL_QLC };
enum ssd_link { LINK_USB_BOT, LINK_SATA, LINK_PCIE, LINK_USB_UAS };
enum ssd_basis { BASIS_UNMAPPED, BASIS_UNWRITTEN };
enum ssd_full { FULL_DIRECT, FULL_FOLD };
enum wear_free { WEAR_FREE_FIFO, WEAR_FREE_LEAST };

/* Array times of one cell mode. */
struct nand_timing {
	uint64_t read_ns, program_ns, erase_ns;
	uint32_t
		program_units; /* what one program operation writes: planes, wordline and bits together */
};

struct ssd_config {
	uint64_t capacity_bytes;
	uint64_t seed;
	struct {
		double drive_writes, days;
		uint64_t bytes_per_day;
	} aged;
	struct {
		uint32_t channels, dies, planes, page_units, superblock_units, superblocks;
	} geometry;
	int cell; /* enum ssd_cell */
	struct nand_timing nand;
	bool planes_independent;
	struct {
		uint64_t program_ns, erase_ns, resume_ns;
		uint32_t max;
	} suspend;
	struct {
		struct nand_timing nand;
		uint64_t static_bytes;
		double share;
		uint64_t free_kept_bytes;
		int basis, full;
		double fold_share;
		uint64_t fold_low_bytes;
		bool reclaim;
		double reclaim_valid_pct;
		uint64_t idle_delay_ns, idle_bytes_per_s;
	} pslc;
	uint64_t channel_unit_ns;
	struct {
		int kind; /* enum ssd_link */
		uint32_t queue;
		uint64_t read_unit_ns, write_unit_ns, read_command_ns, write_command_ns,
			other_command_ns;
		bool trim;
	} link;
	struct {
		uint64_t read_ns, write_ns, copy_ns, random_read_ns, random_write_ns;
		uint32_t readahead_units;
	} fw;
	uint32_t buffer_units;
	struct {
		uint32_t pages, page_units, lanes;
		uint64_t fetch_ns, writeback_ns, hit_ns;
		bool moves;
	} map;
	int prefill; /* enum ssd_prefill */
	struct {
		int policy, pacing; /* pacing: enum gc_pacing */
		uint32_t low, high, choices, slice_units;
		uint64_t host_slice_ns, idle_delay_ns, idle_bytes_per_s;
		bool reads_too, mixed;
	} gc;
	struct {
		uint32_t units; /* 0: no journal */
		uint64_t a0_ns, a1_ns, flush_ns;
	} journal;
	struct {
		bool zero_detect;
	} content;
	struct {
		uint64_t every_bytes, start_bytes, copy_bytes, slice_ns;
		uint32_t slice_units;
		uint64_t idle_bytes_per_s;
	} campaign;
	struct {
		uint32_t endurance, rated, acceleration, initial; /* cycles; endurance 0: off */
		double endurance_variation, variation, drive_variation, drive_quality;
		double pslc_factor, pslc_rber;
		double epsilon, alpha, k, beta, m, n, gamma, p, q, reads_max; /* see wear.h */
		double cross_temperature;				      /* per K */
		double temperature_c;
		int level_free;	       /* enum wear_free */
		uint32_t level_spread; /* cycles; 0: off */
	} wear;
	struct {
		double hard_rber, soft_rber, retry_gain, page_variation;
		uint32_t retry_steps, soft_reads;
		uint64_t retry_ns, soft_ns;
	} ecc;
	struct {
		double days, rber; /* 0: off */
		uint64_t bytes_per_s;
	} refresh;
	struct {
		uint64_t every_ns, pause_ns; /* every 0: off */
	} calibration;
	struct { /* [2]: of the package and the board; of the light and the heavy level */
		double ambient_c, r_k_per_w[2];
		uint64_t tau_ns[2], step_ns;
		double limit_c[2], hysteresis_k;
		uint64_t rate_bytes_per_s[2];
		double idle_w, active_w;
		double read_page_uj, program_unit_uj, pslc_program_unit_uj, erase_block_uj,
			channel_unit_uj, link_unit_uj;
	} heat;
	struct {
		double read_error_p, late_p, stuck_p;
		uint64_t read_error_ns, bad_start_bytes, bad_bytes, late_ns;
		uint64_t drop_after_bytes, drop_at_ns, cut_every_bytes, cut_ns;
	} fault;
	bool buffer_protected;
	bool tags;
	bool compress;
	double compress_floor;
	int purge_by; /* enum ssd_purge_method */
	uint64_t purge_format_ns;
};

/* One row a parameter; the defaults make a plain TLC SATA drive of 8 GB without cache or campaign. */
extern const struct param ssd_params[];

/*
 * Check what no single row can: that sizes are multiples of each other and that the spare holds what it
 * must. Returns 0 or -EINVAL with a sentence; *ret_name (may be NULL) names the parameter to blame.
 */
int ssd_config_check(const struct ssd_config *cfg, const char **ret_name, struct err *err);

/*
 * Change the capacity (rounded down to whole units) and everything that is a share of it: number of
 * superblocks, fixed cache, campaign. Where fewer than 1024 superblocks would be left, smaller ones are used
 * (and their erase time with them), so that open blocks and reserve stay a small part of the spare. Timings
 * and dies stay. Returns 0 or -EINVAL where nothing is left.
 */
int ssd_config_scale(struct ssd_config *cfg, uint64_t capacity_bytes, struct err *err);

/* Bits a cell in the main mode, 1 to 4. */
static inline uint32_t ssd_bits(const struct ssd_config *cfg)
{
	return (uint32_t)cfg->cell + 1;
}

static inline bool ssd_has_pslc(const struct ssd_config *cfg)
{
	return cfg->pslc.static_bytes || cfg->pslc.share > 0;
}

/* The fewest superblocks with which collection cannot lock up. */
uint32_t ssd_superblocks_needed(const struct ssd_config *cfg);

/* Superblocks that the fixed part of the cache takes from the spare. */
uint32_t ssd_pslc_reserve(const struct ssd_config *cfg);

#endif
