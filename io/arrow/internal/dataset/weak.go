package dataset

import (
	"slices"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// weaker takes away what weak constants say of columns that the file has itself.
func (t *table) weaker(own []columnar.Column) {
	t.Told = slices.DeleteFunc(slices.Clone(t.Told), func(c input.Constant) bool {
		return c.Weak && slices.ContainsFunc(own, func(col columnar.Column) bool { return col.Path == c.Name })
	})
}
