package kernelcache

import (
	"io/fs"
	"os"
	"syscall"
)

// trusted reports whether this user or the superuser owns a file, and no other user can write to it.
func trusted(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && (s.Uid == 0 || int(s.Uid) == os.Geteuid()) && info.Mode().Perm()&0o022 == 0
}

// writable reports whether this process may make files in a folder.
func writable(path string) bool {
	const write, search = 2, 1
	return syscall.Access(path, write|search) == nil
}
