// This file holds the limits of reading logs.

package delta

const (
	// actionRows is how many rows of a checkpoint are read at a time.
	actionRows = 1024
	// commitLines is how many lines of a commit are parsed at a time, and minLines how many
	// one processor parses at least: a line takes some 6 us.
	commitLines = 1 << 13
	minLines    = 64
	// batchBytes is where that many lines are enough, whatever their number, lineBuffer what is read
	// at once, and longLine the length from which on a line's shape is looked at before it is parsed:
	// what it can ask for is some 30 times as much.
	batchBytes = 4 << 20
	lineBuffer = 64 << 10
	longLine   = 1 << 20
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
