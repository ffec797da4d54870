//go:build linux && (amd64 || arm64) && !cgo

// This file tests what builds without cgo are linked against.

package driver

import (
	"debug/elf"
	"os"
	"strings"
	"testing"
)

// TestLinking: with nocuda the program is static. Without it, it needs the C
// library's loader, cgo or not.
func TestLinking(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	loader := false
	for _, p := range f.Progs {
		loader = loader || p.Type == elf.PT_INTERP
	}
	_, err = openDriver()
	if err != nil && (strings.Contains(err.Error(), "nocuda") || strings.Contains(err.Error(), "has no driver")) {
		if loader || len(libraries) > 0 {
			t.Errorf("a build without a driver needs %v", libraries)
		}
		return
	}
	if !loader || len(libraries) == 0 {
		t.Error("the program is static, and yet opens a library")
	}
}
