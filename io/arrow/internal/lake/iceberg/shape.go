// This file bounds what JSON may ask for before it is decoded.

package iceberg

import "github.com/foray-graph/foray/io/arrow/internal/columnar"

// checkShape refuses a JSON text that is nested too deep, or has so many objects or values
// that they would take many times the text's size, as "{},{},{}" does.
func checkShape(b []byte) error {
	depth, objects, values, text := 0, 0, 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				return columnar.Unsupported("the metadata is nested more than %d deep", maxNesting)
			}
			if c == '{' {
				objects++
			}
		case c == '}' || c == ']':
			depth--
		case c == ',':
			values++
		}
		if objects > maxObjects || values > maxValues {
			return columnar.Unsupported("metadata of more than %d objects or %d values", maxObjects, maxValues)
		}
	}
	return nil
}
