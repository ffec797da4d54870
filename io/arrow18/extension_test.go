// This file tests extension types, known to one version or both.

package arrow18

import (
	"testing"

	v18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	memory18 "github.com/apache/arrow-go/v18/arrow/memory"
	v15 "github.com/apache/arrow/go/v15/arrow"
)

// TestUUID: a type that v18 knows and v15 doesn't is its storage there, as Foray
// reads it from files, and itself when it comes back, in a list too.
func TestUUID(t *testing.T) {
	mem := memory18.NewCheckedAllocator(memory18.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	uuid := extensions.NewUUIDType()
	more := v18.NewMetadata([]string{"unit"}, []string{"none"})
	schema := v18.NewSchema([]v18.Field{{Name: "id", Type: uuid, Nullable: true, Metadata: more}, {Name: "ids", Type: v18.ListOf(uuid), Nullable: true}}, nil)
	b := array18.NewRecordBuilder(mem, schema)
	defer b.Release()
	for range 3 {
		if err := b.Field(0).AppendValueFromString("00112233-4455-6677-8899-aabbccddeeff"); err != nil {
			t.Fatal(err)
		}
		list := b.Field(1).(*array18.ListBuilder)
		list.Append(true)
		list.ValueBuilder().AppendNull()
	}
	rec := b.NewRecordBatch()
	defer rec.Release()
	from, err := FromRecord(rec)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Release()
	f := from.Schema().Field(0)
	name, _ := f.Metadata.GetValue("ARROW:extension:name")
	unit, _ := f.Metadata.GetValue("unit")
	if !v15.TypeEqual(f.Type, &v15.FixedSizeBinaryType{ByteWidth: 16}) || name != "arrow.uuid" || unit != "none" {
		t.Fatalf("%v", f)
	}
	back, err := ToRecord(from)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Release()
	if !back.Schema().Equal(rec.Schema()) || !array18.RecordEqual(back, rec) {
		t.Fatalf("there and back\n%v\nis\n%v", rec, back)
	}
	if _, ok := back.Column(0).(*extensions.UUIDArray); !ok {
		t.Fatalf("%T", back.Column(0))
	}
}
