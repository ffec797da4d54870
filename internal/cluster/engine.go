// This file holds what an engine is: what does a rank's work in a level.

package cluster

import "context"

// engine has the state of a search: which vertices were visited, the frontier, what
// was found, depths and parents. All of it may be in a device's memory: the loop sees
// counts alone.
type engine interface {
	// expand searches the rank's subgraphs from the frontier. depth is that of the
	// frontier. It communicates with nobody.
	expand(ctx context.Context, depth int32) expanded
	// unite makes delegates that any rank found known to all. All ranks call it.
	unite(ctx context.Context) error
	// exchange sends the normal vertices that were found to their owners, which
	// take those that are new to them. All ranks call it. It returns how many bytes
	// were sent to other ranks.
	exchange(ctx context.Context, depth int32) (sent uint64, err error)
	// settle makes what was found the frontier, of that depth.
	settle(ctx context.Context, depth int32)
	// frontier is how many normal vertices of this rank and how many delegates it has.
	frontier() (normals, delegates uint64)
}

// expanded counts what expand did.
type expanded struct {
	edges     uint64 // looked at
	delegates uint64 // found
	sends     uint64 // normal vertices found for other ranks
	pulls     [4]bool
}

// The subgraphs, as indices of expanded.pulls.
const (
	subND = iota
	subDD
	subDN
	subNN
)
