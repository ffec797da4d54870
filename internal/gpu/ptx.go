// This file holds how PTX becomes machine code: it was compiled ahead, an earlier process compiled it and left it on
// disk, or the driver compiles it.

package gpu

import (
	"bytes"
	"encoding/binary"
	"os"

	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/gpu/kernelcache"
)

// version is part of the keys: it changes if the same PTX shall be compiled otherwise.
const version = "foray 1"

// isPTX reports whether an image is PTX with a zero behind it, as package link makes it.
func isPTX(image []byte) bool {
	return bytes.HasPrefix(image, []byte("//")) && image[len(image)-1] == 0
}

// load loads an image. No fault of the cache is an error: the driver loads the image itself.
func (d *Device) load(image []byte) (*driver.Module, error) {
	if !isPTX(image) {
		return d.c.Load(image)
	}
	if code := d.ahead(image); code != nil {
		if m, err := d.c.Load(code); err == nil {
			return m, nil
		}
	}
	folder, key := kernelcache.Default(), d.keyOf(image)
	code := folder.Get(key)
	if code != nil {
		if m, err := d.c.Load(code); err == nil {
			return m, nil
		}
		folder.Remove(key)
	}
	if !folder.Writable() {
		return d.c.Load(image) // which the driver may have in its own cache
	}
	code, err := d.c.Compile(image)
	if err != nil {
		return d.c.Load(image) // its error tells more
	}
	m, err := d.c.Load(code)
	if err != nil {
		return d.c.Load(image)
	}
	_ = folder.Put(key, code)
	return m, nil
}

// keyOf returns the key of the machine code of PTX on this device: with another driver or model of GPU it is compiled again.
func (d *Device) keyOf(ptx []byte) kernelcache.Key {
	var n [12]byte
	binary.LittleEndian.PutUint32(n[0:], uint32(d.card.Driver))
	binary.LittleEndian.PutUint32(n[4:], uint32(d.card.Major))
	binary.LittleEndian.PutUint32(n[8:], uint32(d.card.Minor))
	return kernelcache.KeyOf([]byte(version), n[:], driverRelease(), []byte(d.card.Name), ptx)
}

// driverRelease returns the release of the driver, such as 550.54.15, or nothing where the system doesn't tell.
func driverRelease() []byte {
	b, _ := os.ReadFile("/sys/module/nvidia/version")
	return b
}
