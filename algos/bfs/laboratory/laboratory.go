// Package laboratory links the GPU kernels of breadth-first search that the library never
// chooses by itself: they are there to be measured against those that it does choose. A program
// that sets one of these options imports it:
//
//   - Tuning.Coupling: two-phase, hybrid, quadratic, quadratic-pull
//   - Tuning.Balance: warp, edges, hubs, buckets and scan of advance.ParseStrategy
//   - Tuning.Culls other than filter.Exactly, and Tuning.CountCulls
//
// The guide is [docs/embed.md].
//
// The import is
//
//	import _ "github.com/foray-graph/foray/algos/bfs/laboratory"
//
// Without it a search on a GPU with such an option is an error that wraps
// device.ErrNotSupported and names the import. The kernels add 0.8 MB to a program. They are PTX, which the
// driver compiles at the first use on a machine.
//
// [docs/embed.md]: https://github.com/foray-graph/foray/blob/main/docs/embed.md
package laboratory

import (
	"github.com/foray-graph/foray/internal/gpu"
	_ "github.com/foray-graph/foray/operators/advance/laboratory" // which those of BFS are launched with
)

func init() { gpu.BFSLaboratory.Provide(image) }
