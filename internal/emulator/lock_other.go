//go:build !linux

package emulator

func lock(string) (func(), error) { return nil, ErrNoCompiler }
