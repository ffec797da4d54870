// This file holds the limits of what is taken for plausible metadata. They are no
// measurements: real tables are far below, and damaged ones cost seconds at most.

package iceberg

import "time"

const (
	// maxMetadata is the largest metadata file that is read, decompressed: tables with
	// many thousand snapshots have some hundred megabytes.
	maxMetadata = 1 << 30
	// maxHint is the longest version-hint.text that is read.
	maxHint = 4 << 10
	// maxBlock is the largest block of a manifest that is read, decompressed; writers end
	// one after 16 kilobytes to 16 megabytes.
	maxBlock = 256 << 20
	// maxHead is the longest header of an Avro file that is read: it has the table's schema
	// as JSON, up to a megabyte, and the file's own.
	maxHead = 4 << 20
	// maxAvroNodes, maxAvroEmpty and maxAvroDepth bound the schema of an Avro file, each name
	// taken for its definition: one of a manifest has some 60 types and a few for each column
	// that partitions the table, none that is null outside of a union, and is nested 8 deep.
	maxAvroNodes = 20_000
	maxAvroEmpty = 100
	maxAvroDepth = 64
	// maxNesting bounds the nesting of JSON: a column nested as deep as columns may be takes
	// three levels each.
	maxNesting = 256
	// maxObjects and maxValues bound the objects of metadata, and what is between commas. A
	// snapshot has two objects and some 30 values; decoded, an object takes some 200 bytes.
	maxObjects = 5_000_000
	maxValues  = 20_000_000
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
	// catalogueTimeout is how long a catalogue may take until it begins to answer.
	catalogueTimeout = 30 * time.Second
	// catalogueAttempts is how often a catalogue is asked where it is busy; cataloguePause
	// is the wait before the second attempt, which doubles.
	catalogueAttempts = 4
	cataloguePause    = 250 * time.Millisecond
)
