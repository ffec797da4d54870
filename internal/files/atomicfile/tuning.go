// This file holds the numbers that writing files is tuned with.

package atomicfile

// writebackBytes is how much is written before the disk is asked to take it: it works while the rest is written, so
// that the sync at the end has less to wait for. bench/notes/loading.md has the measurement.
const writebackBytes = 32 << 20

// tempNames is how many temporary files of one target have names that the next write checks: as many processes may
// write it at the same time, or have been killed on systems without locks. claims is the number of attempts to claim
// a name that other processes try to claim too.
const (
	tempNames = 16
	claims    = 4
)

// markBytes is how many random bytes distinguish the temporary directories of runs: two of 10^6 concurrent runs have the
// same bytes with a probability of 10^-8.
const markBytes = 8
