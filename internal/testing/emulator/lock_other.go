//go:build !linux

package emulator

import "os"

func Lock(string) (func(), error) { return nil, ErrNoCompiler }

func private(os.FileInfo) bool { return false }
