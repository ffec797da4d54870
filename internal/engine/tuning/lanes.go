package tuning

// Of many searches at once on a GPU: where most lanes are pulled, the others are pushed that are behind. These have each seen
// 1/LaneBehind of the edges that the lane with most has, or less, and together at most 1/LanesBehind of the graph's edges out
// of the frontier. One H200 took 2.6 ms for 64 searches of kron22 without such lanes, and 1.71, 1.61, 1.67 and 2.10 ms with 8,
// 16, 32 and 64 for LanesBehind; LaneBehind made no difference from 2 to 16.
var (
	LaneBehind  uint32 = 8
	LanesBehind uint32 = 16
)
