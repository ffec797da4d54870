//go:build nocuda || !linux || !(amd64 || arm64)

// This file stands in for MPI in builds that open no libraries.

package comm

import (
	"context"
	"errors"
	"runtime"
)

func openMPI(context.Context, start, Options) (Comm, error) {
	if runtime.GOOS == "linux" {
		return nil, errors.New("this build opens no libraries, MPI's neither: it was built with the tag nocuda, or isn't for amd64 or arm64")
	}
	return nil, errors.New("MPI isn't supported on " + runtime.GOOS + ": it needs Linux on amd64 or arm64")
}
