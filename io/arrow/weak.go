package arrow

import (
	"slices"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// weaker takes away what weak constants say of columns that the file has itself.
func (t *table) weaker(own []columnar.Column) {
	t.told = slices.DeleteFunc(slices.Clone(t.told), func(c constant) bool {
		return c.weak && slices.ContainsFunc(own, func(col columnar.Column) bool { return col.Path == c.name })
	})
}
