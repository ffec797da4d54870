// This file holds the limits of plausible metadata. They are no
// measurements: real tables are far below, and damaged ones cost seconds at most.

package iceberg

import "time"

const (
	// maxRefusal is how much is read of an answer that is an error.
	maxRefusal = 64 << 10
	// maxHint is the longest version-hint.text that is read.
	maxHint = 4 << 10
	// blockBytes is what a block of a manifest may take, decompressed, beside others; writers end
	// one after 16 kilobytes to 16 megabytes. Larger ones, and manifests of more than alone bytes, which
	// writers split at 8 megabytes, are read one at a time.
	blockBytes = 4 << 20
	alone      = 16 << 20
	// maxExpansion is how many bytes may become of each byte of a manifest, beyond the limit of metadata:
	// paths that are alike compress to a thirtieth.
	maxExpansion = 100
	// maxHead is the longest header of an Avro file that is read: it has the table's schema
	// as JSON, up to a megabyte, and the file's own.
	maxHead = 4 << 20
	// maxAvroNodes, maxAvroEmpty and maxAvroDepth bound the schema of an Avro file, each name
	// taken for its definition: one of a manifest has some 60 types and a few for each column
	// that partitions the table, none that is null outside of a union, and is nested 8 deep.
	maxAvroNodes = 20_000
	maxAvroEmpty = 100
	maxAvroDepth = 64
	// maxFields bounds the fields of a schema, as package pq does for a file.
	maxFields = 100_000
	// maxBound is the longest bound of strings that is kept.
	maxBound = 4 << 10
	// readAhead is how many manifests are read at the same time.
	readAhead = 16
	// maxVector is the largest deletion vector that is read; one of a billion rows, half
	// of them deleted, has 128 MB.
	maxVector = 1 << 30
	// maxDeletes is how many deleted rows a file of position deletes may list for the files
	// of a snapshot: eight bytes each.
	maxDeletes = 1 << 30
)

const (
	// catalogTimeout is how long a catalog may take until it begins to answer.
	catalogTimeout = 30 * time.Second
	// catalogAttempts is how often a catalog is asked where it is busy; catalogPause
	// is the wait before the second attempt, which doubles.
	catalogAttempts = 4
	catalogPause    = 250 * time.Millisecond
)
