/* SPDX-License-Identifier: MIT */
#include "ssd/disk-media.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define THRESHOLD (1.0 / 3) /* of the stroke: where the arm's speed is reached (chosen) */
#define SAMPLES 256u	    /* places for the mean over all pairs */

static void lay_out(struct disk_media *m, const struct disk_config *cfg)
{
	uint32_t units = (uint32_t)(cfg->capacity_bytes / DISK_UNIT_BYTES), at = 0, track = 0,
		 sum = 0;
	uint64_t tracks;

	m->rev_ns = 60000000000u / cfg->rpm;
	m->zones = cfg->zones;
	m->heads = cfg->heads;
	for (uint32_t i = 0; i < m->zones; i++) {
		/* Linear in the radius, and zones are rings of one width. */
		double share = m->zones > 1 ? (double)i / (m->zones - 1) : 0;
		double rate = (double)cfg->outer_bytes_per_s * (1 - share) +
			      (double)cfg->inner_bytes_per_s * share;

		m->zone[i].track_units =
			(uint32_t)(rate * (double)m->rev_ns / 1e9 / DISK_UNIT_BYTES + 0.5);
		sum += m->zone[i].track_units;
	}
	tracks = sum ? (units + sum - 1) / sum : 0; /* of a zone */
	for (uint32_t i = 0; i < m->zones; i++) {
		uint64_t n = tracks * m->zone[i].track_units;

		if (i == m->zones - 1 || n > units - at)
			n = units - at;
		m->zone[i].first = at;
		m->zone[i].units = (uint32_t)n;
		m->zone[i].first_track = track;
		at += (uint32_t)n;
		track += (uint32_t)tracks;
	}
	m->cylinders = track / m->heads;
	/* Where the platters stand at time 0, as the seed says. */
	m->phase_ns = cfg->seed * 0x9e3779b97f4a7c15u % m->rev_ns;
}

/*
 * The curve goes through the track-to-track and the full-stroke figure and is v at the threshold. Its mean over
 * all pairs of places is linear in v, which makes v what the average asks for.
 */
static void curve(struct disk_media *m, const struct disk_config *cfg, double v)
{
	double one = sqrt(1.0 / m->cylinders), root = sqrt(THRESHOLD);
	double track = (double)cfg->seek.track_ns, full = (double)cfg->seek.full_ns;

	m->near_root_ns = (v - track) / (root - one);
	m->near_ns = track - m->near_root_ns * one;
	m->far_slope_ns = (full - v) / (1 - THRESHOLD);
	m->far_ns = full - m->far_slope_ns;
}

static double curve_ns(const struct disk_media *m, uint32_t distance)
{
	double x = (double)distance / m->cylinders;

	if (!distance)
		return 0;
	return x < THRESHOLD ? m->near_ns + m->near_root_ns * sqrt(x)
			     : m->far_ns + m->far_slope_ns * x;
}

static double mean_ns(const struct disk_media *m, const uint32_t *cylinder)
{
	double sum = 0;

	for (uint32_t i = 0; i < SAMPLES; i++)
		for (uint32_t k = 0; k < SAMPLES; k++)
			sum += curve_ns(m, cylinder[i] > cylinder[k] ? cylinder[i] - cylinder[k]
								     : cylinder[k] - cylinder[i]);
	return sum / SAMPLES / SAMPLES;
}

static int fit(struct disk_media *m, const struct disk_config *cfg, const char **ret_name,
	       struct err *err)
{
	uint32_t cylinder[SAMPLES], units = (uint32_t)(cfg->capacity_bytes / DISK_UNIT_BYTES);
	double track = (double)cfg->seek.track_ns, full = (double)cfg->seek.full_ns;
	double low, high, v;

	/* Random addresses, not random tracks: outer ones hold more. */
	for (uint32_t i = 0; i < SAMPLES; i++)
		cylinder[i] = disk_track_of(m, (uint32_t)((2 * (uint64_t)i + 1) * units /
							  (2ull * SAMPLES))) /
			      m->heads;
	curve(m, cfg, track);
	low = mean_ns(m, cylinder);
	curve(m, cfg, full);
	high = mean_ns(m, cylinder);
	*ret_name = "seek.average";
	v = track + (full - track) * ((double)cfg->seek.average_ns - low) / (high - low);
	if (!(v >= track && v <= full))
		return err_set(
			err, -EINVAL,
			"seek.average must be between %.2f and %.2f ms for these track-to-track "
			"and full-stroke seeks",
			low / 1e6, high / 1e6);
	curve(m, cfg, v);
	return 0;
}

