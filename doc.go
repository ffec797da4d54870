// Package foray is the front page of a graph analytics toolkit; the code is in
// the packages below it.
//
//   - graph builds and holds graphs; io/arrow and io/edgelist load them;
//     graph/gen generates them.
//   - device opens the device to run on, frontier holds active vertices on it.
//   - traverse runs traversals that are composed of steps; the packages below
//     operators make the steps: advance, filter, foreach, intersect, pile, reduce.
//   - algos/bfs and algos/dobfs are breadth-first searches.
//
// A nil context is an error that wraps graph.ErrOptions, in every function that takes
// one. Pass context.Background() where there is none.
//
// The program in examples/embed loads a graph, searches it, reads a depth and
// writes the result. The guides go through loading, searching, composing
// traversals, services and GPUs: [docs/README.md] lists them.
//
// [docs/README.md]: https://github.com/foray-graph/foray/blob/main/docs/README.md
package foray
