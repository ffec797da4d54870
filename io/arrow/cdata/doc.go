// Package cdata takes edges and gives results through the Arrow C data and C
// stream interfaces: for programs that use another version of Arrow for Go, such
// as github.com/apache/arrow-go/v18, or are written in another language. Arrays
// are passed by address, and none is serialized.
//
// The guide is [docs/loading.md].
//
// It is there with the build tag cdata, and needs cgo:
//
//	go build -tags cdata
//
// ImportStream makes the array.RecordReader that arrow.LoadRecords takes of an
// ArrowArrayStream, ImportBatch of an ArrowArray with its ArrowSchema. The
// arrays are read where they are. ExportStream and ExportBatch go the other way.
//
// Structures are the caller's: memory of C, or Go's for the time of the call
// where it holds no pointers to Go's. The receiver of a structure's contents marks
// it as released, as the interface wants it, and later calls their release.
//
// The package of that name in Arrow for Go isn't used: two versions of it can't
// be linked into one program, since both export C functions of the same names.
//
// [docs/loading.md]: https://github.com/foray-graph/foray/blob/main/docs/loading.md
package cdata
