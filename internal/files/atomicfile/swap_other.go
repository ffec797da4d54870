//go:build !linux

// This file says that names can't be exchanged at once elsewhere than on Linux.

package atomicfile

import (
	"errors"
	"os"
)

func swap(_, _ string) error { return errors.ErrUnsupported }

// openName says that open files have no names here.
func openName(*os.File) (string, bool) { return "", false }
