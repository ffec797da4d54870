// Package codec declares the codec of Parquet pages that a program links by an import.
package codec

import (
	"io"

	"github.com/foray-graph/foray/internal/linked"
)

// Codec compresses and decompresses pages.
type Codec struct {
	// NewReader returns a decompressor, which is reset before each page.
	NewReader func() Reader
	// Compress appends a compressed page to an empty slice. Several goroutines call it.
	Compress func(to, page []byte) []byte
}

// Reader is a decompressor.
type Reader interface {
	io.Reader
	Reset(io.Reader) error
}

// Brotli is registered by package brotli.
var Brotli = linked.Part[Codec]{Name: "the codec brotli", Import: "github.com/foray-graph/foray/io/arrow/brotli"}
