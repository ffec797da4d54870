//go:build nocuda || !linux || !(amd64 || arm64) || (gorgonia && !cgo)

// This file stands in for the driver in builds that have none.

package driver

import "errors"

// canOpenPath says why no library can be opened.
func canOpenPath() error {
	_, err := openDriver()
	return err
}

func openPath(string) (driver, error) { return openDriver() }

// openDriver says why there is no driver.
func openDriver() (driver, error) {
	if builtWithNoCUDA {
		return nil, errors.New("built with nocuda")
	}
	return nil, errors.New("this build has no driver: it needs Linux on amd64 or arm64 and, with the tag gorgonia, cgo")
}
