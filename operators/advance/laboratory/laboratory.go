// Package laboratory links the GPU kernels of advance that AutoBalance never chooses: warp, edges,
// hubs, buckets and scan of advance.ParseStrategy with the package's own functors, PushLevel,
// Expand and Contract. A program that asks for one of these imports it:
//
//	import _ "github.com/foray-graph/foray/operators/advance/laboratory"
//
// The guide is [docs/embed.md].
//
// Without it that is an error that wraps device.ErrNotSupported and names the import. The
// kernels add 0.6 MB to a program.
//
// [docs/embed.md]: https://github.com/foray-graph/foray/blob/main/docs/embed.md
package laboratory

import "github.com/foray-graph/foray/internal/gpu"

func init() { gpu.AdvanceLaboratory.Provide(image) }
