// This file stands in on systems where files aren't mapped.

//go:build !unix

package prepared

import (
	"errors"
	"os"
)

func mapFile(*os.File, int) ([]byte, func() error, error) { return nil, nil, errors.ErrUnsupported }
