// SPDX-License-Identifier: GPL-2.0-or-later
/* A figure against the gap between the ends: see gap.h. */
#include "judge/gap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Chance of exactly @k of @n, each with chance @p. */
static double chance_of(size_t n, size_t k, double p)
{
	double ret = 1;

	for (size_t i = 0; i < k; i++)
		ret *= p * (double)(n - i) / (double)(k - i);
	for (size_t i = k; i < n; i++)
		ret *= 1 - p;
	return ret;
}

size_t spread_rank(size_t n)
{
	double below = chance_of(n, 0, 0.5);
	size_t j = 1;

	for (; j < n / 2; j++) {
		below += chance_of(n, j, 0.5);
		if (2 * below > GAP_RANGE_MISSES)
			break;
	}
	return j;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void spread_make(const double *value, size_t n, struct spread *ret)
{
	size_t j = spread_rank(n);

	assert(n <= GAP_RUNS_MAX);
	*ret = (struct spread){ .n = n };
	if (!n)
		return;
	memcpy(ret->value, value, n * sizeof(*value));
	qsort(ret->value, n, sizeof(*ret->value), by_value);
	ret->low = ret->value[j - 1];
	ret->high = ret->value[n - j];
	ret->median = ret->value[(n - 1) / 2];
}

bool gap_is_there(const struct gap_ends *ends)
{
	return ends->good.n && ends->bad.n &&
	       (ends->good.high < ends->bad.low || ends->bad.high < ends->good.low);
}

bool gap_higher_is_worse(const struct gap_ends *ends)
{
	return ends->bad.low > ends->good.high;
}

/* How far from the good end's edge of the gap (0) to the bad end's (1), and beyond. */
static double place(const struct gap_ends *ends, double value)
{
	bool up = gap_higher_is_worse(ends);
	double from = up ? ends->good.high : ends->good.low;
	double to = up ? ends->bad.low : ends->bad.high;

	return (value - from) / (to - from);
}

static enum verdict side(const struct gap_ends *ends, double value)
{
	double at = place(ends, value);

	return at <= 1.0 / 3 ? VERDICT_GOOD : at >= 2.0 / 3 ? VERDICT_BAD : VERDICT_WEAK;
}

enum verdict gap_judge(const struct gap_ends *ends, const struct spread *s)
{
	return side(ends, s->median);
}

/* What one run's chance can be at most, if @k of @n were so: the bound of Clopper and Pearson. */
static double chance_at_most(size_t n, size_t k)
{
	double low = 0, high = 1;

	for (int i = 0; i < 50; i++) {
		double p = (low + high) / 2, below = 0;

		for (size_t j = 0; j <= k; j++)
			below += chance_of(n, j, p);
		*(below > GAP_RANGE_MISSES ? &low : &high) = p;
	}
	return high;
}

static double taken_for(const struct gap_ends *ends, const struct spread *end, enum verdict other,
			size_t n)
{
	size_t k = 0;
	double ret = 0, p;

	for (size_t i = 0; i < end->n; i++)
		k += side(ends, end->value[i]) == other;
	p = chance_at_most(end->n, k);
	for (size_t i = (n + 1) / 2; i <= n; i++)
		ret += chance_of(n, i, p);
	return ret;
}

double gap_error(const struct gap_ends *ends, size_t n)
{
	double good = taken_for(ends, &ends->good, VERDICT_BAD, n);
	double bad = taken_for(ends, &ends->bad, VERDICT_GOOD, n);

	return good > bad ? good : bad;
}
