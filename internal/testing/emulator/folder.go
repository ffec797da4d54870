// This file holds where libraries are kept between programs.

package emulator

import (
	"fmt"
	"os"
	"path/filepath"
)

// Folder returns the folder in which Cached keeps libraries: foray/emulated-gpu in the user's folder for caches. Where the
// user has none, as in a container without $HOME, it is a folder for temporary files that belongs to this user alone,
// since programs run what is in it.
func Folder() (string, error) {
	if cache, err := os.UserCacheDir(); err == nil {
		return filepath.Join(cache, "foray", "emulated-gpu"), nil
	}
	folder := filepath.Join(os.TempDir(), fmt.Sprintf("foray-emulated-gpu-%d", os.Getuid()))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return "", err
	}
	if !info.IsDir() || !private(info) {
		return "", fmt.Errorf("emulator: %s: another user owns it or can write to it; set $HOME or $XDG_CACHE_HOME", folder)
	}
	return folder, nil
}
