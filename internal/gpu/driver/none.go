//go:build nocuda || !linux || !(amd64 || arm64) || (gorgonia && !cgo)

// This file replaces the driver in builds without one.

package driver

import "errors"

// canOpenPath returns why no library can be opened.
func canOpenPath() error {
	_, err := openDriver()
	return err
}

func openPath(string) (driver, error) { return openDriver() }

// openDriver returns why there is no driver.
func openDriver() (driver, error) {
	if builtWithNoCUDA {
		return nil, errors.New("built with nocuda")
	}
	return nil, errors.New("this build has no driver: it needs Linux on amd64 or arm64 and, with the tag gorgonia, cgo")
}
