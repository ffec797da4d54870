// This file holds limits of the data that is kept from launch to launch.

package step

// keptMost is how many kinds of launches are kept at most, as a bound on memory: a traversal has a
// dozen, one a step and functor. Not measured.
const keptMost = 64

// MostFolded is how many arrays of a step are folded over several GPUs. Over eight of them the functor that folds
// six has 128 words, as many as a block has (link.BlockWords).
const MostFolded = 6

// programsMost is how many sets of functors a program keeps kernels and blocks for, as a bound on memory
// likewise: an algorithm has a few Repeats.
const programsMost = 8
