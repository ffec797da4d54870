// This file holds what communicators of other packages are made of.

package comm

// Op is what a call does.
type Op = op

// The calls of a Comm.
const (
	OpSum      = opSum
	OpMax      = opMax
	OpOr       = opOr
	OpExchange = opExchange
	OpBarrier  = opBarrier
	OpClose    = opClose
)

// Call is a call of one rank; two are equal if ranks may make them together.
type Call = call

// CallOf is the call after seq others, with a slice of that length if it is Sum, Max or Or.
func CallOf(o Op, seq uint64, length int) Call { return call{o, seq, length} }

// Op is what the call does.
func (c call) Op() Op { return c.op }

// Words are what another rank needs to know of a call, for CallIn.
func (c call) Words() [3]uint64 { return [3]uint64{uint64(c.op), c.seq, uint64(c.length)} }

// CallIn is the call with those words.
func CallIn(w [3]uint64) Call { return call{op(w[0]), w[1], int(w[2])} }

// Mismatch is the error of the first rank that doesn't do what rank 0 does, or nil. All ranks find
// the same.
func Mismatch(calls []Call) *Error { return mismatch(calls, 0) }

// Combine reduces words of a rank into those of another, by OpSum, OpMax or OpOr.
func Combine(o Op, into, words []uint64) { combine(o, into, words) }

// WrongLists is the error of an Exchange that wasn't given a list for each rank.
func WrongLists(got, size int) error { return wrongLists(got, size) }
