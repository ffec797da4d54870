// This file holds the numbers that shortest paths are tuned by.

package functors

// lastStage is the stage of all distances that have no number of their own, as stages are that
// narrow. Fewer would do; pile.Never is larger.
const lastStage = 1 << 31
