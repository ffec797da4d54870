// This file holds the numbers that generated code is tuned by.

package gohost

// smallBody is how many instructions a method of vertices has at most of which there is a loop
// that adds up and another one for all other reductions: choosing at every vertex took a third
// longer for four instructions (BenchmarkLoops of internal/functors/composed).
const smallBody = 16
