// This file writes the Arrow messages around a prepared graph's arrays: the
// format's own writer aligns to 8 bytes, copies lists, and has no use for
// buffers of which the checksums must be known before.

package prepared

import (
	"encoding/binary"
	"maps"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/foray-graph/foray/io/arrow/internal/ipc"
)

// storedAlign is what arrays are aligned to in the file: a cache line, and what
// Arrow recommends.
const storedAlign = 64

// Of Arrow's flatbuffers (format/Schema.fbs, Message.fbs, File.fbs).
const (
	fbVersion5     = 4
	fbSchema       = 1
	fbRecordBatch  = 3
	fbInt          = 2
	fbFloat        = 3
	fbBool         = 6
	fbStruct       = 13
	fbFixedList    = 16
	fbLargeBinary  = 19
	fbLargeUtf8    = 20
	fbLargeList    = 21
	fbSinglePrec   = 1
	fbDoublePrec   = 2
	fbMessageParts = 5
)

// frames returns what stands before the arrays and behind them, and sets where
// in the body each is. The arrays' lengths must be known, and their checksums.
func (s *storedGraph) frames() (head, tail []byte) {
	at := int64(0)
	for _, c := range s.columns {
		for _, a := range c.arrays {
			a.at = at
			at += (int64(len(a.data)) + storedAlign - 1) / storedAlign * storedAlign
		}
	}
	kv := s.metadata()
	head = append(head, ipc.Magic+"\x00\x00"...)
	b := flatbuffers.NewBuilder(0)
	head = appendMessage(head, message(b, fbSchema, s.schema(b, kv), 0), 8)
	block := len(head)
	b = flatbuffers.NewBuilder(0)
	head = appendMessage(head, message(b, fbRecordBatch, s.batch(b), at), storedAlign)

	tail = append(tail, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0) // the end of the stream
	b = flatbuffers.NewBuilder(0)
	schema := s.schema(b, kv)
	b.StartVector(24, 1, 8)
	b.Prep(8, 24)
	b.PrependInt64(at)
	b.Pad(4)
	b.PrependInt32(int32(len(head) - block))
	b.PrependInt64(int64(block))
	blocks := b.EndVector(1)
	b.StartObject(fbMessageParts)
	b.PrependInt16Slot(0, fbVersion5, 0)
	b.PrependUOffsetTSlot(1, schema, 0)
	b.PrependUOffsetTSlot(3, blocks, 0)
	b.Finish(b.EndObject())
	footer := b.FinishedBytes()
	tail = append(tail, footer...)
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(footer)))
	return head, append(tail, ipc.Magic...)
}

// appendMessage appends metadata behind its length, padded so that what comes
// next is aligned.
func appendMessage(to, meta []byte, align int) []byte {
	size := len(to) + 8 + len(meta)
	padding := (size+align-1)/align*align - size
	to = append(to, 0xff, 0xff, 0xff, 0xff)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(meta)+padding))
	to = append(to, meta...)
	return append(to, make([]byte, padding)...)
}

