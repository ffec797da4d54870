// This file holds how images of compiled kernels are packed and unpacked. Images add to the size of
// every clone and binary. nvcc compresses the code of each kernel separately; zstd over a whole
// image also finds the code that kernels for other GPUs and other widths of offsets share.

package gpu

import (
	"bytes"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// ImageSuffix ends the names of files that hold a packed image.
const ImageSuffix = ".zst"

// zstdMagic begins a zstd frame (RFC 8878, 3.1.1). No fatbin, cubin or PTX begins so.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// UnpackImage returns the image of a packed one (internal/tools/pack). It returns an unpacked image
// unchanged. The error reports a frame that is damaged, or would be too large.
func UnpackImage(image []byte) ([]byte, error) {
	if !bytes.HasPrefix(image, zstdMagic) {
		return image, nil
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostBytes))
	if err != nil {
		return nil, fmt.Errorf("gpu: %w", err)
	}
	defer d.Close()
	plain, err := d.DecodeAll(image, nil)
	if err != nil {
		return nil, fmt.Errorf("gpu: a packed image of %d bytes: %w; build the program again", len(image), err)
	}
	return plain, nil
}
