/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/terminal-group.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void stat_sum_add(struct stat_sum *s, double value)
{
	double delta = value - s->mean;

	s->n++;
	s->mean += delta / (double)s->n;
	s->m2 += delta * (value - s->mean);
	if (s->n == 1 || value > s->max)
		s->max = value;
}

double stat_sum_mean(const struct stat_sum *s)
{
	return s->n ? s->mean : NAN;
}

double stat_sum_sd(const struct stat_sum *s)
{
	return s->n > 1 ? sqrt(s->m2 / (double)(s->n - 1)) : NAN;
}

/*
 * The 97.5 % quantile of Student's t: a table, and above it the expansion in 1/n around the normal
 * distribution (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5).
 */
double student_975(uint64_t freedom)
{
	static const double table[] = {
		12.7062047, 4.30265273, 3.18244631, 2.77644511, 2.57058184, 2.44691185,
		2.36462425, 2.30600414, 2.26215716, 2.22813885, 2.20098516, 2.17881283,
		2.16036866, 2.14478669, 2.13144955, 2.1199053,	2.10981558, 2.10092204,
		2.09302405, 2.08596345, 2.07961384, 2.07387307, 2.06865761, 2.06389856,
		2.05953855, 2.05552944, 2.05183052, 2.04840714, 2.04522964, 2.04227246
	};
	const double z = 1.95996398454, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
	double n = (double)freedom;

	if (freedom == 0)
		return NAN;
	if (freedom <= sizeof(table) / sizeof(table[0]))
		return table[freedom - 1];
	return z + (z3 + z) / 4 / n + (5 * z5 + 16 * z3 + 3 * z) / 96 / (n * n) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384 / (n * n * n);
}

double stat_sum_half95(const struct stat_sum *s)
{
	if (s->n < 2)
		return NAN;
	return student_975(s->n - 1) * stat_sum_sd(s) / sqrt((double)s->n);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

bool group_is_result(const struct group *group)
{
	return !ends_with(group->label, "prepare") && !ends_with(group->label, "region") &&
	       !ends_with(group->label, "warmup");
}

static bool same_level(double a, double b)
{
	return (isnan(a) && isnan(b)) || a == b;
}

static bool key_goes_down(const char *key)
{
	return strstr(key, "/down/") || strncmp(key, "down/", 5) == 0;
}

const struct group *groups_find(const struct group_list *groups, const char *label,
				double level_pct, bool down, bool read)
{
	for (size_t i = 0; i < groups->n; i++) {
		const struct group *g = groups->items[i];

		if (g->read == read && g->down == down && same_level(g->level_pct, level_pct) &&
		    (!label || strcmp(g->label, label) == 0))
			return g;
	}
	return NULL;
}

static struct group *group_of(struct group_list *groups, const struct phase *p, bool read)
{
	struct group *g = (struct group *)groups_find(groups, p->label, p->level_pct,
						      key_goes_down(p->key), read);
	char *direction;

	if (g)
		return g;
	g = calloc(1, sizeof(*g));
	if (!g || group_list_push(groups, g) < 0) {
		free(g);
		return NULL;
	}
	memcpy(g->label, p->label, sizeof(g->label));
	g->level_pct = p->level_pct;
	g->down = key_goes_down(p->key);
	g->read = read;
	g->asked_depth = (double)p->load.queue_depth * p->load.threads;
	workload_name(&p->load, g->load, sizeof(g->load));
	direction = strrchr(g->load, ' ');
	if (direction && (p->load.read_pct >= 100 || p->load.read_pct <= 0))
		*direction = '\0';
	return g;
}

static int add_repeat(struct group *g, const struct phase *p, const struct flow *flow)
{
	struct repeat_sum sum = { p->repeat, flow->bytes, phase_seconds(p) };

	for (size_t i = 0; i < g->repeats.n; i++) {
		struct repeat_sum *known = &g->repeats.items[i];

		if (known->repeat == p->repeat) {
			known->bytes += sum.bytes;
			known->seconds += sum.seconds;
			return 0;
		}
	}
	return repeats_push(&g->repeats, sum);
}

static int add(struct group_list *groups, const struct phase *p, const struct flow *flow, bool read)
{
	struct group *g = group_of(groups, p, read);

	if (!g)
		return -ENOMEM;
	stat_sum_add(&g->mbps, phase_mbps(p, flow));
	stat_sum_add(&g->iops, phase_iops(p, flow));
	if (flow->ops)
		stat_sum_add(&g->lat_us, (double)flow->lat_ns_sum / (double)flow->ops / 1e3);
	if (isfinite(p->in_flight_device_mean))
		stat_sum_add(&g->device_depth, p->in_flight_device_mean);
	if (p->in_flight_device_max > g->device_depth_max)
		g->device_depth_max = p->in_flight_device_max;
	g->notes |= p->notes;
	g->bytes += flow->bytes;
	g->errors += flow->errors;
	g->seconds += phase_seconds(p);
	flow_add(&g->flow, flow);
	return add_repeat(g, p, flow);
}

static int collect(void *user, const struct phase *p)
{
	struct group_list *groups = user;
	int r = 0;

	if (p->read.ops || p->read.errors)
		r = add(groups, p, &p->read, true);
	if (r == 0 && (p->write.ops || p->write.errors))
		r = add(groups, p, &p->write, false);
	return r;
}

int groups_collect(struct store *store, const char *run_id, struct group_list *ret, struct err *err)
{
	struct group_list groups = { 0 };
	int r = store_phases(store, run_id, collect, &groups, err);

	if (r == -ENOMEM)
		err_sys(err, r, "cannot group the phases");
	if (r < 0)
		groups_free(&groups);
	else
		*ret = groups;
	return r;
}

void groups_free(struct group_list *groups)
{
	for (size_t i = 0; i < groups->n; i++) {
		repeats_release(&groups->items[i]->repeats);
		free(groups->items[i]);
	}
	group_list_release(groups);
}

struct stat_sum group_repeats_mbps(const struct group *group)
{
	struct stat_sum s = { 0 };

	for (size_t i = 0; i < group->repeats.n; i++) {
		const struct repeat_sum *sum = &group->repeats.items[i];

		if (sum->seconds > 0)
			stat_sum_add(&s, (double)sum->bytes / 1e6 / sum->seconds);
	}
	return s;
}
