// This file holds the numbers that writing is tuned with, and where they come
// from.

package write

import "github.com/klauspost/compress/zstd"

const (
	// batchRows is the most rows of a batch: its columns fit into a core's L2
	// cache, and a canceled context is noticed after so many rows at the
	// latest. It is the most rows of a record batch of IPC too.
	batchRows = 1 << 16

	// outputBuffer is how much is written to the file at a time: system calls
	// vanish in it.
	outputBuffer = 256 << 10

	// textFlush is how many bytes of CSV or JSON lines are gathered before
	// they are passed on; they stay in the L1 or L2 cache.
	textFlush = 64 << 10

	// defaultRowGroup is the most rows of a row group where none is asked for:
	// pages then come by the half dozen, and a column of a row group is 8 MB
	// at most, which engines read in one go and hand to one core.
	defaultRowGroup = 1 << 20

	// maxGroupBytes is how many bytes of values a row group has at most (and
	// one batch more): its compressed pages are held in memory until it ends.
	maxGroupBytes = 256 << 20

	// pageBytes is how many bytes of values a page has at most and one more
	// value: what the format's writers commonly use.
	pageBytes = 1 << 20

	// pageRows is the most rows of a page, which bounds pages of missing
	// values; a page of 32-bit values has as many.
	pageRows = 1 << 18

	// maxRecordBytes is how many bytes of strings a column of a record batch
	// has at most, or one string: its offsets have 31 bits.
	maxRecordBytes = 1 << 30
)

// What writing holds where memory has a limit, as measured.
const (
	// leastWriting is what any format takes: batches of rows, and what of the file is on its way.
	leastWriting = 4 << 20
	// leastColumn is what a column of Parquet takes in addition to the pages of its row group: a page that is filled,
	// and a dictionary.
	leastColumn = 4 << 20
	// pageWorker is what compressing a page takes at a time.
	pageWorker = 6 << 20
	// ipcCodec is what compressing record batches takes.
	ipcCodec = 48 << 20
	// leastGroup is the fewest bytes of values that make a row group.
	leastGroup = 2 << 20
	// limitedWindow is how far zstd looks back then: as far as a page is long.
	limitedWindow = 1 << 20
)

// zstdLevel is how hard zstd tries. On columns of ids the fastest level takes
// a fifth to a quarter less time than the default and makes files 4 percent
// larger, and smaller where ids ascend.
const zstdLevel = zstd.SpeedFastest

const (
	// maxDictBytes is how large a dictionary may get before its column chunk
	// continues without: what the format's writers commonly allow, and what stays
	// in a core's L2 cache while values are looked up.
	maxDictBytes = 1 << 20

	// maxDictEntries bounds the dictionary's index; 8-byte values reach the
	// bound above at as many.
	maxDictEntries = 1 << 18

	// dictProbe is after how many values of the first page a dictionary is
	// given up where almost all of them differ: more than dictProbeNum of
	// dictProbeDen.
	dictProbe    = 1 << 13
	dictProbeNum = 15
	dictProbeDen = 16

	// A dictionary is used where it makes the first page less than
	// dictGainNum/dictGainDen as large, before compression. dictOverhead is what
	// its page's header and footer take.
	dictGainNum  = 3
	dictGainDen  = 4
	dictOverhead = 48
)

const (
	// defaultPartitions is how many partitions there may be where nothing else
	// is asked for: few file systems and no engine like more in one directory.
	defaultPartitions = 10_000

	// pathElements is how many vertices the paths of a batch have before it
	// ends; a single path may have more.
	pathElements = 1 << 18

	// maxPathBytes is how many bytes a path takes at most: it is in one page
	// and in one array, whose sizes have 31 bits.
	maxPathBytes = 1 << 30
)

// WriteChunk is how much of an array is written at a time, between two looks
// at the context.
const WriteChunk = 4 << 20

// maxIDBytes is the longest id that is written. Pages of Parquet and arrays
// of Arrow count their bytes in 31 bits; this leaves room for some ids in one.
const maxIDBytes = 256 << 20

// minRun is how many equal numbers are written as a run: no fewer are possible
// amid packed ones, which come in eights.
const minRun = 8

// maxStatBytes is the longest string that statistics have.
const maxStatBytes = 4096

// maxList is the most bytes that the list of a directory's files may have: that of a million partitions has less.
const maxList = 256 << 20

// maxDecimalDigits is how many digits decimals of 128 bits have.
const maxDecimalDigits = 38
