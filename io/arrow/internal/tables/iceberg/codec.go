// This file decompresses the blocks of Avro files, within the budget of the load.

package iceberg

import (
	"errors"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/twmb/avro/ocf"

	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// blockCodec decompresses blocks that are small beside others, and waits for its turn for large ones,
// which it keeps until the next block: readers hold one block each.
type blockCodec struct {
	name   string
	codec  func() (ocf.Codec, error)
	budget *tables.Budget
	file   int64 // its size
	done   int64 // bytes that came of it

	small, large ocf.Codec // made when they are needed: zstd's keeps the first limit that it gets
	turn         bool
	held         bool // it is the turn of the file as a whole
}

// codecs returns one for each compression there is.
func codecs(budget *tables.Budget, file int64) (all []*blockCodec) {
	for name, codec := range map[string]func() (ocf.Codec, error){
		"deflate":   func() (ocf.Codec, error) { return ocf.DeflateCodec(1), nil },
		"snappy":    func() (ocf.Codec, error) { return ocf.SnappyCodec(), nil },
		"zstandard": func() (ocf.Codec, error) { return ocf.ZstdCodec(nil, nil) },
	} {
		all = append(all, &blockCodec{name: name, codec: codec, budget: budget, file: file})
	}
	return all
}

func (c *blockCodec) Name() string { return c.name }

// errReadOnly: the codec doesn't compress.
var errReadOnly = errors.New("blocks are read alone")

func (c *blockCodec) Compress([]byte) ([]byte, error) { return nil, errReadOnly }

func (c *blockCodec) Decompress(src []byte) ([]byte, error) {
	return c.DecompressBounded(src, c.budget.Limit())
}

// DecompressBounded implements ocf.BoundedDecompressor.
func (c *blockCodec) DecompressBounded(src []byte, most int64) ([]byte, error) {
	c.giveBack()
	if c.small == nil {
		var err error
		if c.small, err = c.codec(); err != nil {
			return nil, err
		}
	}
	block, err := bounded(c.small, src, min(most, blockBytes))
	if err != nil && most > blockBytes {
		if !c.held {
			c.budget.Turn()
			c.turn = true
		}
		if c.large == nil {
			if c.large, err = c.codec(); err != nil {
				return nil, err
			}
		}
		block, err = bounded(c.large, src, most)
	}
	if err != nil {
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded) || strings.Contains(err.Error(), "exceeds limit") {
			err = c.budget.Past("one of its blocks decompresses to more than %s", text.Bytes(uint64(most)))
		}
		return nil, err
	}
	if c.done += int64(len(block)); c.done-c.budget.Limit() > maxExpansion*c.file {
		return nil, c.budget.Past("it decompresses to more than %s, which is more than %d times its size", text.Bytes(uint64(c.done)), maxExpansion)
	}
	return block, nil
}

// bounded decompresses a block of at most so many bytes.
func bounded(c ocf.Codec, src []byte, most int64) ([]byte, error) {
	return c.(ocf.BoundedDecompressor).DecompressBounded(src, most)
}

// giveBack ends the turn.
func (c *blockCodec) giveBack() {
	if c.turn {
		c.turn = false
		c.budget.GiveBack()
	}
}

func (c *blockCodec) Close() error {
	c.giveBack()
	for _, made := range []ocf.Codec{c.small, c.large} {
		if made != nil {
			if err := made.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}
