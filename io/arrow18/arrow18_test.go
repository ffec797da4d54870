// This file compares arrays of both versions, over random types and values.

package arrow18

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"

	v18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	memory18 "github.com/apache/arrow-go/v18/arrow/memory"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
	memory15 "github.com/apache/arrow/go/v15/arrow/memory"
)

// checkFrom passes a record to v15 and back, and compares the values that each sees.
func checkFrom(t *testing.T, rec v18.RecordBatch) {
	t.Helper()
	from, err := FromRecord(rec)
	if err != nil {
		t.Fatalf("%v: %v", rec.Schema(), err)
	}
	defer from.Release()
	for i, c := range from.Columns() {
		was := rec.Column(i)
		if got, want := nullable.ReplaceAllString(c.DataType().String(), ""), nullable.ReplaceAllString(was.DataType().String(), ""); got != want {
			t.Fatalf("type %s, want %s", got, want)
		}
		if c.Len() != was.Len() || c.NullN() != was.NullN() {
			t.Fatalf("%v: %d values, %d missing, want %d, %d", was.DataType(), c.Len(), c.NullN(), was.Len(), was.NullN())
		}
		for j := range c.Len() {
			if c.IsNull(j) != was.IsNull(j) {
				t.Fatalf("%v: value %d is missing: %t", was.DataType(), j, c.IsNull(j))
			}
			if printedAnew.MatchString(was.DataType().String()) {
				continue
			}
			if got, want := c.ValueStr(j), was.ValueStr(j); got != want {
				t.Fatalf("%v: value %d is %s, want %s", was.DataType(), j, got, want)
			}
		}
		shared(t, was.Data(), c.Data())
	}
	back, err := ToRecord(from)
	if err != nil {
		t.Fatalf("%v: %v", rec.Schema(), err)
	}
	defer back.Release()
	if !back.Schema().Equal(rec.Schema()) {
		t.Fatalf("there and back\n%v\nis\n%v", rec.Schema(), back.Schema())
	}
	if !array18.RecordEqual(back, rec) {
		t.Fatalf("there and back\n%v\nis\n%v", rec, back)
	}
}

// printedAnew are types whose values v18 prints in another way than v15. A
// timestamp keeps its zone once it is printed, and isn't equal to others then.
var printedAnew = regexp.MustCompile("timestamp|decimal|union")

// nullable is what only v18 prints of fields of a struct.
var nullable = regexp.MustCompile(",? nullable")

// shared checks that buffers are at the same addresses.
func shared(t *testing.T, a v18.ArrayData, b v15.ArrayData) {
	t.Helper()
	for i, x := range a.Buffers() {
		y := b.Buffers()[i]
		switch {
		case x == nil != (y == nil):
			t.Fatalf("%v: buffer %d: %v, %v", a.DataType(), i, x, y)
		case x != nil && x.Len() > 0 && &x.Bytes()[0] != &y.Bytes()[0]:
			t.Fatalf("%v: buffer %d is a copy", a.DataType(), i)
		}
	}
	for i, c := range a.Children() {
		shared(t, c, b.Children()[i])
	}
}

func TestTypes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, typ := range flat() {
		t.Run(typ.String(), func(t *testing.T) { checkType(t, rng, typ) })
	}
}

func TestNestedRandom(t *testing.T) {
	for seed := range uint64(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 3))
			checkType(t, rng, randomType(rng, 1+rng.IntN(3)))
		})
	}
}

