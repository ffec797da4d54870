//go:build nocuda || !linux || !(amd64 || arm64)

// This file stands in for NCCL in builds that open no libraries.

package nccl

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/cluster/comm"
)

// Options say how ranks connect.
type Options struct {
	Settings []comm.Setting
	Deadline time.Duration
}

// Process is one of several processes, each with its own GPU.
type Process struct{ comm.Comm }

// Take is an error.
func Take(int) (*Process, error) { return nil, errNone }

var errNone = fmt.Errorf("%w: GPUs connect by NVIDIA's NCCL, and this build opens no libraries", device.ErrNotSupported)

// Here is an error.
func Here(context.Context, int, Options) ([]*Process, error) { return nil, errNone }

// Join does nothing.
func (*Process) Join(context.Context, comm.Comm, Options) error { return nil }

// Leave does nothing.
func (*Process) Leave() error { return nil }

// Name is empty.
func (*Process) Name() string { return "" }

// Device is nil.
func (*Process) Device() device.Device { return nil }

// Close does nothing.
func (*Process) Close() error { return nil }

// World is an error.
func World(_ context.Context, _, size int, _ Options) (*Process, error) {
	if runtime.GOOS == "linux" {
		return nil, fmt.Errorf("without MPI, processes connect by NVIDIA's NCCL, and this build opens no libraries: it was built with the tag nocuda, or isn't for amd64 or arm64; search in one process, or use a build that isn't, by mpirun -n %d", size)
	}
	return nil, fmt.Errorf("searches over processes need Linux on amd64 or arm64, not %s", runtime.GOOS)
}
