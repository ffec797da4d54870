// This file holds the layout of functors' blocks.

package ir

// A functor's block is what its PTX has of it, in 64-bit words: the address of its fault
// word, that of the stop flag, then fields in order, a slice as address and length, a
// scalar as a word, an accumulator as the address of Stripes words, and behind them those of
// Weights and IDs, if used.
const (
	FaultWord = 0
	StopWord  = 1
	FirstWord = 2
)

// Stripes is how many words an accumulator has on a GPU: threads bring their values to
// different ones, since atomic operations on one word run one after the other. It is 16
// blocks of 256 threads, a power of 2.
const Stripes = 1 << 12

// BlockWords is how many words the blocks of all functors of a kernel may have: 1 KB of the 4
// that a kernel's parameters may take.
const BlockWords = 128

// Words returns the place of every field in the block, in words, those of the implicit
// slices behind them (-1 where unused), and the block's size.
func (f *Functor) Words() (at []int, size int) {
	size = FirstWord
	for _, x := range f.Fields {
		at = append(at, size)
		size++
		if x.Slice {
			size++
		}
	}
	for _, used := range []bool{f.Weights, f.IDs} {
		if !used {
			at = append(at, -1)
			continue
		}
		at = append(at, size)
		size += 2
	}
	return at, size
}

// FaultBits is how many bits of a fault word hold the index, sign extended; those above are
// the site. A fault word that is 0 means that there was none. Indices that don't fit are told
// as the nearest that does, MaxIndex or MinIndex.
const (
	FaultBits = 48
	MaxIndex  = 1<<(FaultBits-1) - 1
	MinIndex  = -1 << (FaultBits - 1)
)
