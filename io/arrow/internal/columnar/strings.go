// This file holds how strings are added to a Vector: one by one, and many that
// lie side by side.

package columnar

// CheckLength returns an error where a string is too long to be read.
func CheckLength(n int64) error {
	if n > MaxIDBytes {
		return Unsupported("an id of %d bytes, where at most %d are read", n, MaxIDBytes)
	}
	return nil
}

// CheckLength returns an error where a string is too long for the vector.
func (v *Vector) CheckLength(n int64) error {
	if v.Long && n <= MaxLongBytes {
		return nil
	}
	return CheckLength(n)
}

// AppendString adds a string; there must be room for its offset.
func (v *Vector) AppendString(m *Memory, s []byte) error {
	return v.AppendFrom(m, s, 0, int64(len(s)))
}

// wide is what AppendFrom copies at once. Most ids are no longer, and a copy of
// a length that is known is a few instructions, where another is a call.
const wide = 32

// AppendFrom adds the string from[lo:hi]; there must be room for its offset.
func (v *Vector) AppendFrom(m *Memory, from []byte, lo, hi int64) error {
	size, at := int(hi-lo), len(v.Data)
	if size <= wide && cap(v.Data)-at >= wide && int64(len(from))-lo >= wide {
		// What is copied too much lies behind the end and is overwritten.
		*(*[wide]byte)(v.Data[at : at+wide]) = *(*[wide]byte)(from[lo:])
		v.Data = v.Data[:at+size]
		v.Offsets = append(v.Offsets, int64(at+size))
		return nil
	}
	return v.appendLong(m, from[lo:hi])
}

func (v *Vector) appendLong(m *Memory, s []byte) error {
	if err := v.CheckLength(int64(len(s))); err != nil {
		return err
	}
	if len(v.Data)+len(s) > cap(v.Data) {
		var err error
		if v.Data, err = Extend(m, v.Data, len(s)); err != nil {
			return err
		}
	}
	v.Data = append(v.Data, s...)
	v.Offsets = append(v.Offsets, int64(len(v.Data)))
	return nil
}

// AppendRun adds strings of the given lengths, which lie side by side in data
// and fill it; there must be room for their offsets.
func (v *Vector) AppendRun(m *Memory, data []byte, lens []int64) error {
	for _, n := range lens {
		if err := v.CheckLength(n); err != nil {
			return err
		}
	}
	var err error
	if v.Data, err = Extend(m, v.Data, len(data)); err != nil {
		return err
	}
	end := int64(len(v.Data))
	v.Data = append(v.Data, data...)
	for _, n := range lens {
		end += n
		v.Offsets = append(v.Offsets, end)
	}
	return nil
}

// AppendFixed adds n strings of one length, which lie side by side in data;
// there must be room for their offsets.
func (v *Vector) AppendFixed(m *Memory, data []byte, size, n int) error {
	if err := v.CheckLength(int64(size)); err != nil {
		return err
	}
	var err error
	if v.Data, err = Extend(m, v.Data, len(data)); err != nil {
		return err
	}
	end := int64(len(v.Data))
	v.Data = append(v.Data, data...)
	for range n {
		end += int64(size)
		v.Offsets = append(v.Offsets, end)
	}
	return nil
}
