// This file mounts a small file system, for a test to fill.

package write

import (
	"fmt"
	"syscall"
)

func mountTmpfs(dir string, size int) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size))
}

func unmount(dir string) { _ = syscall.Unmount(dir, 0) }
