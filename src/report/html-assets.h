/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html-assets.h - the page's scripts and styles, compiled in (tools/embed.c). Not NUL-terminated.
 */
#ifndef ASSAY_REPORT_HTML_ASSETS_H
#define ASSAY_REPORT_HTML_ASSETS_H

#include <stddef.h>

extern const unsigned char html_asset_style[], html_asset_dygraphs[], html_asset_script[];
extern const size_t html_asset_style_bytes, html_asset_dygraphs_bytes, html_asset_script_bytes;

#endif
