//go:build !linux

package emulator

func Lock(string) (func(), error) { return nil, ErrNoCompiler }
