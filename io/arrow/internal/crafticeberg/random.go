// This file writes random tables.

package crafticeberg

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// RandomValue returns a value of a type; of few different ones, so that equal ones occur.
func RandomValue(rng *rand.Rand, typ string) any {
	n := rng.Int64N(40) - 20
	switch typ {
	case "int", "long":
		return n
	case "double":
		return float64(n) / 4
	case "string":
		return strings.Repeat("aé", int(rng.IntN(4))) + strconv.FormatInt(n, 10)
	case "date":
		return n * 100
	}
	if strings.HasPrefix(typ, "decimal") {
		return n * 50
	}
	return n * 11 * 86400 * 1e6 / 3 // timestamp
}

func randomRow(rng *rand.Rand, columns []Column) Row {
	r := Row{}
	for _, c := range columns {
		r[c.ID] = nil
		if c.Required || rng.IntN(6) != 0 {
			r[c.ID] = RandomValue(rng, c.Type)
		}
	}
	return r
}

func randomRows(rng *rand.Rand, columns []Column) [][]Row {
	files := make([][]Row, 1+rng.IntN(3))
	for i := range files {
		for range rng.IntN(20) {
			files[i] = append(files[i], randomRow(rng, columns))
		}
	}
	return files
}

// randomTransform returns a transform that a column may be partitioned by.
func randomTransform(rng *rand.Rand, typ string) string {
	of := map[string][]string{"int": {"identity", "bucket[5]", "truncate[7]", "void"}, "long": {"identity", "bucket[4]", "truncate[10]"},
		"double": {"identity"}, "string": {"identity", "bucket[3]", "truncate[2]"}, "date": {"identity", "year", "month", "day", "bucket[3]"},
		"timestamp": {"year", "month", "day", "hour", "bucket[6]", "identity"}}[typ]
	return of[rng.IntN(len(of))]
}

func randomColumns() []Column {
	return []Column{{ID: 1, Name: "src", Type: "long", Required: true}, {ID: 2, Name: "dst", Type: "long", Required: true},
		{ID: 3, Name: "w", Type: "double", Required: true}, {ID: 4, Name: "i", Type: "int"}, {ID: 5, Name: "s", Type: "string"},
		{ID: 6, Name: "d", Type: "date"}, {ID: 7, Name: "t", Type: "timestamp"}}
}

// randomColumnsOf returns the columns that a random table begins with.
func randomColumnsOf(o Options) []Column {
	columns := randomColumns()
	if !o.Plain {
		columns = append(columns, Column{ID: 8, Name: "dec", Type: "decimal(9, 2)"})
	}
	return columns
}

// Random writes a table of random rows, with random changes: its columns 1, 2 and 3 are src, dst
// and w at first, of types long and double.
func Random(rng *rand.Rand, dir string, o Options) *Table {
	t := New(dir, randomColumnsOf(o), rng, o)
	names := 0
	for range 2 + rng.IntN(8) {
		changeTable(rng, t, &names, 3, 4, 10)
		switch n := rng.IntN(6); {
		case t.Files() == 0 || n < 2:
			t.Append(randomRows(rng, t.Columns())...)
		case n == 2:
			t.DropFile(rng.IntN(t.Files()))
		case n == 3 && t.Version > 1:
			deleteEqual(rng, t)
		case t.Version > 1:
			rows := map[int][]int{}
			for range 1 + rng.IntN(3) {
				if i := rng.IntN(t.Files()); t.Rows(i) > 0 {
					rows[i] = append(rows[i], rng.IntN(t.Rows(i)))
				}
			}
			for i := range rows {
				slices.Sort(rows[i])
				rows[i] = slices.Compact(rows[i])
			}
			if len(rows) > 0 {
				t.DeletePositions(rows)
			}
		}
	}
	return t
}

// changeTable changes the columns, the partition spec and the version, each once in so many calls.
func changeTable(rng *rand.Rand, t *Table, names *int, columns, spec, version int) {
	if rng.IntN(columns) == 0 {
		changeColumns(rng, t, names)
	}
	if rng.IntN(spec) == 0 {
		changeSpec(rng, t)
	}
	if rng.IntN(version) == 0 && t.Version < 3 {
		t.Upgrade()
	}
}

func changeColumns(rng *rand.Rand, t *Table, names *int) {
	columns := slices.Clone(t.Columns())
	*names++
	name := fmt.Sprintf("c%d", *names)
	switch i := rng.IntN(len(columns)); rng.IntN(5) {
	case 0:
		columns[i].Name = name
	case 1:
		c := Column{ID: t.NextID(), Name: name, Type: []string{"int", "long", "double", "string", "date"}[rng.IntN(5)]}
		if !t.Plain && rng.IntN(3) == 0 {
			c.Type = "decimal(9, 2)"
		}
		if t.Version >= 3 && c.Type != "date" && c.Type != "decimal(9, 2)" && rng.IntN(2) == 0 {
			c.Default = RandomValue(rng, c.Type)
		}
		columns = slices.Insert(columns, i, c)
	case 2:
		used := slices.ContainsFunc(t.Specs[len(t.Specs)-1], func(f Field) bool { return f.Source == columns[i].ID })
		if columns[i].ID > 3 && !used {
			columns = slices.Delete(columns, i, i+1)
		}
	case 3:
		rng.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	case 4:
		for k := range columns {
			switch {
			case k == i && columns[k].Type == "int":
				columns[k].Type = "long"
			case columns[k].Type == "decimal(9, 2)":
				columns[k].Type = "decimal(30, 2)"
			}
		}
	}
	t.SetColumns(columns)
}

func changeSpec(rng *rand.Rand, t *Table) {
	var fields []Field
	for range rng.IntN(3) {
		c := t.Columns()[rng.IntN(len(t.Columns()))]
		if slices.ContainsFunc(fields, func(f Field) bool { return f.Source == c.ID }) || c.Type == "double" && t.Plain || strings.HasPrefix(c.Type, "decimal") {
			continue
		}
		fields = append(fields, Field{Source: c.ID, Name: fmt.Sprintf("p%d", len(fields)), Transform: randomTransform(rng, c.Type)})
	}
	t.SetSpec(fields)
}

func deleteEqual(rng *rand.Rand, t *Table) {
	part, ok := t.Partition(rng.IntN(t.Files()))
	if len(t.Specs[len(t.Specs)-1]) == 0 {
		part = []any{}
	} else if !ok {
		return
	}
	columns := slices.Clone(t.Columns())
	rng.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	columns = columns[:1+rng.IntN(2)]
	var rows []Row
	for range 1 + rng.IntN(4) {
		rows = append(rows, randomRow(rng, columns))
	}
	t.DeleteEqual(columns, rows, part)
}
