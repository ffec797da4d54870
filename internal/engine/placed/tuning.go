// This file holds the numbers that estimates of memory are made with.

package placed

// listShare is how many entries of a device there are for each byte that lists of rows take which a warp doesn't sort:
// 4 bytes for a row of more than 256 entries (warpRow of internal/layout/rows), so one for 64, and as much again for what
// lists of longer rows take and for rows that aren't quite so long.
const listShare = 32
