// This file holds the numbers of finding and opening files.

package input

// TailBytes is how much of an object's end is fetched when it is opened:
// the footers of most files of Parquet and Arrow, and no more than some
// milliseconds of a request's time.
const TailBytes = 256 << 10

// probeAfter is after how many keys of a listing a store is asked whether the prefix is
// that of a table, whose data files needn't be listed: a page, so that short listings
// take no more requests than before.
const probeAfter = 1000

// NearBytes is how much is fetched at least away from the ends: the
// headers of messages lie side by side in streams of small batches.
const NearBytes = 64 << 10

// maxNested is how deep directories of a file system may be nested. Directories that contain
// themselves have no end; a path of most systems has at most 4,096 bytes.
const maxNested = 2000
