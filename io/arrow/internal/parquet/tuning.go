// This file holds the sizes and limits of reading Parquet.

package parquet

const (
	// windowBytes is what is read of a file at once, unless a page is larger:
	// a page header and the beginning of its page, which are a quarter of a
	// megabyte to a megabyte as files are usually written.
	windowBytes = 256 << 10
	// maxHeader is the longest page header that is read; statistics of long
	// strings make them long.
	maxHeader = 1 << 20
	// maxElements bounds the schema; the widest tables have some ten thousand
	// columns.
	maxElements = 100_000
	// maxNesting bounds the recursion of skipping fields that aren't known. The
	// format itself nests less than ten deep.
	maxNesting = 32
)

const (
	// maxBloomHeader is the longest header; real ones take some 20 bytes.
	maxBloomHeader = 256
	// maxBloom is the largest filter that is read: 128 MB is what the format
	// advises as the most.
	maxBloom   = 128 << 20
	blockBytes = 32
)

// maxBound is the longest string of statistics that is kept; longer ones are
// as good as unknown.
const maxBound = 4 << 10

// maxIndex is the largest index that is read; a chunk of ten thousand pages
// has one of some hundred kilobytes.
const maxIndex = 16 << 20

// pageHeaderBytes is how much of a page is read to compare its header with the page index;
// headers without long statistics take some 30 bytes.
const pageHeaderBytes = 256

// skipRows is how many rows are decoded at a time where they aren't wanted.
const skipRows = 4096

// levelsStep is how many levels are decoded at a time.
const levelsStep = 1024
