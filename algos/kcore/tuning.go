// This file holds the numbers that peeling is tuned by.

package kcore

const (
	// reachEntries is for how many stages it is known which vertices have left before them by their
	// degree: kron24 has fewer than a thousand, few graphs more than this.
	reachEntries = 1 << 12
	// wideShare: frontiers of more than every wideShare-th vertex are wide, so that a graph has three
	// of them at most. Other shares weren't tried.
	wideShare = 4
	// meshDegree is the largest degree of graphs that are peeled stage by stage on a GPU, where each stage costs at least a
	// pass over the vertices. An H200 took 0.71 ms instead of 0.90 for a road network and 8.9 instead of 12.5 for a lattice.
	meshDegree = 16
	// nearWorkers is how many workers a host has at least that peels graphs of short rows without rounds. A lattice of 4 M
	// vertices took 16 to 21 ms instead of 50 with 16 workers of a Xeon, and a road network 13 to 17 instead of 35 to 38. On 2 cores
	// of an EPYC a lattice of 1 M took 34 ms instead of 34 to 55 with 2 workers and 28 instead of 16 with one, a road network
	// of 2.2 M 81 instead of 65 and 77 instead of 53. 3 to 15 workers weren't measured.
	nearWorkers = 8
	// recountFactor and recountShare: the host counts the edges of the remaining graph again, instead of visiting the edges
	// of leaving vertices, if recountFactor times the leaving edges are more than the remaining ones, and leaving edges more
	// than one per recountShare vertices. An edge takes a push 11 ns of a processor, with an atomic operation.
	// A road network took 10.4 ms instead of 18.8 with 16 workers of a Xeon, with factors of 2, 3 and 5.
	recountFactor = 3
	recountShare  = 8
	// A graph is peeled by tiles from fewer than one of fewBegin vertices on, if no more than one of localShare edges leads from
	// tile to tile, by a sample of tileSamples vertices. From more vertices on workers have enough to do without. Other
	// numbers weren't tried.
	fewBegin    = 256
	localShare  = 4
	tileSamples = 1024
	// countFactor: the remaining graph is counted again if it has fewer edges than countFactor times those
	// of a wide frontier. An H100 counts some 100 edges a nanosecond, and takes 35 away, by an atomic
	// operation each.
	countFactor = 2
	// hubs are so many vertices, the first ones, of which each worker of a host counts separately how many edges they lose,
	// if the frontier has more than hubFrontier vertices and the host has hubWorkers workers. kron22 took 205 to 215 ms
	// instead of 275 to 306 with 16 workers of a Xeon. Other numbers weren't tried.
	hubs        = 1 << 14
	hubFrontier = 1 << 10
	hubWorkers  = 4
)
