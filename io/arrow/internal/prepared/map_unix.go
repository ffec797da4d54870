// This file maps files into memory, on systems that have it.

//go:build unix

package prepared

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps the file for reading. release gives the mapping back.
func mapFile(f *os.File, size int) (data []byte, release func() error, err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return data, func() error { return os.NewSyscallError("munmap", unix.Munmap(data)) }, nil
}
