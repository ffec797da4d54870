// This file holds the numbers that the Parquet format gives to its physical
// types, repetitions, encodings, codecs and page types.

package parquet

import "fmt"

const (
	typeBoolean = iota
	typeInt32
	typeInt64
	typeInt96
	typeFloat
	typeDouble
	typeByteArray
	typeFixed
)

var typeNames = [...]string{"boolean", "int32", "int64", "int96", "float", "double", "byte_array", "fixed_len_byte_array"}

const (
	required = iota
	optional
	repeated
)

// Encodings.
const (
	encPlain           = 0
	encPlainDictionary = 2
	encRLE             = 3
	encBitPacked       = 4
	encDeltaBinary     = 5
	encDeltaLength     = 6
	encDeltaBytes      = 7
	encRLEDictionary   = 8
	encSplit           = 9
)

var encodingNames = [...]string{"PLAIN", "GROUP_VAR_INT", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED",
	"DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"}

// Codecs.
const (
	codecNone = iota
	codecSnappy
	codecGzip
	codecLZO
	codecBrotli
	codecLZ4
	codecZstd
	codecLZ4Raw
)

var codecNames = [...]string{"uncompressed", "snappy", "gzip", "LZO", "brotli", "LZ4", "zstd", "LZ4_RAW"}

// Page types.
const (
	pageData = iota
	pageIndex
	pageDictionary
	pageDataV2
)

func name(names []string, i int) string {
	if i >= 0 && i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("number %d", i)
}
