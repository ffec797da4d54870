// This file holds the numbers that closeness is tuned by.

package closeness

// checked is how many vertices Validate searches from: each takes a pass over the edges.
const checked = 64
