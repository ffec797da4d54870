// Package kernelimage packs and unpacks images of compiled kernels. Images add to the size of
// every clone and binary. nvcc compresses the code of each kernel separately; zstd over a whole
// image also finds the code that kernels for other GPUs and other widths of offsets share.
package kernelimage

import (
	"bytes"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// mostBytes bounds what Unpack inflates. The largest image of this repository has
// 11 MB.
const mostBytes = 256 << 20

// Suffix ends the names of files that hold a packed image.
const Suffix = ".zst"

// magic begins a zstd frame (RFC 8878, 3.1.1). No fatbin, cubin or PTX begins so.
var magic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// Pack returns an image as one zstd frame. The same image gives the same bytes
// with the same version of the compressor, which go.mod pins.
func Pack(image []byte) ([]byte, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(32<<20))
	if err != nil {
		return nil, fmt.Errorf("kernelimage: %w", err)
	}
	packed := e.EncodeAll(image, nil)
	return packed, e.Close()
}

// Unpack returns the image that Pack was given. It returns an unpacked image
// unchanged. The error reports a frame that is damaged, or would be too large.
func Unpack(image []byte) ([]byte, error) {
	if !bytes.HasPrefix(image, magic) {
		return image, nil
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostBytes))
	if err != nil {
		return nil, fmt.Errorf("kernelimage: %w", err)
	}
	defer d.Close()
	plain, err := d.DecodeAll(image, nil)
	if err != nil {
		return nil, fmt.Errorf("kernelimage: a packed image of %d bytes: %w; build the program again", len(image), err)
	}
	return plain, nil
}
