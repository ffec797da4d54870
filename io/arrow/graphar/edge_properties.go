// This file finds the properties of edges that are read.

package graphar

import (
	"fmt"
	"slices"

	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// chooseGroups finds the property groups that options ask for.
func (s *source) chooseGroups(a *adjacency) error {
	type asked struct{ option, name string }
	var names []asked
	switch a.weight = s.o.Weight; {
	case a.weight != "":
		names = append(names, asked{"Weight", a.weight})
	case s.o.Graph.Weights:
		if a.weight = "weight"; !s.has(a.weight) {
			return fmt.Errorf("%s: %w: weights are wanted, but no property is named %q; name it in Options.Weight; %s",
				s.edge.path, input.ErrColumn, a.weight, listed(s.edge.Groups))
		}
		names = append(names, asked{"Weight", a.weight})
	}
	if s.o.EdgeID != "" {
		names = append(names, asked{"EdgeID", s.o.EdgeID})
	}
	for _, name := range s.o.Graph.EdgeColumns {
		names = append(names, asked{"Graph.EdgeColumns", name})
	}
	if s.o.Where != "" {
		e, err := where.Parse(s.o.Where)
		if err != nil {
			return fmt.Errorf("graphar: %w: Options.Where: %w", dataset.ErrWhere, err)
		}
		for _, name := range e.Columns() {
			if name != sourceColumn && name != targetColumn {
				names = append(names, asked{"Where", name})
			}
		}
	}
	a.wanted = map[string]bool{}
	for _, n := range names {
		g, p := find(s.edge.Groups, n.name)
		if p == nil {
			return missing(s.edge.path, n.option, n.name, listed(s.edge.Groups))
		}
		if err := g.readable(s.edge.path, p, ""); err != nil {
			return err
		}
		a.wanted[p.Name] = true
		if !slices.Contains(a.groups, g) {
			a.groups, a.beside = append(a.groups, g), append(a.beside, nil)
		}
	}
	return nil
}

// has reports whether edges have a property.
func (s *source) has(name string) bool {
	_, p := find(s.edge.Groups, name)
	return p != nil
}

// checkTypes compares the types of columns with those that the YAML file says.
func (s *source) checkTypes(info arrow.Info, a *adjacency) error {
	for g, group := range a.groups {
		for k := range group.Properties {
			p := &group.Properties[k]
			i := slices.IndexFunc(info.Columns, func(c arrow.Field) bool { return c.Name == p.Name })
			if i >= 0 && !p.fits(info.Columns[i].Type) {
				return p.misfit(s.edge.path, a.beside[g][0], info.Columns[i].Type)
			}
		}
	}
	return nil
}
