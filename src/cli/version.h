/* SPDX-License-Identifier: GPL-3.0-or-later */
/* version.h - the version, as meson.build has it. */
#ifndef ASSAY_CLI_VERSION_H
#define ASSAY_CLI_VERSION_H

#ifndef ASSAY_VERSION
#define ASSAY_VERSION "unknown"
#endif

#endif
