// This file holds the numbers that generators are tuned by.

package gen

// buffersPerWorker lets a worker of Ordered make a block while another waits
// for its turn.
const buffersPerWorker = 2
