// Package brotli links the codec Brotli. A program that reads or writes Parquet files whose
// pages are compressed with it imports it:
//
//	import _ "github.com/foray-graph/foray/io/arrow/brotli"
//
// The guide is [docs/embed.md].
//
// Without it such a file is an error that names the import. The package is large, and few files
// use this codec: docs/embed.md has the sizes. All other codecs are part of io/arrow.
//
// [docs/embed.md]: https://github.com/foray-graph/foray/blob/main/docs/embed.md
package brotli

import (
	"bytes"

	"github.com/andybalholm/brotli"

	"github.com/foray-graph/foray/io/arrow/internal/codec"
)

func init() {
	codec.Brotli.Provide(codec.Codec{NewReader: func() codec.Reader { return new(brotli.Reader) }, Compress: compress})
}

// compress compresses a page. A compressor that is reset keeps the hash function that suited
// its first page's size: a file would depend on which compressor had which page, and be larger.
func compress(to, page []byte) []byte {
	out := bytes.NewBuffer(to)
	w := brotli.NewWriter(out)
	_, _ = w.Write(page) // writing to memory doesn't fail
	_ = w.Close()
	return out.Bytes()
}
