// This file holds the numbers that Compare goes by.

package foraytest

// graphSeed is the seed of the graphs.
const graphSeed = 1

// nearly is by which part of the larger one floats may differ: some hundred roundings of
// float32.
const nearly = 1e-5
