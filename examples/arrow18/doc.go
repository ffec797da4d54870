// Package arrow18 shows how a program that uses Arrow for Go v18 works with
// Foray, which uses v15: records go from one to the other through io/arrow18,
// which shares their memory.
//
//	go test ./...
package arrow18
