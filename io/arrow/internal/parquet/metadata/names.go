// This file holds the numbers that the format has for types, encodings and
// codecs, those alone that are written.

package metadata

// Type is a physical type.
type Type uint8

const (
	Boolean           Type = 0
	Int32             Type = 1
	Int64             Type = 2
	Float             Type = 4
	Double            Type = 5
	ByteArray         Type = 6
	FixedLenByteArray Type = 7
)

// Repetition defines how often a column has a value in a row.
type Repetition uint8

const (
	Required Repetition = 0
	Optional Repetition = 1
	Repeated Repetition = 2
)

// Encoding is how values or levels are written in a page.
type Encoding uint8

const (
	Plain         Encoding = 0
	RLE           Encoding = 3
	RLEDictionary Encoding = 8
)

// Codec is a compression.
type Codec uint8

const (
	Uncompressed Codec = 0
	Snappy       Codec = 1
	Gzip         Codec = 2
	Brotli       Codec = 4
	Zstd         Codec = 6
)
