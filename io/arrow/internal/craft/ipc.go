// This file puts Arrow IPC streams together by hand.

package craft

import (
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Batch is a record batch, whose header need not be true.
type Batch struct {
	Rows    int64
	Nodes   [][2]int64 // lengths and nulls
	Buffers [][2]int64 // offsets and lengths
	Codec   int        // -1 for none, 0 LZ4, 1 zstd
	Views   []int64    // how many buffers beyond two each column of views has
	Body    []byte
	// BodyLength is what the message says; 0 means the length of Body.
	BodyLength int64
	// Dictionary makes it a dictionary batch of that id, if not nil.
	Dictionary *int64
}

// Add adds a buffer to the body, and to the header as it is.
func (b *Batch) Add(data []byte) *Batch {
	b.Buffers = append(b.Buffers, [2]int64{int64(len(b.Body)), int64(len(data))})
	b.Body = append(b.Body, data...)
	for len(b.Body)%8 != 0 {
		b.Body = append(b.Body, 0)
	}
	return b
}

// Column adds a column of a validity buffer and others.
func (b *Batch) Column(nulls int64, buffers ...[]byte) *Batch {
	b.Nodes = append(b.Nodes, [2]int64{b.Rows, nulls})
	for _, data := range buffers {
		b.Add(data)
	}
	return b
}

// Message returns the batch as a message.
func (b *Batch) Message() []byte {
	f := flatbuffers.NewBuilder(0)
	pairs := func(list [][2]int64) flatbuffers.UOffsetT {
		f.StartVector(16, len(list), 8)
		for i := len(list) - 1; i >= 0; i-- {
			f.Prep(8, 16)
			f.PrependInt64(list[i][1])
			f.PrependInt64(list[i][0])
		}
		return f.EndVector(len(list))
	}
	nodes, buffers := pairs(b.Nodes), pairs(b.Buffers)
	var codec flatbuffers.UOffsetT
	if b.Codec >= 0 {
		f.StartObject(2)
		f.PrependInt8Slot(0, int8(b.Codec), 0)
		codec = f.EndObject()
	}
	var views flatbuffers.UOffsetT
	if len(b.Views) > 0 {
		f.StartVector(8, len(b.Views), 8)
		for i := len(b.Views) - 1; i >= 0; i-- {
			f.PrependInt64(b.Views[i])
		}
		views = f.EndVector(len(b.Views))
	}
	f.StartObject(5)
	f.PrependInt64Slot(0, b.Rows, 0)
	f.PrependUOffsetTSlot(1, nodes, 0)
	f.PrependUOffsetTSlot(2, buffers, 0)
	if codec != 0 {
		f.PrependUOffsetTSlot(3, codec, 0)
	}
	if views != 0 {
		f.PrependUOffsetTSlot(4, views, 0)
	}
	header, kind := f.EndObject(), byte(3)
	if b.Dictionary != nil {
		batch := header
		f.StartObject(3)
		f.PrependInt64Slot(0, *b.Dictionary, 0)
		f.PrependUOffsetTSlot(1, batch, 0)
		header, kind = f.EndObject(), 2
	}
	length := b.BodyLength
	if length == 0 {
		length = int64(len(b.Body))
	}
	return append(message(f, kind, header, length), b.Body...)
}

func message(f *flatbuffers.Builder, kind byte, header flatbuffers.UOffsetT, body int64) []byte {
	f.StartObject(5)
	f.PrependInt16Slot(0, 4, 0)
	f.PrependByteSlot(1, kind, 0)
	f.PrependUOffsetTSlot(2, header, 0)
	f.PrependInt64Slot(3, body, 0)
	f.Finish(f.EndObject())
	return Frame(f.FinishedBytes())
}

// Frame returns metadata as a message has it, padded, behind its length.
func Frame(meta []byte) []byte {
	size := (len(meta) + 7) / 8 * 8
	out := binary.LittleEndian.AppendUint32(nil, 0xffffffff)
	out = binary.LittleEndian.AppendUint32(out, uint32(size))
	out = append(out, meta...)
	return append(out, make([]byte, size-len(meta))...)
}

// Field is a column of a schema, of type int64, or string if Text is set, or a
// view of strings if View is.
type Field struct {
	Name       string
	Text, View bool
	Dictionary *int64
	Children   []*Field // makes it a struct
}

// Schema returns a schema message. A field that is there twice is shared.
func Schema(fields ...*Field) []byte {
	f := flatbuffers.NewBuilder(0)
	made := map[*Field]flatbuffers.UOffsetT{}
	var field func(x *Field) flatbuffers.UOffsetT
	vector := func(list []*Field) flatbuffers.UOffsetT {
		var offsets []flatbuffers.UOffsetT
		for _, x := range list {
			offsets = append(offsets, field(x))
		}
		f.StartVector(4, len(offsets), 4)
		for i := len(offsets) - 1; i >= 0; i-- {
			f.PrependUOffsetT(offsets[i])
		}
		return f.EndVector(len(offsets))
	}
	field = func(x *Field) flatbuffers.UOffsetT {
		if at, ok := made[x]; ok {
			return at
		}
		name := f.CreateString(x.Name)
		children := vector(x.Children)
		f.StartObject(2)
		kind := byte(2)
		switch {
		case len(x.Children) > 0:
			kind = 13
		case x.Text:
			kind = 5
		case x.View:
			kind = 24
		default:
			f.PrependInt32Slot(0, 64, 0)
			f.PrependBoolSlot(1, true, false)
		}
		typ := f.EndObject()
		var dict flatbuffers.UOffsetT
		if x.Dictionary != nil {
			f.StartObject(4)
			f.PrependInt64Slot(0, *x.Dictionary, 0)
			dict = f.EndObject()
		}
		f.StartObject(7)
		f.PrependUOffsetTSlot(0, name, 0)
		f.PrependBoolSlot(1, true, false)
		f.PrependByteSlot(2, kind, 0)
		f.PrependUOffsetTSlot(3, typ, 0)
		if dict != 0 {
			f.PrependUOffsetTSlot(4, dict, 0)
		}
		f.PrependUOffsetTSlot(5, children, 0)
		made[x] = f.EndObject()
		return made[x]
	}
	list := vector(fields)
	f.StartObject(4)
	f.PrependUOffsetTSlot(1, list, 0)
	return message(f, 1, f.EndObject(), 0)
}
