// This file holds the numbers that sorting is tuned by; rows.cuh has those of the kernels.

package byweight

// most is as many blocks as run at once, on any GPU.
const most = 1 << 20
