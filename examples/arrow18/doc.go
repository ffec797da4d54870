// Package arrow18 shows how a program that uses Arrow for Go v18 works with
// Foray, which uses v15: records go from one to the other through the Arrow C
// stream interface, by address.
//
//	go test -tags cdata ./...
package arrow18
