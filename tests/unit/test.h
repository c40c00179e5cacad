/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test.h - cmocka with the headers it wants in front of it. */
#ifndef ASSAY_TESTS_UNIT_TEST_H
#define ASSAY_TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
