// This file holds the limits of reading logs.

package delta

const (
	// actionRows is how many rows of a checkpoint are read at a time.
	actionRows = 1024
	// commitWindow is how much of a commit is in memory and parsed at a time, unless a line is longer,
	// and longLine the length from which on a line's shape is looked at before it is parsed: what it can
	// ask for is some 30 times as much.
	commitWindow = 1 << 20
	longLine     = 1 << 20
	// commitLines is how many lines of a commit are parsed at a time, and minLines how many
	// one processor parses at least: a line takes some 6 us.
	commitLines = 1 << 13
	minLines    = 64
	// maxShapes is how many shapes of statistics, and partitions, are kept to be shared: a table has
	// some per schema that it had, and one partition per directory.
	maxShapes = 1 << 14
	// maxTemplates is how many templates of lines a goroutine has: a log has one per writer and shape of
	// statistics at a time. Beyond maxMisses, less those that matches made up for, lines differ too much.
	maxTemplates = 16
	maxMisses    = 256
	// fileChunk is how many files are kept together, and arenaPiece how many bytes of their texts.
	// fewestDead bytes that no file has any more are worth giving back.
	fileChunk  = 1 << 12
	arenaPiece = 1 << 18
	fewestDead = 8 << 20
	// maxBound is the longest string of statistics that is kept; writers shorten them to
	// 32 characters.
	maxBound = 4 << 10
	// shortened is how many characters writers leave of a longer string.
	shortened = 32
	// floatDigits is how many digits a double has at least.
	floatDigits = 15
	// maxVector is the largest deletion vector that is read: some 2 bytes for each of the
	// rows of the largest data files.
	maxVector = 1 << 30
	// maxPrefix is the longest directory of a deletion vector.
	maxPrefix = 1 << 10
)
