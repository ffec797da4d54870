// This file puts errors of libraries in terms of the input.

package text

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// plainError is an error with a text for people.
type plainError struct {
	text string
	err  error
}

func (e *plainError) Error() string { return e.text }
func (e *plainError) Unwrap() error { return e.err }

// Plainly returns an error of a decoder of JSON, YAML or Avro with a text that doesn't
// speak of Go: without names of packages and types, and with what belongs at the place
// instead. The result wraps err.
func Plainly(err error) error {
	if err == nil {
		return nil
	}
	var typ *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &typ) && typ.Type != nil:
		where := fmt.Sprintf("the value that ends at byte %d", typ.Offset)
		if typ.Field != "" {
			where = fmt.Sprintf("the member %.100q", typ.Field)
		}
		found := typ.Value
		if number, ok := strings.CutPrefix(found, "number "); ok {
			found = fmt.Sprintf("the number %.60s", number)
		} else {
			found = article(found)
		}
		return &plainError{fmt.Sprintf("%s is %s, where %s belongs", where, found, belongs(typ.Type)), err}
	case errors.As(err, &syntax):
		return &plainError{fmt.Sprintf("it is no JSON: %s (at byte %d)", syntax.Error(), syntax.Offset), err}
	}
	s := libraries.ReplaceAllString(err.Error(), "")
	s = yamlTypes.ReplaceAllStringFunc(s, func(m string) string {
		parts := yamlTypes.FindStringSubmatch(m)
		return fmt.Sprintf("found %s, where %s belongs", article(parts[1]), goName(parts[2]))
	})
	s = strings.TrimPrefix(strings.TrimSpace(s), "unmarshal errors:\n  ")
	return &plainError{s, err}
}

// libraries are the names of packages that begin their errors.
var libraries = regexp.MustCompile(`\b(?:ocf|avro|json|yaml): `)

// yamlTypes matches YAML's error for a value of another type.
var yamlTypes = regexp.MustCompile("cannot unmarshal !!(\\w+)(?: `[^`]*`)? into (\\S+)")

// article returns the name of a type of JSON or YAML with its article.
func article(name string) string {
	switch name {
	case "object", "map":
		return "an object"
	case "array", "seq":
		return "a list"
	case "int":
		return "an integer"
	case "float":
		return "a number"
	case "str":
		return "a string"
	case "bool":
		return "true or false"
	}
	return "a " + name
}

// belongs names what JSON has for a value of a type.
func belongs(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return belongs(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Interface:
		return "another value"
	}
	return "an integer"
}

// goName names what YAML has for a value of a type, by the type's name in Go.
func goName(name string) string {
	name = strings.TrimLeft(name, "*")
	switch {
	case strings.HasPrefix(name, "[]"):
		return "a list"
	case name == "string":
		return "a string"
	case name == "bool":
		return "true or false"
	case strings.HasPrefix(name, "int"), strings.HasPrefix(name, "uint"):
		return "an integer"
	case strings.HasPrefix(name, "float"):
		return "a number"
	}
	return "an object"
}
