// This file holds how types of v18 become v15's.

package arrow18

import (
	"fmt"

	v18 "github.com/apache/arrow-go/v18/arrow"
	end18 "github.com/apache/arrow-go/v18/arrow/endian"
	v15 "github.com/apache/arrow/go/v15/arrow"
	end15 "github.com/apache/arrow/go/v15/arrow/endian"
)

// FromSchema returns v15's schema of the same fields and metadata. Errors wrap
// ErrType or ErrArray.
func FromSchema(s *v18.Schema) (to *v15.Schema, err error) {
	defer guard(&err)
	if s == nil {
		return nil, fmt.Errorf("%w: no schema", ErrArray)
	}
	fields, err := fromFields(s.Fields())
	if err != nil {
		return nil, err
	}
	metadata := fromMetadata(s.Metadata())
	order := end15.LittleEndian
	if s.Endianness() == end18.BigEndian {
		order = end15.BigEndian
	}
	return v15.NewSchemaWithEndian(fields, &metadata, order), nil
}

func fromMetadata(m v18.Metadata) v15.Metadata { return v15.NewMetadata(m.Keys(), m.Values()) }

func fromFields(fields []v18.Field) ([]v15.Field, error) {
	var to []v15.Field
	for _, f := range fields {
		field, err := fromField(f)
		if err != nil {
			return nil, err
		}
		to = append(to, field)
	}
	return to, nil
}

func fromField(f v18.Field) (v15.Field, error) {
	to := v15.Field{Name: f.Name, Nullable: f.Nullable, Metadata: fromMetadata(f.Metadata)}
	typ := f.Type
	if ext, ok := typ.(v18.ExtensionType); ok {
		typ = ext.StorageType()
		keys, values := without(f.Metadata.Keys(), f.Metadata.Values())
		to.Metadata = v15.NewMetadata(append(keys, extensionName, extensionParameters), append(values, ext.ExtensionName(), ext.Serialize()))
	}
	storage, err := fromType(typ)
	if err != nil {
		return to, in(f.Name, err)
	}
	to.Type = storage
	name, ok := to.Metadata.GetValue(extensionName)
	if !ok {
		return to, nil
	}
	known := v15.GetExtensionType(name)
	if known == nil {
		return to, nil
	}
	parameters, _ := to.Metadata.GetValue(extensionParameters)
	ext, err := known.Deserialize(storage, parameters)
	if err != nil {
		return to, in(f.Name, fmt.Errorf("%w: extension type %.100q: %w", ErrType, name, err))
	}
	to.Type = ext
	to.Metadata = v15.NewMetadata(without(to.Metadata.Keys(), to.Metadata.Values()))
	return to, nil
}

// fromSimple has the types without parameters.
var fromSimple = map[v18.Type]v15.DataType{
	v18.NULL: v15.Null, v18.BOOL: v15.FixedWidthTypes.Boolean,
	v18.INT8: v15.PrimitiveTypes.Int8, v18.INT16: v15.PrimitiveTypes.Int16, v18.INT32: v15.PrimitiveTypes.Int32, v18.INT64: v15.PrimitiveTypes.Int64,
	v18.UINT8: v15.PrimitiveTypes.Uint8, v18.UINT16: v15.PrimitiveTypes.Uint16, v18.UINT32: v15.PrimitiveTypes.Uint32, v18.UINT64: v15.PrimitiveTypes.Uint64,
	v18.FLOAT16: v15.FixedWidthTypes.Float16, v18.FLOAT32: v15.PrimitiveTypes.Float32, v18.FLOAT64: v15.PrimitiveTypes.Float64,
	v18.DATE32: v15.FixedWidthTypes.Date32, v18.DATE64: v15.FixedWidthTypes.Date64,
	v18.INTERVAL_MONTHS: v15.FixedWidthTypes.MonthInterval, v18.INTERVAL_DAY_TIME: v15.FixedWidthTypes.DayTimeInterval,
	v18.INTERVAL_MONTH_DAY_NANO: v15.FixedWidthTypes.MonthDayNanoInterval,
	v18.STRING:                  v15.BinaryTypes.String, v18.LARGE_STRING: v15.BinaryTypes.LargeString, v18.STRING_VIEW: v15.BinaryTypes.StringView,
	v18.BINARY: v15.BinaryTypes.Binary, v18.LARGE_BINARY: v15.BinaryTypes.LargeBinary, v18.BINARY_VIEW: v15.BinaryTypes.BinaryView,
}

