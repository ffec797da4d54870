package tuning

// DeviceEdges is how many edges a graph has at least that a GPU builds: the host takes less than a tenth
// of a second for fewer, and the GPU's driver some hundredths to begin with.
var DeviceEdges uint64 = 1 << 20
