// Package constructs has functors that use all that functors may use of Go. They are
// compiled as they stand, and called as they stand by tests, which compare what they do with
// what the generator makes of them.
package constructs
