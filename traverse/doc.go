// Package traverse runs traversals: a frontier goes through steps, round after round, until it
// is empty or a step ends the traversal.
//
//	t := traverse.New(ctx, placed)
//	defer t.Close()
//	label := traverse.Array[uint32](t, 0)    // an entry per vertex, on the device
//	cur := t.All()                           // the frontier
//	t.Repeat(cur, advance.Push(NewLower(label)), filter.Unique())
//	result, err := traverse.Result(t, label) // or the first error
//
// The guide is [docs/compose.md].
//
// Steps are values from the packages of operators: advance.Push, PushBits, PushNear, Pull, Visit
// and VisitAll, pile.Refill, filter.Unique, filter.Unvisited and filter.Keep, foreach.Each and
// foreach.All, reduce.In, Out, InByKey and OutByKey, intersect.Triangles, and MaxRounds, UntilFrontierExceeds, Below and Above of this package. Do runs steps
// once; Repeat runs them until the end.
//
// # Engines
//
// The same steps run in four ways:
//
//   - on the host, by a team of goroutines;
//   - on a GPU, level by level: the host launches a kernel for each step;
//   - on a GPU, in one kernel that stays until the traversal ends (Repeat only): all
//     functors must be written in Go, or all be of one FORAY_TRAVERSAL. Every push must be
//     followed by filter.Unique or filter.Unvisited, or have a unique functor (//foray:unique);
//   - on several GPUs, each over its shard of the graph (docs/gpus.md).
//
// On one GPU Repeat uses one kernel if it can. Options.Engine requests one of the two ways there. Traversal.Stats
// reports which engine ran, which steps were fused, and why it wasn't the persistent one.
//
// # Errors
//
// Errors stick to the traversal, as in bufio.Scanner: after the first one nothing runs,
// arrays and frontiers that it returns may be nil, and Err and Result return it. So errors need
// not be checked between steps.
//
// [docs/compose.md]: https://github.com/foray-graph/foray/blob/main/docs/compose.md
package traverse