func fromType(t v18.DataType) (v15.DataType, error) {
	if t == nil {
		return nil, fmt.Errorf("%w: no type", ErrArray)
	}
	if simple, ok := fromSimple[t.ID()]; ok {
		return simple, nil
	}
	switch t := t.(type) {
	case *v18.FixedSizeBinaryType:
		return &v15.FixedSizeBinaryType{ByteWidth: t.ByteWidth}, nil
	case *v18.Decimal128Type:
		return &v15.Decimal128Type{Precision: t.Precision, Scale: t.Scale}, nil
	case *v18.Decimal256Type:
		return &v15.Decimal256Type{Precision: t.Precision, Scale: t.Scale}, nil
	case *v18.TimestampType:
		return &v15.TimestampType{Unit: v15.TimeUnit(t.Unit), TimeZone: t.TimeZone}, nil
	case *v18.Time32Type:
		return &v15.Time32Type{Unit: v15.TimeUnit(t.Unit)}, nil
	case *v18.Time64Type:
		return &v15.Time64Type{Unit: v15.TimeUnit(t.Unit)}, nil
	case *v18.DurationType:
		return &v15.DurationType{Unit: v15.TimeUnit(t.Unit)}, nil
	case *v18.DictionaryType:
		index, err := fromType(t.IndexType)
		if err != nil {
			return nil, err
		}
		values, err := fromType(t.ValueType)
		return &v15.DictionaryType{IndexType: index, ValueType: values, Ordered: t.Ordered}, err
	case *v18.RunEndEncodedType:
		ends, err := fromType(t.RunEnds())
		if err != nil {
			return nil, err
		}
		values, err := fromType(t.Encoded())
		if err != nil {
			return nil, err
		}
		ree := v15.RunEndEncodedOf(ends, values)
		ree.ValueNullable = t.ValueNullable
		return ree, nil
	case v18.NestedType:
		return fromNested(t)
	}
	return nil, fmt.Errorf("%w: %v", ErrType, t)
}

func fromNested(t v18.NestedType) (v15.DataType, error) {
	if m, ok := t.(*v18.MapType); ok {
		return fromMap(m)
	}
	fields, err := fromFields(t.Fields())
	if err != nil {
		return nil, err
	}
	codes := func(u v18.UnionType) (to []v15.UnionTypeCode) {
		for _, code := range u.TypeCodes() {
			to = append(to, v15.UnionTypeCode(code))
		}
		return to
	}
	switch t := t.(type) {
	case *v18.StructType:
		return v15.StructOf(fields...), nil
	case *v18.ListType:
		return v15.ListOfField(fields[0]), nil
	case *v18.LargeListType:
		return v15.LargeListOfField(fields[0]), nil
	case *v18.ListViewType:
		return v15.ListViewOfField(fields[0]), nil
	case *v18.LargeListViewType:
		return v15.LargeListViewOfField(fields[0]), nil
	case *v18.FixedSizeListType:
		return v15.FixedSizeListOfField(t.Len(), fields[0]), nil
	case *v18.SparseUnionType:
		return v15.SparseUnionOf(fields, codes(t)), nil
	case *v18.DenseUnionType:
		return v15.DenseUnionOf(fields, codes(t)), nil
	}
	return nil, fmt.Errorf("%w: %v", ErrType, t)
}

func fromMap(t *v18.MapType) (v15.DataType, error) {
	key, err := fromField(t.KeyField())
	if err != nil {
		return nil, err
	}
	item, err := fromField(t.ItemField())
	if err != nil {
		return nil, err
	}
	m := v15.MapOfWithMetadata(key.Type, key.Metadata, item.Type, item.Metadata)
	m.SetItemNullable(item.Nullable)
	m.KeysSorted = t.KeysSorted
	return m, nil
}
