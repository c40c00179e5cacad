/* SPDX-License-Identifier: GPL-3.0-or-later */
/* init.h - called once by a program before any analysis. */
#ifndef ASSAY_ANALYSIS_INIT_H
#define ASSAY_ANALYSIS_INIT_H

/* GSL's own error handler ends the program; every call here looks at what GSL returns instead. */
void analysis_init(void);

#endif
