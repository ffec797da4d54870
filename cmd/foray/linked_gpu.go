//go:build linux && (amd64 || arm64) && !nocuda

package main

// linkedDevices are the kinds of devices that this build has code for.
func linkedDevices() []string { return []string{"host", "cuda"} }
