//go:build !(linux && (amd64 || arm64)) || nocuda

package cuda

import (
	"fmt"
	"runtime"
)

const library = ""

// load says that this build has no way to the driver.
func load(string) error {
	return fmt.Errorf("%w: not in a build for %s/%s, or with the tag nocuda", ErrNotSupported, runtime.GOOS, runtime.GOARCH)
}

func invoke(symbol, *frame, int) int { return codeNotSupported }
