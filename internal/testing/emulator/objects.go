// This file keeps compiled objects between builds: most of a library is the same as of
// the last one.

package emulator

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// objectsName is the folder of objects, next to libraries; keptFor is how long an unused object stays.
const (
	objectsName = "objects"
	keptFor     = 7 * 24 * time.Hour
)

// kept is a folder with compiled objects, by a hash of everything that they were compiled from. A nil
// one keeps nothing.
type kept struct {
	folder   string
	compiler []byte
}

// keep returns the user's objects, or nil if they can't be stored: then everything is compiled.
func keep() *kept {
	folder, err := Folder()
	if err != nil {
		return nil
	}
	compiler, err := exec.Command("g++", "--version").Output()
	if err != nil {
		return nil
	}
	k := &kept{filepath.Join(folder, objectsName), compiler}
	if os.MkdirAll(k.folder, 0o777) != nil {
		return nil
	}
	list, _ := os.ReadDir(k.folder)
	for _, e := range list {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > keptFor {
			os.Remove(filepath.Join(k.folder, e.Name()))
		}
	}
	return k
}

// or returns the object of a compilation from the folder, or has it compiled and keeps it. The hash leaves out the folder
// of work, which is another one each time.
func (k *kept) or(object, work string, what []byte, args []string, compile func() error) error {
	if k == nil {
		return compile()
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%q\n%s\n", k.compiler, always, strings.ReplaceAll(strings.Join(args, "\n"), work, ""))
	h.Write(bytes.ReplaceAll(what, []byte(work), nil))
	path := filepath.Join(k.folder, fmt.Sprintf("%x.o", h.Sum(nil)[:16]))
	now := time.Now()
	if os.Chtimes(path, now, now) == nil { // it is wanted
		if text, err := os.ReadFile(path); err == nil && os.WriteFile(object, text, 0o666) == nil {
			return nil
		}
	}
	if err := compile(); err != nil {
		return err
	}
	// Objects that can't be stored are compiled again the next time.
	text, err := os.ReadFile(object)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(k.folder, "new-")
	if err != nil {
		return nil
	}
	_, err = f.Write(text)
	if closing := f.Close(); err != nil || closing != nil || os.Rename(f.Name(), path) != nil {
		os.Remove(f.Name())
	}
	return nil
}

// hashOwn is over the emulator's own sources.
func hashOwn() ([]byte, error) {
	h := sha256.New()
	err := fs.WalkDir(sources, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := sources.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n%s", path, len(text), text)
		return err
	})
	return h.Sum(nil), err
}
