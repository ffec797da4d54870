// This file holds the numbers that the search for components is tuned by.

package cc

// samples is how many neighbours of every vertex are linked before the rest is looked at: with
// two, the paper's authors found the largest component nearly whole on all of their graphs.
const samples = 2
