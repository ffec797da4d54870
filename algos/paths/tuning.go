// This file holds the numbers of paths.

package paths

const (
	// MostK is the most paths of a pair.
	MostK = 1 << 20
	// workerBytes is the memory of a worker, for each vertex: two searches of 17 bytes.
	workerBytes = 34
	// lookSteps is after how many settled vertices a search looks at the context: some milliseconds.
	lookSteps = 1 << 12
	// maxExact is the first sum of integers that float64 may have rounded.
	maxExact = 1 << 53
	// fewSteps is after how many settled vertices a search first looks whether it has met an edge that it needs. The number doubles, so that
	// rows of hubs are read a few times.
	fewSteps = 64
	// more makes up for the rounding of bounds.
	more = 1 + 1e-9
	// slack makes up for the rounding of a distance of coordinates.
	slack = 1 - 1e-12
	// earthRadius is the mean radius of the earth in meters (International Union of Geodesy and Geophysics).
	earthRadius = 6371008.8
)
