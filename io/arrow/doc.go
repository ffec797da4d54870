// This file holds the package's documentation.

// Package arrow is Foray's way in from a data lake and back: it reads the
// edges of a graph from datasets of Parquet and Arrow IPC files, and writes
// results and edges to Parquet, Arrow IPC, CSV and JSON lines. Rows travel in
// batches of columns, never one at a time, and the types of Apache Arrow stay
// inside.
//
// Vertices are written as the external ids that the input had, in the type
// that it had. A file that is written is there whole or not at all: it is
// written under a temporary name, synced, and then put in its place.
package arrow
