/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * analyzer.h - what clang's analyzer cannot know, because it reads one file at a time: that err_set() and
 * err_sys() return the code they are given. Included before every file by tools/clang-tidy, never compiled.
 */
#ifndef ASSAY_TOOLS_ANALYZER_H
#define ASSAY_TOOLS_ANALYZER_H

#include "base/err.h"

#define err_set(err, code, ...) ((void)(err_set)(err, code, __VA_ARGS__), (code))
#define err_sys(err, code, ...) ((void)(err_sys)(err, code, __VA_ARGS__), (code))

#endif
