// This file tests that options and errors pass between this package and the internal ones.

package arrow

import (
	"context"
	"errors"
	"github.com/foray-graph/foray/metrics"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// filled sets all exported fields of a struct to something else than their zero values.
func filled[T any](t *testing.T) T {
	t.Helper()
	var x T
	fill(t, reflect.ValueOf(&x).Elem())
	return x
}

func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(t, v.Field(i))
			}
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if v.Type().Elem().PkgPath() == reflect.TypeFor[Options]().PkgPath() {
			fill(t, v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key)
		fill(t, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), func([]reflect.Value) []reflect.Value { return nil }))
	case reflect.Interface:
		for _, x := range []any{memory.DefaultAllocator, &Properties{}, os.Stdout, os.DirFS(".")} {
			if reflect.TypeOf(x).Implements(v.Type()) {
				v.Set(reflect.ValueOf(x))
			}
		}
	}
}

// unset returns the exported fields of a struct that have their zero values, as paths. Options of package graph have
// their own tests.
func unset(v reflect.Value, path string) (all []string) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[graph.Options]() {
			break
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				all = append(all, unset(v.Field(i), path+"."+f.Name)...)
			}
		}
		return all
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, unset(v.Index(i), path+"[]")...)
		}
	}
	if v.IsZero() {
		return []string{path}
	}
	return all
}

// TestOptionsPass: no field of any options is lost on its way to the internal packages.
func TestOptionsPass(t *testing.T) {
	o, r, w := filled[Options](t), filled[RecordOptions](t), filled[WriteOptions](t)
	for name, inside := range map[string]any{
		"Options":       o.inside(),
		"VertexTable":   *o.Vertices.inside(),
		"Table":         insideTables([]Table{filled[Table](t)})[0],
		"WriteOptions":  w.inside(),
		"RecordOptions": r.inside(),
	} {
		for _, path := range unset(reflect.ValueOf(inside), name) {
			if strings.HasPrefix(path, "WriteOptions.EdgeColumns[].") { // a Column has no exported fields to fill
				continue
			}
			if path != "Options.Stats" && path != "Options.AsOf" && path != "VertexTable.AsOf" && path != "Table.AsOf" && path != "Options.Logger" && path != "Options.Metrics" {
				t.Errorf("%s is lost", path)
			}
		}
	}
}

// recorder is a metrics.Recorder.
type recorder struct{ metrics.Recorder }

func TestMetricsPass(t *testing.T) {
	o := Options{Metrics: &recorder{}, Logger: slog.Default()}
	if in := o.inside(); in.Metrics != o.Metrics || in.Logger != o.Logger {
		t.Errorf("Metrics or Logger is lost: %v, %v", in.Metrics, in.Logger)
	}
}

// TestErrorsPass: errors.As finds the FileError of an internal package, at the top and below others.
func TestErrorsPass(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := os.WriteFile(path, []byte("PAR1 and no more PAR1"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Load(context.Background(), path, Options{})
	var f *FileError
	if !errors.As(err, &f) || f.Path != path || f.Block != -1 || !errors.Is(err, ErrDamaged) {
		t.Errorf("%v: %+v", err, f)
	}
	if _, ok := err.(*FileError); !ok {
		t.Errorf("%T, want *FileError", err)
	}
	below := error(&input.FileError{Path: "y", Part: "row group", Block: 1, Column: "c", Row: 2, Err: ErrNull})
	below = errors.Join(errors.New("above"), below)
	text := below.Error()
	shown(&below)
	if f = nil; !errors.As(below, &f) || f.Path != "y" || f.Column != "c" || f.Row != 2 || !errors.Is(below, ErrNull) || below.Error() != text {
		t.Errorf("%v: %+v", below, f)
	}
	if err := error(nil); true {
		if shown(&err); err != nil {
			t.Error(err)
		}
	}
}
