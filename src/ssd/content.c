/* SPDX-License-Identifier: MIT */
#include "ssd/content.h"

#include "ssd/ftl.h"
#include "ssd/gc.h"
#include "ssd/link.h"

uint64_t content_write_zero(struct ssd *ssd, uint32_t unit, uint32_t n, uint64_t t)
{
	ftl_unmap(ssd, unit, n);
	gc_erase_empty(ssd);
	if (ssd->erase_debt_ns)
		ftl_erase_some(ssd, t);
	ssd->stats.zero_units += n;
	return link_take(ssd, LINK_IN, t, n * ssd->cfg.link.write_unit_ns);
}
