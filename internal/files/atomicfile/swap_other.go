//go:build !linux

// This file is for systems other than Linux, which can't exchange two names at once.

package atomicfile

import (
	"errors"
	"os"
)

func swap(_, _ string) error { return errors.ErrUnsupported }

// openName reports that open files have no names here.
func openName(*os.File) (string, bool) { return "", false }