int disk_media_make(struct disk_media *ret, const struct disk_config *cfg, const char **ret_name,
		    struct err *err)
{
	memset(ret, 0, sizeof(*ret));
	*ret_name = "seek.full";
	if (cfg->seek.full_ns <= cfg->seek.track_ns)
		return err_set(err, -EINVAL, "a full stroke takes no longer than one track");
	lay_out(ret, cfg);
	ret->track_ns = cfg->seek.track_ns;
	ret->write_ns = cfg->seek.write_ns;
	*ret_name = "rate.inner";
	if (!ret->zone[ret->zones - 1].track_units || !ret->zone[0].track_units)
		return err_set(err, -EINVAL, "a track would hold less than 4 KiB");
	*ret_name = "capacity";
	if (ret->cylinders < SAMPLES || !ret->zone[ret->zones - 1].units)
		return err_set(err, -EINVAL, "capacity makes %u cylinders in %u zones: too few",
			       ret->cylinders, ret->zones);
	return fit(ret, cfg, ret_name, err);
}

const struct disk_zone *disk_zone_of(const struct disk_media *m, uint32_t unit)
{
	uint32_t low = 0, high = m->zones;

	while (high - low > 1) {
		uint32_t mid = (low + high) / 2;

		if (m->zone[mid].first <= unit)
			low = mid;
		else
			high = mid;
	}
	return &m->zone[low];
}

uint32_t disk_track_of(const struct disk_media *m, uint32_t unit)
{
	const struct disk_zone *z = disk_zone_of(m, unit);

	return z->first_track + (unit - z->first) / z->track_units;
}

uint64_t disk_seek_ns(const struct disk_media *m, uint32_t from, uint32_t to, bool write)
{
	uint32_t a = disk_track_of(m, from), b = disk_track_of(m, to);
	uint32_t x = a / m->heads, y = b / m->heads;

	/* The next track is on the spiral; another head takes as long as the next cylinder. */
	if (a == b || a + 1 == b)
		return 0;
	if (x == y)
		return m->track_ns;
	return (uint64_t)curve_ns(m, x > y ? x - y : y - x) + (write ? m->write_ns : 0);
}

/* When a unit of a zone comes by, counted along the zone's spiral. */
static uint64_t along(const struct disk_media *m, const struct disk_zone *z, uint32_t unit)
{
	return (uint64_t)(unit - z->first) * m->rev_ns / z->track_units;
}

uint64_t disk_rotate_ns(const struct disk_media *m, uint32_t unit, uint64_t t)
{
	uint64_t angle = along(m, disk_zone_of(m, unit), unit) % m->rev_ns;
	uint64_t now = (t + m->phase_ns) % m->rev_ns;

	return angle >= now ? angle - now : angle + m->rev_ns - now;
}

uint64_t disk_transfer_ns(const struct disk_media *m, uint32_t unit, uint32_t n)
{
	uint64_t ret = 0;

	while (n) {
		const struct disk_zone *z = disk_zone_of(m, unit);
		uint32_t k = z->first + z->units - unit;

		if (k > n)
			k = n;
		ret += along(m, z, unit + k) - along(m, z, unit);
		unit += k;
		n -= k;
	}
	return ret;
}

uint32_t disk_units_in(const struct disk_media *m, uint32_t unit, uint64_t dur_ns)
{
	const struct disk_zone *z = disk_zone_of(m, unit);
	uint64_t left = z->first + z->units - unit, n;

	/* The largest n with along(unit + n) - along(unit) <= dur. */
	if (dur_ns >= left * m->rev_ns / z->track_units)
		return (uint32_t)left;
	n = ((along(m, z, unit) + dur_ns + 1) * z->track_units - 1) / m->rev_ns - (unit - z->first);
	return (uint32_t)(n < left ? n : left);
}
