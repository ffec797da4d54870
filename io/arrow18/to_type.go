// This file holds how types of v15 become v18's.

package arrow18

import (
	"fmt"

	v18 "github.com/apache/arrow-go/v18/arrow"
	end18 "github.com/apache/arrow-go/v18/arrow/endian"
	v15 "github.com/apache/arrow/go/v15/arrow"
	end15 "github.com/apache/arrow/go/v15/arrow/endian"
)

// ToSchema returns v18's schema of the same fields and metadata. Errors wrap
// ErrType or ErrArray.
func ToSchema(s *v15.Schema) (to *v18.Schema, err error) {
	defer guard(&err)
	if s == nil {
		return nil, fmt.Errorf("%w: no schema", ErrArray)
	}
	fields, err := toFields(s.Fields())
	if err != nil {
		return nil, err
	}
	metadata := toMetadata(s.Metadata())
	order := end18.LittleEndian
	if s.Endianness() == end15.BigEndian {
		order = end18.BigEndian
	}
	return v18.NewSchemaWithEndian(fields, &metadata, order), nil
}

func toMetadata(m v15.Metadata) v18.Metadata { return v18.NewMetadata(m.Keys(), m.Values()) }

func toFields(fields []v15.Field) ([]v18.Field, error) {
	var to []v18.Field
	for _, f := range fields {
		field, err := toField(f)
		if err != nil {
			return nil, err
		}
		to = append(to, field)
	}
	return to, nil
}

func toField(f v15.Field) (v18.Field, error) {
	to := v18.Field{Name: f.Name, Nullable: f.Nullable, Metadata: toMetadata(f.Metadata)}
	typ := f.Type
	if ext, ok := typ.(v15.ExtensionType); ok {
		typ = ext.StorageType()
		keys, values := without(f.Metadata.Keys(), f.Metadata.Values())
		to.Metadata = v18.NewMetadata(append(keys, extensionName, extensionParameters), append(values, ext.ExtensionName(), ext.Serialize()))
	}
	storage, err := toType(typ)
	if err != nil {
		return to, in(f.Name, err)
	}
	to.Type = storage
	name, ok := to.Metadata.GetValue(extensionName)
	if !ok {
		return to, nil
	}
	known := v18.GetExtensionType(name)
	if known == nil {
		return to, nil
	}
	parameters, _ := to.Metadata.GetValue(extensionParameters)
	ext, err := known.Deserialize(storage, parameters)
	if err != nil {
		return to, in(f.Name, fmt.Errorf("%w: extension type %.100q: %w", ErrType, name, err))
	}
	to.Type = ext
	to.Metadata = v18.NewMetadata(without(to.Metadata.Keys(), to.Metadata.Values()))
	return to, nil
}

// toSimple has the types without parameters.
var toSimple = map[v15.Type]v18.DataType{
	v15.NULL: v18.Null, v15.BOOL: v18.FixedWidthTypes.Boolean,
	v15.INT8: v18.PrimitiveTypes.Int8, v15.INT16: v18.PrimitiveTypes.Int16, v15.INT32: v18.PrimitiveTypes.Int32, v15.INT64: v18.PrimitiveTypes.Int64,
	v15.UINT8: v18.PrimitiveTypes.Uint8, v15.UINT16: v18.PrimitiveTypes.Uint16, v15.UINT32: v18.PrimitiveTypes.Uint32, v15.UINT64: v18.PrimitiveTypes.Uint64,
	v15.FLOAT16: v18.FixedWidthTypes.Float16, v15.FLOAT32: v18.PrimitiveTypes.Float32, v15.FLOAT64: v18.PrimitiveTypes.Float64,
	v15.DATE32: v18.FixedWidthTypes.Date32, v15.DATE64: v18.FixedWidthTypes.Date64,
	v15.INTERVAL_MONTHS: v18.FixedWidthTypes.MonthInterval, v15.INTERVAL_DAY_TIME: v18.FixedWidthTypes.DayTimeInterval,
	v15.INTERVAL_MONTH_DAY_NANO: v18.FixedWidthTypes.MonthDayNanoInterval,
	v15.STRING:                  v18.BinaryTypes.String, v15.LARGE_STRING: v18.BinaryTypes.LargeString, v15.STRING_VIEW: v18.BinaryTypes.StringView,
	v15.BINARY: v18.BinaryTypes.Binary, v15.LARGE_BINARY: v18.BinaryTypes.LargeBinary, v15.BINARY_VIEW: v18.BinaryTypes.BinaryView,
}

