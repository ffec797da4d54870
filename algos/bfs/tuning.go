// This file holds the thresholds of the search, and where they come from.

package bfs

// readFrom is the share of all vertices from which a frontier is read from the
// level array: 1/readFrom. Hong et al. switch at about 3%; measured here (see
// bench/notes/search-host.md), reading pays later, since the queue's vertices are in cache.
const readFrom = 16
