// This file holds the number that stands for none given.

package lpa

// defaultIterations is how many rounds there are where Options doesn't say: as many as LDBC's CDLP has on most graphs.
const defaultIterations = 10
