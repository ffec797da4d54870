// Package constructs has functors that use every construct of Go that functors may use. Tests call
// them as Go compiles them, and compare the results with those of the generated code.
package constructs
