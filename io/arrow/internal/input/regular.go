// This file opens files that can be read at will.

package input

import (
	"context"
	"fmt"
	"os"

	"github.com/foray-graph/foray/internal/files/atomicfile"
)

// OpenRegular opens a regular file. Other kinds of files are not opened: a
// pipe would wait for its other end, and none supports random access.
func OpenRegular(ctx context.Context, name string) (*os.File, os.FileInfo, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		what := "not a regular file but " + kindOf(info.Mode()) + "; write it to a file first"
		if info.IsDir() {
			what = "a directory, not a file"
		}
		return nil, nil, InFile(name, "", fmt.Errorf("%w: it is %s", ErrUnsupported, what))
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(name)
	}
	if err == nil {
		if info, err = f.Stat(); err != nil {
			f.Close()
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("arrow: %w", err)
	}
	atomicfile.NoteFile(ctx, name, info)
	return f, info, nil
}

func kindOf(m os.FileMode) string {
	switch {
	case m&os.ModeNamedPipe != 0:
		return "a pipe"
	case m&os.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}
