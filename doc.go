// Package foray is the front page of a graph traversal toolkit; the code is in
// the packages below it.
//
//   - graph builds and holds graphs; io/arrow and io/edgelist load them;
//     graph/gen generates them.
//   - device opens the device to run on, frontier holds active vertices on it,
//     operators/advance and operators/filter are the steps of a traversal.
//   - algos/bfs and algos/dobfs are breadth-first searches made of these.
//
// Contexts must not be nil in any of them: as in the standard library, a nil one
// panics. Pass context.Background() where there is none.
//
// The program in examples/embed loads a graph, searches it, reads depths and
// writes the result.
package foray
