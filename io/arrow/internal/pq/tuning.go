// This file holds the sizes and limits of reading Parquet.

package pq

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