// checkType passes arrays of a type on and looks that nothing is left.
func checkType(t *testing.T, rng *rand.Rand, typ v18.DataType) {
	mem := memory18.NewCheckedAllocator(memory18.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	for _, n := range []int{0, 1, 1 + rng.IntN(40)} {
		a := randomArray(rng, mem, typ, n)
		m := v18.NewMetadata([]string{"made", "by"}, []string{"a", "test"})
		schema := v18.NewSchema([]v18.Field{{Name: "a", Type: typ, Nullable: true, Metadata: m}, {Name: "a", Type: typ, Nullable: true}}, &m)
		rec := array18.NewRecordBatch(schema, []v18.Array{a, a}, int64(n))
		checkFrom(t, rec)

		// What was passed on outlives what it came from.
		want := copied(a)
		from, err := FromArray(a)
		if err != nil {
			t.Fatal(err)
		}
		a.Release()
		rec.Release()
		back, err := ToArray(from)
		if err != nil {
			t.Fatal(err)
		}
		from.Release()
		if !array18.Equal(back, want) {
			t.Fatalf("%v: %v, want %v", typ, back, want)
		}
		back.Release()
	}
}

// copied returns a copy of an array in its own memory.
func copied(a v18.Array) v18.Array {
	var data func(d *array18.Data) *array18.Data
	data = func(d *array18.Data) *array18.Data {
		var buffers []*memory18.Buffer
		for _, b := range d.Buffers() {
			if b != nil {
				b = memory18.NewBufferBytes(bytes.Clone(b.Bytes()))
			}
			buffers = append(buffers, b)
		}
		var children []v18.ArrayData
		for _, c := range d.Children() {
			children = append(children, data(c.(*array18.Data)))
		}
		to := array18.NewData(d.DataType(), d.Len(), buffers, children, d.NullN(), d.Offset())
		if dictionary, ok := d.Dictionary().(*array18.Data); ok && dictionary != nil {
			to.SetDictionary(data(dictionary))
		}
		return to
	}
	return array18.MakeFromData(data(a.Data().(*array18.Data)))
}

// TestToOwnership: v18 keeps what it was given of v15, and no longer.
func TestToOwnership(t *testing.T) {
	mem := memory15.NewCheckedAllocator(memory15.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	b := array15.NewRecordBuilder(mem, v15.NewSchema([]v15.Field{{Name: "a", Type: v15.ListOf(v15.BinaryTypes.String), Nullable: true}}, nil))
	defer b.Release()
	list := b.Field(0).(*array15.ListBuilder)
	for i := range 10 {
		list.Append(i%3 > 0)
		if i%3 > 0 {
			list.ValueBuilder().(*array15.StringBuilder).Append(fmt.Sprint(i))
		}
	}
	rec := b.NewRecord()
	in, err := array15.NewRecordReader(rec.Schema(), []v15.Record{rec, rec})
	if err != nil {
		t.Fatal(err)
	}
	rec.Release()
	out, err := ToReader(in)
	if err != nil {
		t.Fatal(err)
	}
	in.Release()
	out.Retain()
	out.Release()
	var kept []v18.RecordBatch
	for out.Next() {
		out.RecordBatch().Retain()
		kept = append(kept, out.RecordBatch())
	}
	if err := out.Err(); err != nil || len(kept) != 2 {
		t.Fatalf("%d records, %v", len(kept), err)
	}
	out.Release()
	for _, rec := range kept {
		if got := rec.Column(0).String(); got != `[(null) ["1"] ["2"] (null) ["4"] ["5"] (null) ["7"] ["8"] (null)]` {
			t.Error(got)
		}
		rec.Release()
	}
}

func TestErrors(t *testing.T) {
	mem := memory18.NewCheckedAllocator(memory18.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	rng := rand.New(rand.NewPCG(7, 7))
	for _, typ := range []v18.DataType{&v18.Decimal32Type{Precision: 5}, v18.ListOf(&v18.Decimal64Type{Precision: 15}),
		v18.StructOf(v18.Field{Name: "ok", Type: v18.PrimitiveTypes.Int8}, v18.Field{Name: "a", Type: &v18.Decimal32Type{Precision: 5}})} {
		schema := v18.NewSchema([]v18.Field{{Name: "price", Type: typ}}, nil)
		if _, err := FromSchema(schema); !errors.Is(err, ErrType) {
			t.Errorf("%v: %v", typ, err)
		}
		b := array18.NewBuilder(mem, typ)
		b.AppendNull()
		a := b.NewArray()
		b.Release()
		rec := array18.NewRecordBatch(schema, []v18.Array{a}, 1)
		if _, err := FromArray(a); !errors.Is(err, ErrType) {
			t.Errorf("%v: %v", typ, err)
		}
		if _, err := FromRecord(rec); !errors.Is(err, ErrType) || !bytes.Contains([]byte(err.Error()), []byte(`"price"`)) {
			t.Errorf("%v: %v", typ, err)
		}
		r, err := array18.NewRecordReader(schema, []v18.RecordBatch{rec})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := FromReader(r); !errors.Is(err, ErrType) {
			t.Errorf("%v: %v", typ, err)
		}
		r.Release()
		rec.Release()
		a.Release()
	}
	_, err := FromArray(nil)
	_, err1 := FromRecord(nil)
	_, err2 := FromReader(nil)
	_, err3 := FromSchema(nil)
	_, err4 := ToArray(nil)
	_, err5 := ToRecord(nil)
	_, err6 := ToReader(nil)
	_, err7 := ToSchema(nil)
	for i, err := range []error{err, err1, err2, err3, err4, err5, err6, err7} {
		if !errors.Is(err, ErrArray) {
			t.Errorf("nil %d: %v", i, err)
		}
	}
	// An array whose offsets are too few, which v15 refuses by a panic, and keeps.
	a := randomArray(rng, memory18.NewGoAllocator(), v18.BinaryTypes.String, 5)
	data := array18.NewData(v18.BinaryTypes.String, 500, a.Data().Buffers(), nil, -1, 0)
	if _, err := FromArray(unchecked{a, data}); !errors.Is(err, ErrArray) {
		t.Errorf("too few offsets: %v", err)
	}
	data.Release()
	a.Release()
}

// unchecked is an array with other data.
type unchecked struct {
	v18.Array
	data v18.ArrayData
}

func (u unchecked) Data() v18.ArrayData { return u.data }
