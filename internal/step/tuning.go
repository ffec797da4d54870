// This file holds the limits of what is kept from launch to launch.

package step

// keptMost is how many kinds of launches are kept at most, as a bound on memory: a traversal has a
// dozen, one a step and functor. Not measured.
const keptMost = 64
