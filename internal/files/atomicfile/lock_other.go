//go:build !(darwin || linux)

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// tryLock reports that files can't be locked here.
func tryLock(*os.File) error { return errors.ErrUnsupported }

// fileID is unknown here.
type fileID struct{}

func identity(fs.FileInfo) (fileID, bool) { return fileID{}, false }
