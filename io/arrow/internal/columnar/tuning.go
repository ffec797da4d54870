// This file holds the numbers that decide how reading goes: sizes, and the
// limits of plausible files. The limits are no measurements.
// They are chosen so that files of real writers are far below, and that
// one that means harm costs seconds and some 100 MB at most.

package columnar

// BatchRows is the most rows that a Vector gets at once: enough that work per
// batch vanishes, little enough that a worker's batch stays in its cache.
const BatchRows = 1 << 16

// MaxIDBytes is the longest string or binary id that is read. Without a limit
// a dictionary of one long value, repeated by a run length, makes a small file
// endless.
const MaxIDBytes = 1 << 16

// MaxLongBytes is the longest string that is read of the metadata of tables: schemas of
// some ten thousand columns have megabytes.
const MaxLongBytes = 1 << 26

// batchBytes is where a vector of strings is full, whatever its rows.
const batchBytes = 2 << 20

// StringStep is how many strings are decoded between two looks at Full.
const StringStep = 128

const (
	// sharedFloor and sharedPerByte bound what the buffers of all workers take
	// together before they have to take turns. Ordinary files, with pages of a
	// megabyte, stay far below.
	sharedFloor   = 8 << 20
	sharedPerByte = 4
	// holderFloor and holderPerByte bound what the one worker may take that has
	// its turn. Everything together, schemas included, stays below 32 bytes per
	// byte of the file and 128 MB, which is what package arrow promises.
	holderFloor   = 40 << 20
	holderPerByte = 16
	// fixedFloor and fixedPerByte bound what stays for as long as a file is read,
	// such as dictionaries that all of its batches share.
	fixedFloor   = 16 << 20
	fixedPerByte = 8
	// workFloor and maxExpansion bound the bytes that come out of decompressing
	// one file, and so the time that a decompression bomb takes. Deflate reaches
	// 1,030 times, and text that repeats a good deal some 200.
	workFloor    = 1 << 30
	maxExpansion = 500
	// maxFooter bounds the footer: a thousand row groups of a thousand columns take
	// some 100 MB.
	maxFooter = 256 << 20
)

const (
	// rowsFloor and rowsPerByte bound the rows of a file: a run length can claim
	// billions in a few bytes. A graph's edges take bytes each; 512 to a byte
	// are beyond even those of a path, delta-encoded.
	rowsFloor   = 1 << 26
	rowsPerByte = 512
	// MaxDepth bounds how deep columns are nested.
	MaxDepth = 64
	// pathFloor and pathPerByte bound the lengths of all paths together: a long
	// name with many leaves below it would make them grow with the square of
	// the schema.
	pathFloor   = 4 << 20
	pathPerByte = 4
)

// MaxRows returns the most rows that a file of so many bytes plausibly has.
func MaxRows(fileBytes int64) int64 { return rowsFloor + rowsPerByte*fileBytes }

// PathRoom returns how long the paths of all columns may be together, in
// metadata of so many bytes.
func PathRoom(metadataBytes int) int { return pathFloor + pathPerByte*metadataBytes }
