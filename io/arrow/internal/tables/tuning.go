// This file holds the limits of plausible metadata.

package tables

// DefaultMetadata is how many bytes of metadata are held at a time by default. The metadata file
// of a table with ten thousand snapshots takes some 20 MB.
const DefaultMetadata = 64 << 20

const (
	// bytesPerObject and bytesPerValue bound the objects of JSON, and what is between its commas, by the
	// limit: a snapshot of 600 bytes has two objects and some 30 values; decoded, an object takes some
	// 200 bytes.
	bytesPerObject = 100
	bytesPerValue  = 20
	// maxNesting bounds the nesting of JSON: a column nested as deep as columns may be takes three levels
	// each.
	maxNesting = 256
)
