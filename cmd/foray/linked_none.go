//go:build !linux || !(amd64 || arm64) || nocuda

package main

func linkedDevices() []string { return []string{"host"} }
