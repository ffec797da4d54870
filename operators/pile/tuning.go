// This file holds the numbers that piles are tuned by.

package pile

// blocks is how many blocks go through a pile, whose length the host doesn't know.
const blocks = 1 << 10
