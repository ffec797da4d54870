// This file holds the images that a program links by an import.

package gpu

import "github.com/foray-graph/foray/internal/linked"

// Images of kernels that are launched only if options name them. The packages
// that Import names register them.
var (
	BFSLaboratory     = linked.Part[[]byte]{Name: "the kernels of this option", Import: "github.com/foray-graph/foray/algos/bfs/laboratory"}
	AdvanceLaboratory = linked.Part[[]byte]{Name: "the kernels of this strategy or operator", Import: "github.com/foray-graph/foray/operators/advance/laboratory"}
)
