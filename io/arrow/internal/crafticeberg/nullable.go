// This file makes fields of manifests ones that may be null.

package crafticeberg

import "encoding/json"

// orNull returns a schema in which all fields and elements may be null, as some writers have it,
// if the table is to have such.
func (t *Table) orNull(schema string) string {
	if !t.Nullable {
		return schema
	}
	var root any
	if err := json.Unmarshal([]byte(schema), &root); err != nil {
		panic(err)
	}
	var change func(x any)
	may := func(m map[string]any, key string) {
		change(m[key])
		if _, is := m[key].([]any); !is {
			m[key] = []any{"null", m[key]}
		}
	}
	change = func(x any) {
		switch x := x.(type) {
		case []any:
			for _, e := range x {
				change(e)
			}
		case map[string]any:
			if x["type"] == "array" {
				may(x, "items")
			}
			if fields, ok := x["fields"].([]any); ok {
				for _, f := range fields {
					may(f.(map[string]any), "type")
				}
			}
		}
	}
	change(root)
	b, err := json.Marshal(root)
	if err != nil {
		panic(err)
	}
	return string(b)
}
