//go:build !linux

// This file says that names can't be exchanged at once elsewhere than on Linux.

package atomicfile

import "errors"

func swap(_, _ string) error { return errors.ErrUnsupported }
