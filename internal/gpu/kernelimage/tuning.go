// This file holds the limit on the size of unpacked images.

package kernelimage

// mostBytes bounds what Unpack inflates. The largest image of this repository has
// 11 MB.
const mostBytes = 256 << 20
