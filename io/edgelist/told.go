// This file holds what Options.Columns is told of a text.

package edgelist

// columns calls Options.Columns with where the edges of a text stand: names are those of its header or its members,
// or nil, and at has the places of source, target and weight among them.
func (o *Options) columns(names [][]byte, at [3]int) error {
	if o.Columns == nil {
		return nil
	}
	if !o.Graph.Weights {
		at[2] = -1
	}
	var called [3]string
	for i, k := range at {
		if k >= 0 && k < len(names) {
			called[i] = string(names[k])
		}
	}
	_, _, found := endsOf(names)
	told := [3]bool{o.Source != "" || found == 1, o.Target != "" || found == 1, o.Weight != "" || at[2] >= 0 && at[2] == column(names, weightName)}
	return o.Columns(called, at, told)
}
