// This file holds the numbers that generated code is tuned by.

package gohost

// smallBody is how many instructions a method of vertices has at most of which there is a loop
// that adds up and another one for all other reductions: choosing at every vertex took a third
// longer for four instructions (BenchmarkLoops of internal/testing/functors/composed).
const smallBody = 16

// smallPush is how many instructions a method of edges has at most of which VisitFours has a
// copy for each of the four targets of a row, whose branches predict better than one in a loop:
// a breadth-first search of road took a tenth longer by a loop with one worker, a twentieth with
// two (bench/functors.go -only bfs).
const smallPush = 16
