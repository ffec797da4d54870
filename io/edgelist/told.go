// This file calls Options.Columns with the columns of a text, and names the columns of a text without a header.

package edgelist

// headless returns an error where only the column of weights is asked for by name, and the first line is an edge of
// two integers without that name.
func (o *Options) headless(names [][]byte) error {
	if o.Weight == "" || o.Source != "" || o.Target != "" || o.header == headerFirst ||
		len(names) < 2 || !isNumber(names[0]) || !isNumber(names[1]) || column(names, o.Weight) >= 0 {
		return nil
	}
	return faultf(errColumns, "Options.Weight names column %s, but the text has no header: its first line is an edge; of such a text the third column has the weights, without Options.Weight", quoted([]byte(o.Weight)))
}

// columns calls Options.Columns with where the edges of a text stand: names has the names in its header or of its members,
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
