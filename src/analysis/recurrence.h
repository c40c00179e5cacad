/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * recurrence.h - does a series repeat itself, and after how many values? The part of periodic.h that works on
 * one evenly spaced series.
 *
 * The series, without its straight line, is whitened twice: by its own AR(1) residuals, and by dividing the
 * power of these by the power of its neighbourhood (medians of blocks of bins), so that
 * neither correlated noise nor a drift looks like a period. Two statistics, as neither sees everything:
 *  - the largest power of one frequency: sines and smooth shapes, also weak ones (R. A. Fisher, "Tests of
 *    significance in harmonic analysis", Proc. R. Soc. A 125, 1929);
 *  - the highest autocorrelation beyond its first zero: pulses, whose power is spread over many harmonics.
 * Each is compared with that of series whose AR(1) residuals are shuffled, which is the AR sieve bootstrap of
 * order one (P. Buehlmann, "Sieve bootstrap for time series", Bernoulli 3, 1997). Maxima over many places follow
 * a Gumbel distribution, which is fitted to them, so that a few dozen give p values below one in a few dozen.
 */
#ifndef ASSAY_ANALYSIS_RECURRENCE_H
#define ASSAY_ANALYSIS_RECURRENCE_H

#include <stddef.h>
#include <stdint.h>

#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>

#define RECURRENCE_REPEATS_MIN 5 /* longer periods are not looked for */

struct recurrence {
	size_t n; /* values in use: a product of 2, 3 and 5; what is too much is left out at the start */
	double *values; /* AR(1) residuals */
	double *shape;	/* transform; then autocorrelation, n / 2 + 1 lags of use, [0] is 1 */
	double *power;	/* whitened, by frequency */
	double *raw;	/* that of the residuals */
	double *scratch;
	double correlation; /* that of the AR(1) process */
	double line;	    /* largest power */
	double line_limit;  /* 99 % of shuffled series have less; known after recurrence_test() */
	double peak;	    /* highest autocorrelation */
	double p_line, p_peak;
	gsl_fft_real_wavetable *forward;
	gsl_fft_halfcomplex_wavetable *back;
	gsl_fft_real_workspace *room;
};

/* Of n >= 32 finite values that are not all on one line. The copy is the caller's to release, also on -ENOMEM. */
int recurrence_init(struct recurrence *r, const double *y, size_t n);
void recurrence_release(struct recurrence *r);

/* How much speaks for a period, to compare series with each other: about a log likelihood ratio. */
double recurrence_score(const struct recurrence *r);

/* p_line, p_peak and line_limit. */
void recurrence_test(struct recurrence *r, uint64_t seed);

/*
 * The period in values, to about one value over the number of repetitions that it can be followed. After the
 * test; changes shape. The first high peak of the autocorrelation, of that of the power that stands out or of
 * all whitened power, whichever period explains more of the series folded by it.
 */
double recurrence_period(struct recurrence *r);

#endif
