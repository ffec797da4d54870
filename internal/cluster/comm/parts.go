// This file exports the parts from which other packages make communicators.

package comm

// Op is the operation of a call.
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

// CallOf returns the call that follows seq others; length is the length of the slice for Sum, Max or Or.
func CallOf(o Op, seq uint64, length int) Call { return call{o, seq, length} }

// Op returns the call's operation.
func (c call) Op() Op { return c.op }

// Words encodes a call for another rank's CallIn.
func (c call) Words() [3]uint64 { return [3]uint64{uint64(c.op), c.seq, uint64(c.length)} }

// CallIn is the call with those words.
func CallIn(w [3]uint64) Call { return call{op(w[0]), w[1], int(w[2])} }

// Mismatch is the error of the first rank that doesn't do what rank 0 does, or nil. All ranks find
// the same.
func Mismatch(calls []Call) *Error { return mismatch(calls, 0) }

// Combine reduces one rank's words into another's, by OpSum, OpMax or OpOr.
func Combine(o Op, into, words []uint64) { combine(o, into, words) }

// WrongLists is the error of an Exchange that wasn't given a list for each rank.
func WrongLists(got, size int) error { return wrongLists(got, size) }
