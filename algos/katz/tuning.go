// This file holds the numbers that Katz centrality is tuned by.

package katz

// Options have these for zeros, as networkx does.
const (
	defaultAlpha      = 0.1
	defaultBeta       = 1
	defaultTolerance  = 1e-6
	defaultIterations = 1000
)

// endless is a change in sum that values only reach if they grow without end: their squares are still numbers.
const endless = 1e120
