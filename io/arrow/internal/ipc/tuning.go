// This file holds the sizes and limits of reading Arrow IPC.

package ipc

const (
	// windowBytes is what is read of a file at once.
	windowBytes = 256 << 10
	// step is how many values are converted at once: with their flags they stay
	// in the first-level cache.
	step = 4096
	// maxFields bounds the schema, as in Parquet: a field may take four
	// bytes there and some hundreds here. The widest tables have some ten thousand
	// columns.
	maxFields = 100_000
	// maxTables bounds the metadata that is looked at: three or four tables a
	// column.
	maxTables = 400_000
	// maxMessage is the longest message header that is read: it grows with the
	// number of columns, some 100 bytes each.
	maxMessage = 64 << 20
	// The windows of zstd that are accepted: what its levels up to 19 use, and
	// more for larger files, up to the window of its highest levels.
	zstdWindowFloor = 8 << 20
	zstdWindowMost  = 128 << 20
)

// maxMetadata is how many keys of a schema are looked at.
const maxMetadata = 1 << 17