func message(b *flatbuffers.Builder, kind byte, header flatbuffers.UOffsetT, body int64) []byte {
	b.StartObject(fbMessageParts)
	b.PrependInt16Slot(0, fbVersion5, 0)
	b.PrependByteSlot(1, kind, 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependInt64Slot(3, body, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// batch writes the RecordBatch.
func (s *storedGraph) batch(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	var nodes, buffers [][2]int64
	for _, c := range s.columns {
		for _, n := range c.nodes {
			nodes = append(nodes, [2]int64{n, 0})
		}
		for _, a := range c.arrays {
			buffers = append(buffers, [2]int64{a.at, int64(len(a.data))})
		}
	}
	pairs := func(list [][2]int64) flatbuffers.UOffsetT {
		b.StartVector(16, len(list), 8)
		for _, x := range slices.Backward(list) {
			b.Prep(8, 16)
			b.PrependInt64(x[1])
			b.PrependInt64(x[0])
		}
		return b.EndVector(len(list))
	}
	n, bufs := pairs(nodes), pairs(buffers)
	b.StartObject(4)
	b.PrependInt64Slot(0, int64(s.vertices), 0)
	b.PrependUOffsetTSlot(1, n, 0)
	b.PrependUOffsetTSlot(2, bufs, 0)
	return b.EndObject()
}

// schema writes the Schema.
func (s *storedGraph) schema(b *flatbuffers.Builder, kv map[string]string) flatbuffers.UOffsetT {
	var fields, pairs []flatbuffers.UOffsetT
	for _, c := range s.columns {
		fields = append(fields, storedField(b, c))
	}
	for _, key := range slices.Sorted(maps.Keys(kv)) {
		k, v := b.CreateString(key), b.CreateString(kv[key])
		b.StartObject(2)
		b.PrependUOffsetTSlot(0, k, 0)
		b.PrependUOffsetTSlot(1, v, 0)
		pairs = append(pairs, b.EndObject())
	}
	f, m := fbTables(b, fields), fbTables(b, pairs)
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, f, 0)
	b.PrependUOffsetTSlot(2, m, 0)
	return b.EndObject()
}

// storedField writes the Field of a column.
func storedField(b *flatbuffers.Builder, c *storedColumn) flatbuffers.UOffsetT {
	switch c.kind {
	case storedUint32:
		return fbField(b, c.name, fbInt, fbIntType(b, 32, false))
	case storedInt64:
		return fbField(b, c.name, fbInt, fbIntType(b, 64, true))
	case storedUint64:
		return fbField(b, c.name, fbInt, fbIntType(b, 64, false))
	case storedBits:
		return fbField(b, c.name, fbBool, fbPlainType(b))
	case storedStrings:
		return fbField(b, c.name, fbLargeUtf8, fbPlainType(b))
	case storedBinary:
		return fbField(b, c.name, fbLargeBinary, fbPlainType(b))
	}
	if c.kind.isVertices() {
		return fbValues(b, c.name, c.kind-storedVertexInt32)
	}
	if list := fbEdges(b, c.kind); list != 0 {
		return fbField(b, c.name, fbLargeList, fbPlainType(b), list)
	}
	target := fbField(b, "vertex", fbInt, fbIntType(b, 32, false))
	switch {
	case c.kind != storedRows && c.kind.isRows():
		parts := []flatbuffers.UOffsetT{target}
		if c.kind.hasWeights() {
			b.StartObject(1)
			b.PrependInt16Slot(0, fbSinglePrec, 0)
			parts = append(parts, fbField(b, "weight", fbFloat, b.EndObject()))
		}
		if c.kind.hasIntWeights() {
			parts = append(parts, fbField(b, "exact_weight", fbInt, fbIntType(b, 64, true)))
		} else if c.kind.hasWideWeights() {
			b.StartObject(1)
			b.PrependInt16Slot(0, fbDoublePrec, 0)
			parts = append(parts, fbField(b, "exact_weight", fbFloat, b.EndObject()))
		}
		if c.kind.hasEdgeIDs() {
			parts = append(parts, fbField(b, "edge_id", fbInt, fbIntType(b, 64, false)))
		}
		target = fbField(b, "edge", fbStruct, fbPlainType(b), parts...)
	case c.kind == storedEll4:
		b.StartObject(1)
		b.PrependInt32Slot(0, 4, 0)
		return fbField(b, c.name, fbFixedList, b.EndObject(), target)
	}
	return fbField(b, c.name, fbLargeList, fbPlainType(b), target)
}

func fbPlainType(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	b.StartObject(0)
	return b.EndObject()
}

func fbIntType(b *flatbuffers.Builder, bits int32, signed bool) flatbuffers.UOffsetT {
	b.StartObject(2)
	b.PrependInt32Slot(0, bits, 0)
	b.PrependBoolSlot(1, signed, false)
	return b.EndObject()
}

func fbField(b *flatbuffers.Builder, name string, kind byte, typ flatbuffers.UOffsetT, children ...flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	n, c := b.CreateString(name), fbTables(b, children)
	b.StartObject(7)
	b.PrependUOffsetTSlot(0, n, 0)
	b.PrependByteSlot(2, kind, 0)
	b.PrependUOffsetTSlot(3, typ, 0)
	b.PrependUOffsetTSlot(5, c, 0)
	return b.EndObject()
}

func fbTables(b *flatbuffers.Builder, list []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(list), 4)
	for _, x := range slices.Backward(list) {
		b.PrependUOffsetT(x)
	}
	return b.EndVector(len(list))
}

// fbEdges writes the Field of the values of a column of edges, or of its strings; 0 for other columns.
func fbEdges(b *flatbuffers.Builder, kind storedKind) flatbuffers.UOffsetT {
	switch {
	case kind == storedDictionary:
		return fbField(b, "string", fbLargeBinary, fbPlainType(b))
	case kind.isEdges():
		return fbValues(b, "value", kind-storedEdgeInt32)
	}
	return 0
}

// fbValues writes the Field of numbers, whose type is what comes after the kind of int32.
func fbValues(b *flatbuffers.Builder, name string, after storedKind) flatbuffers.UOffsetT {
	switch storedEdgeInt32 + after {
	case storedEdgeFloat32, storedEdgeFloat64:
		precision := int16(fbSinglePrec)
		if storedEdgeInt32+after == storedEdgeFloat64 {
			precision = fbDoublePrec
		}
		b.StartObject(1)
		b.PrependInt16Slot(0, precision, 0)
		return fbField(b, name, fbFloat, b.EndObject())
	case storedEdgeInt32:
		return fbField(b, name, fbInt, fbIntType(b, 32, true))
	case storedEdgeUint32:
		return fbField(b, name, fbInt, fbIntType(b, 32, false))
	case storedEdgeInt64:
		return fbField(b, name, fbInt, fbIntType(b, 64, true))
	}
	return fbField(b, name, fbInt, fbIntType(b, 64, false))
}
