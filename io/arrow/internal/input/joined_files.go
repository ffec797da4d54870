// This file opens files whose rows go with each other, as one.

package input

import (
	"context"
	"errors"
	"io"
	"slices"
)

// joined is several files, whose bytes are read as if one came after the other.
type joined struct {
	files []BlobPart
	Ends  []int64
}

// openJoined opens a file and those beside it.
func openJoined(ctx context.Context, from *Origin) (*Blob, error) {
	j := &joined{}
	b := &Blob{ReaderAt: j, Beside: j}
	for _, name := range append([]string{from.Path}, from.Beside...) {
		f, err := OpenPartOf(ctx, from, name)
		if err != nil {
			j.Close()
			return nil, err
		}
		b.add(f)
		j.files, j.Ends = append(j.files, f), append(j.Ends, b.Size)
	}
	return b, nil
}

// ReadAt reads from the file that has the byte, and continues in the next.
func (j *joined) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		i, _ := slices.BinarySearch(j.Ends, at+1)
		if at < 0 || i == len(j.Ends) {
			return n, io.EOF
		}
		begin := int64(0)
		if i > 0 {
			begin = j.Ends[i-1]
		}
		part := p[n:min(int64(len(p)), int64(n)+j.Ends[i]-at)]
		k, err := j.files[i].ReadAt(part, at-begin)
		n, at = n+k, at+int64(k)
		if k < len(part) {
			return n, err
		}
	}
	return n, nil
}

func (j *joined) Close() error {
	var errs []error
	for _, f := range j.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
