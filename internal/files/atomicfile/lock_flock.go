//go:build darwin || linux

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// tryLock locks an open file, until it is closed or the process ends. It doesn't wait.
func tryLock(f *os.File) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if e := c.Control(func(fd uintptr) { err = unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB) }); e != nil {
		return e
	}
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return errLocked
	case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.EINVAL): // of some file systems
		return errors.ErrUnsupported
	}
	return err
}

// fileID identifies a file to the system, whatever its names.
type fileID struct{ device, inode uint64 }

func identity(info fs.FileInfo) (fileID, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}, false
	}
	return fileID{uint64(s.Dev), uint64(s.Ino)}, true
}
