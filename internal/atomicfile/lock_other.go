//go:build !(darwin || linux)

package atomicfile

import (
	"errors"
	"os"
)

// tryLock says that nothing can be locked.
func tryLock(*os.File) error { return errors.ErrUnsupported }
