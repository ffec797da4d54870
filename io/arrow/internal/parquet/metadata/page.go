// This file holds the headers of pages.

package metadata

// Types of pages.
const (
	dataPage       = 0
	dictionaryPage = 2
)

// DataHeader returns the header of a data page, version 1, whose levels are
// RLE. size is the number of bytes before compression, compressed that in the
// file, both less than 2^31. values counts missing ones too.
func DataHeader(size, compressed, values int, encoding Encoding) []byte {
	return appendStruct(nil, func(w *structWriter) {
		w.i32(1, dataPage)
		w.i32(2, size)
		w.i32(3, compressed)
		w.inner(5, func(w *structWriter) {
			w.i32(1, values)
			w.i32(2, int(encoding))
			w.i32(3, int(RLE)) // definition levels
			w.i32(4, int(RLE)) // repetition levels
		})
	})
}

// DictionaryHeader returns the header of a dictionary's page of plain values.
func DictionaryHeader(size, compressed, values int) []byte {
	return appendStruct(nil, func(w *structWriter) {
		w.i32(1, dictionaryPage)
		w.i32(2, size)
		w.i32(3, compressed)
		w.inner(7, func(w *structWriter) {
			w.i32(1, values)
			w.i32(2, int(Plain))
		})
	})
}
