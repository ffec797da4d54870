// This file holds the limits of the input.

package csv

const (
	// MaxFile is the longest file that is read: the reader keeps its values
	// in memory. GraphAr's chunks have some 100 MB.
	MaxFile = 4 << 30
	// maxRecord bounds the memory that a file without line ends takes, or one with
	// a quote that is never closed.
	maxRecord = 16 << 20
	// batchRows and batchBytes bound the rows of a batch, and the bytes of these rows in the file.
	batchRows  = 4096
	batchBytes = 4 << 20
	// spareRows is for how many times the rows that are expected there is room: lines differ in length.
	spareRows = 1.1
	// readBytes is what is read of a file at a time.
	readBytes = 256 << 10
)