func toType(t v15.DataType) (v18.DataType, error) {
	if t == nil {
		return nil, fmt.Errorf("%w: no type", ErrArray)
	}
	if simple, ok := toSimple[t.ID()]; ok {
		return simple, nil
	}
	switch t := t.(type) {
	case *v15.FixedSizeBinaryType:
		return &v18.FixedSizeBinaryType{ByteWidth: t.ByteWidth}, nil
	case *v15.Decimal128Type:
		return &v18.Decimal128Type{Precision: t.Precision, Scale: t.Scale}, nil
	case *v15.Decimal256Type:
		return &v18.Decimal256Type{Precision: t.Precision, Scale: t.Scale}, nil
	case *v15.TimestampType:
		return &v18.TimestampType{Unit: v18.TimeUnit(t.Unit), TimeZone: t.TimeZone}, nil
	case *v15.Time32Type:
		return &v18.Time32Type{Unit: v18.TimeUnit(t.Unit)}, nil
	case *v15.Time64Type:
		return &v18.Time64Type{Unit: v18.TimeUnit(t.Unit)}, nil
	case *v15.DurationType:
		return &v18.DurationType{Unit: v18.TimeUnit(t.Unit)}, nil
	case *v15.DictionaryType:
		index, err := toType(t.IndexType)
		if err != nil {
			return nil, err
		}
		values, err := toType(t.ValueType)
		return &v18.DictionaryType{IndexType: index, ValueType: values, Ordered: t.Ordered}, err
	case *v15.RunEndEncodedType:
		ends, err := toType(t.RunEnds())
		if err != nil {
			return nil, err
		}
		values, err := toType(t.Encoded())
		if err != nil {
			return nil, err
		}
		ree := v18.RunEndEncodedOf(ends, values)
		ree.ValueNullable = t.ValueNullable
		return ree, nil
	case v15.NestedType:
		return toNested(t)
	}
	return nil, fmt.Errorf("%w: %v", ErrType, t)
}

func toNested(t v15.NestedType) (v18.DataType, error) {
	if m, ok := t.(*v15.MapType); ok {
		return toMap(m)
	}
	fields, err := toFields(t.Fields())
	if err != nil {
		return nil, err
	}
	codes := func(u v15.UnionType) (to []v18.UnionTypeCode) {
		for _, code := range u.TypeCodes() {
			to = append(to, v18.UnionTypeCode(code))
		}
		return to
	}
	switch t := t.(type) {
	case *v15.StructType:
		return v18.StructOf(fields...), nil
	case *v15.ListType:
		return v18.ListOfField(fields[0]), nil
	case *v15.LargeListType:
		return v18.LargeListOfField(fields[0]), nil
	case *v15.ListViewType:
		return v18.ListViewOfField(fields[0]), nil
	case *v15.LargeListViewType:
		return v18.LargeListViewOfField(fields[0]), nil
	case *v15.FixedSizeListType:
		return v18.FixedSizeListOfField(t.Len(), fields[0]), nil
	case *v15.SparseUnionType:
		return v18.SparseUnionOf(fields, codes(t)), nil
	case *v15.DenseUnionType:
		return v18.DenseUnionOf(fields, codes(t)), nil
	}
	return nil, fmt.Errorf("%w: %v", ErrType, t)
}

func toMap(t *v15.MapType) (v18.DataType, error) {
	key, err := toField(t.KeyField())
	if err != nil {
		return nil, err
	}
	item, err := toField(t.ItemField())
	if err != nil {
		return nil, err
	}
	m := v18.MapOfWithMetadata(key.Type, key.Metadata, item.Type, item.Metadata)
	m.SetItemNullable(item.Nullable)
	m.KeysSorted = t.KeysSorted
	return m, nil
}
