/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * theory.h - closed forms of write amplification A, and runs of a small drive to hold against them.
 *
 * alpha = T / U: usable flash units (without the open superblocks and the free reserve) over mapped ones; b units a
 * superblock. Forms F1 to F10 for infinitely many superblocks:
 *
 * F1 random victim: alpha / (alpha - 1).
 * F2 fifo: alpha / (alpha + W(-alpha e^-alpha)), W the principal Lambert branch (Desnoyers, SYSTOR 2012; Xiang and
 *    Kurkoski 2011).
 * F5 greedy: r = 1 / alpha, H the harmonic numbers, victims hold m or m + 1 valid units; x = [b r (H_b - H_{m+1}) -
 *    (b - m - 1)] / [1 - b r / (m + 1)] in [0, 1], J = m + 1 - x, A = b / (b - J) (Bux and Iliadis 2010).
 * F6 d choices: pi_i the share of superblocks with i valid units, t_i its sum from i up; summing the mean field
 *    equations (Van Houdt, SIGMETRICS 2013) from i up gives t_i^d + c i pi_i = 1 with c = 1 / (A r), solved from the
 *    top; A is where the mean of i is b r.
 * F8 TRIM (Frankie et al. 2012): a share q of requests trims a used unit: s = (1 - 2 q) / (1 - q) of the units are in
 *    use; alpha / s in place of alpha.
 * F9 hot and cold in one fifo pool, a share r of the writes to a share f of the units (Desnoyers Eq. 14): A = 1 +
 *    r / (exp(r / f alpha / A) - 1) + (1 - r) / (exp((1 - r) / (1 - f) alpha / A) - 1).
 * F10 the same with greedy, approximate (Eq. 16): k = 1 + 1 / (2 b), F9(k alpha) / k.
 */
#ifndef ASSAY_TESTS_THEORY_H
#define ASSAY_TESTS_THEORY_H

#include "drive.h"

double theory_random(double alpha);
double theory_fifo(double alpha);
double theory_greedy(double alpha, unsigned b);
double theory_choices(double alpha, unsigned b, unsigned d);
double theory_hot_cold_fifo(double alpha, double r, double f);
double theory_hot_cold_greedy(double alpha, unsigned b, double r, double f);
/* Share of units in use under TRIM. */
double theory_trim_used(double q);

/* A small drive with a given over-provisioning (reserve and open superblocks aside), without cache. */
#define THEORY_SUPERBLOCKS 4096u
struct ssd *theory_drive(double op, unsigned b, uint64_t seed, const char *more);

struct theory_load {
	double before, measured;      /* writes of the whole drive; the first are not counted */
	double span;		      /* of the units that are written; 0: all */
	double hot_writes, hot_units; /* 0: uniform */
	double trim; /* share of requests; with uniform writes of the whole drive only */
	uint64_t seed;
};

struct theory_run {
	double wa, alpha; /* alpha: usable over mapped, as the drive tells */
	double used;	  /* mapped share at the end */
	double iops;
};

/* Fill the drive in order, then run the load at depth 32. Conservation is checked behind it. */
struct theory_run theory_run(struct ssd *ssd, const struct theory_load *load);

/* Fails where value is not within pct per cent of want; prints both. */
void theory_near(const char *what, double value, double want, double pct);

#endif
