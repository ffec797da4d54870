// This file holds the number that stands for none given.

package lpa

// iterations is how many rounds LDBC's CDLP has on most of its graphs.
const iterations = 10
