//go:build !linux

package main

// frugally does nothing here.
func frugally() {}
