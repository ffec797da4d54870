// This file finds the driver and the devices, on first use.

package driver

import (
	"fmt"
	"sync"
)

// Found is what Probe found.
type Found struct {
	Devices int     // how many there are, at least one
	Driver  Version // the newest interface that the driver offers
}

// Probe reports whether CUDA can be used here. An error that wraps
// ErrNotSupported gives the reason why not: no driver library, a driver that
// is too old, no device, or a build without CUDA. That answer and a found
// device are kept for the life of the process. Any other error means that
// there is a driver and that it failed; the next call tries again.
func Probe() (Found, error) { return std.probe() }

// DeviceInfo describes device i of those that Probe counts.
func DeviceInfo(i int) (Device, error) { return std.device(i) }

// Open returns a new hold on the primary context of device i. It belongs to
// the caller, who closes it. Any number may be open at a time; they share the
// device's memory addresses.
func Open(i int) (*Context, error) { return std.openContext(i) }

// UseLibrary opens the driver from the file at path, instead of the library that the system's
// loader finds: for example an emulated GPU's library. A process has one driver: once it has
// searched for another one, the error wraps ErrInUse. If this build opens no library, the
// error wraps ErrNotSupported.
func UseLibrary(path string) error { return std.use(path) }

func (s *system) use(path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path == path {
		return nil
	}
	if s.done || s.drv != nil {
		return fmt.Errorf("cuda: use %s: %w: this process has looked for a driver before, and it can have only one", path, ErrInUse)
	}
	if err := canOpenPath(); err != nil {
		return fmt.Errorf("cuda: use %s: %w: %w", path, ErrNotSupported, err)
	}
	s.path, s.open = path, func() (driver, error) { return openPath(path) }
	return nil
}

// std is the machine's driver. Tests make other systems.
var std = &system{open: openDriver}

// system is a driver that may not have been looked for yet.
type system struct {
	open func() (driver, error) // an error that wraps ErrNotSupported is final

	mu    sync.Mutex
	path  string // of the library, if UseLibrary set one
	done  bool
	drv   driver
	found Found
	err   error // wraps ErrNotSupported
}

func (s *system) probe() (Found, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return s.found, s.err
	}
	found, final, err := s.look()
	if err != nil && !final {
		return Found{}, err
	}
	s.done, s.found, s.err = true, found, err
	return found, err
}

// look opens the driver and queries it. final means that a second try returns
// the same error.
func (s *system) look() (found Found, final bool, err error) {
	if s.drv == nil {
		d, err := s.open()
		if err != nil {
			return Found{}, true, fmt.Errorf("cuda: %w: %w", ErrNotSupported, err)
		}
		s.drv = d
	}
	// The version can be asked before anything is initialized.
	version, c := s.drv.version()
	if c != codeOK {
		return Found{}, false, newError(s.drv, "cuDriverGetVersion", c, "")
	}
	if version == 0 {
		return Found{}, true, fmt.Errorf("cuda: %w: there is a driver library, but no driver is loaded", ErrNotSupported)
	}
	if version < MinVersion {
		return Found{}, true, fmt.Errorf("cuda: %w: driver too old: it offers CUDA %v, this needs %v", ErrNotSupported, version, MinVersion)
	}
	if c := s.drv.initialize(); c != codeOK {
		e := newError(s.drv, "cuInit", c, "")
		switch c {
		case codeNoDevice:
			return Found{}, true, fmt.Errorf("cuda: %w: no device: %w", ErrNotSupported, within{e})
		case codeStub:
			return Found{}, true, fmt.Errorf("cuda: %w: the driver library is a stub: %w", ErrNotSupported, within{e})
		}
		return Found{}, false, e
	}
	n, c := s.drv.deviceCount()
	if c != codeOK {
		return Found{}, false, newError(s.drv, "cuDeviceGetCount", c, "")
	}
	if n == 0 {
		return Found{}, true, fmt.Errorf("cuda: %w: no device", ErrNotSupported)
	}
	return Found{Devices: n, Driver: version}, true, nil
}

// number returns the driver's own number of device i.
func (s *system) number(i int) (int32, error) {
	found, err := s.probe()
	if err != nil {
		return 0, err
	}
	if i < 0 || i >= found.Devices {
		return 0, fmt.Errorf("cuda: device %d: %w: there are %d, numbered from 0", i, ErrNotFound, found.Devices)
	}
	dev, c := s.drv.deviceGet(i)
	if c != codeOK {
		return 0, newError(s.drv, "cuDeviceGet", c, fmt.Sprintf("device %d", i))
	}
	return dev, nil
}
