// Package arrow18 passes records, arrays and schemas between Arrow for Go v18
// and v15, which Foray uses: FromReader, FromRecord, FromArray and FromSchema
// make v15's of v18's, ToReader, ToRecord, ToArray and ToSchema v18's of v15's.
// Neither values nor bitmaps are copied, and there is no cgo.
//
//	edges, err := arrow18.FromReader(reader) // of v18
//	g, err := arrow.LoadRecords(ctx, edges, arrow.Options{Source: "src", Target: "dst"})
//
// The guide is [docs/loading.md].
//
// The package is a separate module, so that Foray itself depends on one
// version of Arrow alone.
//
// # Ownership
//
// What a function returns is the caller's to release, and what it was given
// stays so: either may be released first. The two share buffers, each of which
// is kept by references of both sides and freed by the allocator that it came
// from, when the last of them is released. Buffers of an allocator that counts
// (of C memory, or one that looks for leaks) are free once everything is
// released on both sides; those of Go's own allocator may be left to the garbage
// collector, as ever. As Arrow's arrays, buffers are never written.
//
// Functions may be called from several goroutines. A reader is for one at a
// time, except for Retain and Release.
//
// # Types
//
// All types that both versions have are passed on, nested and sliced, with
// dictionaries, views of strings and lists, run-end encoded arrays, unions and
// the null type; field names, nullability, metadata and byte order too. v15 has
// no separate name for the keys and values of a map: they become "key" and
// "value", and a map's values have the names of v15's array.
//
// An extension type is taken from the registry of the version that it goes to,
// by its name. Where that doesn't know it, the array is one of the storage
// type, and name and parameters stand in the field's metadata
// (ARROW:extension:name, ARROW:extension:metadata), as in files of Arrow IPC:
// Foray recognizes UUIDs by them. An array without a schema has no field: its name is lost.
//
// Decimals of 32 and 64 bits, which v15 lacks, and extension types where
// no field has metadata, as the values of a dictionary, are an error that wraps
// ErrType.
//
// [docs/loading.md]: https://github.com/foray-graph/foray/blob/main/docs/loading.md
package arrow18
