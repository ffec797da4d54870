// This file holds the tuning numbers of sorting; the kernels' are in rows.cuh.

package byweight

// most is as many blocks as run at once, on any GPU.
const most = 1 << 20
