// This file holds what Linux alone can do: two directories change places, and open files have names.

package atomicfile

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// swap exchanges the names of two directories at once.
func swap(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// openName returns a name of an open file that stays valid after the file was removed.
func openName(f *os.File) (string, bool) {
	return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())), true
}
