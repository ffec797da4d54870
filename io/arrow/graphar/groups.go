// This file holds properties and their groups, as YAML files have them.

package graphar

import (
	"fmt"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/input"
)

type property struct {
	Name    string `yaml:"name"`
	Type    string `yaml:"data_type"`
	Primary bool   `yaml:"is_primary"`
}

// propertyGroup is properties whose values are in the same files.
type propertyGroup struct {
	Prefix     string     `yaml:"prefix"`
	FileType   string     `yaml:"file_type"`
	Properties []property `yaml:"properties"`
}

// settleGroups checks groups, and gives those a prefix that say none.
func settleGroups(path string, groups []propertyGroup) error {
	seen := map[string]bool{}
	for i := range groups {
		g := &groups[i]
		var names []string
		for _, p := range g.Properties {
			if p.Name == "" || seen[p.Name] {
				return fmt.Errorf("%s: %w: properties have names of their own; one is %q, and not the first or empty", path, errInfo, p.Name)
			}
			seen[p.Name] = true
			names = append(names, p.Name)
		}
		if len(names) == 0 {
			return fmt.Errorf("%s: %w: a property group without properties", path, errInfo)
		}
		if g.Prefix == "" {
			g.Prefix = strings.Join(names, "_") + "/"
		}
	}
	return nil
}

// find returns the property of that name and its group, else the only one whose name differs just in case, or nil.
func find(groups []propertyGroup, name string) (*propertyGroup, *property) {
	var group *propertyGroup
	var folded *property
	several := false
	for i := range groups {
		for k := range groups[i].Properties {
			p := &groups[i].Properties[k]
			if p.Name == name {
				return &groups[i], p
			}
			if strings.EqualFold(p.Name, name) {
				group, folded, several = &groups[i], p, folded != nil
			}
		}
	}
	if several {
		return nil, nil
	}
	return group, folded
}

// listed names the properties, for errors.
func listed(groups []propertyGroup) string {
	var names []string
	for _, g := range groups {
		for _, p := range g.Properties {
			names = append(names, fmt.Sprintf("%.64q (%.40s)", p.Name, p.Type))
		}
	}
	const most = 20
	if n := len(names) - most; n > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", n))
	}
	if len(names) == 0 {
		return "there are no properties"
	}
	return "the properties are " + strings.Join(names, ", ")
}

// missing is the error of a property that isn't there.
func missing(path, option, name, what string) error {
	return fmt.Errorf("%s: %w: Options.%s names %.100q, but %s", path, input.ErrColumn, option, name, what)
}

// fits reports whether values of a type, as package arrow calls it in its
// schemas, can be those of a property. Of types that GraphAr doesn't define
// nothing is known.
func (p *property) fits(column string) bool {
	like := map[string][]string{
		"bool": {"bool"}, "int32": {"int", "uint"}, "int64": {"int", "uint"},
		"float": {"float", "double", "decimal"}, "double": {"float", "double", "decimal"},
		"string": {"string", "utf8", "large", "binary", "byte_array", "enum", "json"},
		"date":   {"date"}, "timestamp": {"timestamp", "int96"}, "time": {"time"},
	}
	is, ok := like[p.Type]
	if !ok {
		return true
	}
	for _, prefix := range is {
		if strings.HasPrefix(column, prefix) && !(prefix == "int" && column == "int96") && !(p.Type == "time" && strings.HasPrefix(column, "timestamp")) {
			return true
		}
	}
	return false
}

// misfit is the error of a property whose files have another type.
func (p *property) misfit(info, file, column string) error {
	return fmt.Errorf("%s: %w: property %.100q is of type %.40s, but in %s it is %s", info, errMismatch, p.Name, p.Type, file, column)
}
