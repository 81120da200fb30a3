/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The HTML report's pictures, as inline SVG; colours come from the page's classes. reports/ only. */
#ifndef REPORTS_PICTURE_H
#define REPORTS_PICTURE_H

#include "reports/model.h"

/**
 * picture_windows() - each copy's time against the windows predicted
 *
 * A bar per regime, size and subject, as long as its median copy; a point per copy; a mark where
 * the prediction lies; a line per window.
 */
void picture_windows(struct buf *b, const struct report *r);

/**
 * picture_search() - the way of the search
 *
 * Candidates from left to right, oldest first, coloured by their verdict; below them the trials
 * from top to bottom, each at its candidate.
 */
void picture_search(struct buf *b, const struct report *r);

#endif
