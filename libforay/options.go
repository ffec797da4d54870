// This file reads the options, a JSON object.

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// input is the caller's tables.
type input struct {
	edges, vertices reader // vertices is nil if there are none
}

// common are the options that all algorithms have.
type common struct {
	src, dst, where, nulls, order string
	weight                        string // of the algorithms that have it
	vertexID                      string
	properties                    []string
	directed, reachedOnly         bool
	device                        string
	workers                       int
	memoryLimit                   uint64
}

// fields are the options by name, each with where its value goes.
type fields map[string]any

func (c *common) fields() fields {
	return fields{
		"src": &c.src, "dst": &c.dst, "where": &c.where, "nulls": &c.nulls, "order": &c.order, "directed": &c.directed,
		"vertex_id": &c.vertexID, "properties": &c.properties, "reached_only": &c.reachedOnly,
		"device": &c.device, "workers": &c.workers, "memory_limit": &c.memoryLimit,
	}
}

// invalidf is an error of the caller's.
func invalidf(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{graph.ErrOptions}, args...)...)
}

// read reads a JSON object into the fields. what names the algorithm in errors.
func (f fields) read(text, what string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	if t, err := d.Token(); err != nil {
		return badJSON(err)
	} else if t != json.Delim('{') {
		return invalidf(`the options are not a JSON object, as {"directed": true} is one`)
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return badJSON(err)
		}
		name := t.(string) // a decoder allows nothing else there
		to, ok := f[name]
		switch {
		case !ok:
			return invalidf("%s has no option %.64q; its options are %s", what, name, strings.Join(slices.Sorted(maps.Keys(f)), ", "))
		case seen[name]:
			return invalidf("option %q is there twice; leave one out", name)
		}
		seen[name] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return badJSON(err)
		}
		if err := set(to, value); err != nil {
			return invalidf("option %q is %.64s; want %w", name, value, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return badJSON(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return invalidf("there is more text after the JSON object of the options")
	}
	return nil
}

func badJSON(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return invalidf("the options are not valid JSON: %w", err)
}

// set stores a JSON value in the variable that to points to. The error describes the values that fit.
func set(to any, value json.RawMessage) error {
	want := errors.New(wants(to))
	if bytes.Equal(value, []byte("null")) {
		return fmt.Errorf("%w, or leave it out", want)
	}
	if list, ok := to.(interface{ set(json.RawMessage) error }); ok {
		return list.set(value)
	}
	if json.Unmarshal(value, to) != nil {
		return want
	}
	return nil
}

// wants describes the values of an option.
func wants(to any) string {
	switch to.(type) {
	case *string:
		return "a string"
	case *[]string:
		return "an array of strings"
	case *bool:
		return "true or false"
	case *float64, **float64:
		return "a number"
	case *ids:
		return "an id or an array of ids, which are numbers or strings"
	case *pairList:
		return "an array of pairs of ids, as in [[1, 2], [3, 4]]"
	}
	return "a whole number, 0 or more"
}

// ids are external ids of vertices, in the form of graph.Graph.ParseVertex.
type ids []string

func (x *ids) set(value json.RawMessage) error {
	list := []json.RawMessage{value}
	if value[0] == '[' {
		if err := json.Unmarshal(value, &list); err != nil {
			return err
		}
	}
	*x = make(ids, 0, len(list)) // not nil: a list without ids is one
	for _, id := range list {
		var text string
		switch c := id[0]; {
		case c == '"':
			if err := json.Unmarshal(id, &text); err != nil {
				return err
			}
		case c == '-' || '0' <= c && c <= '9':
			text = string(id) // with all digits
		default:
			return errors.New(wants(x))
		}
		*x = append(*x, text)
	}
	return nil
}

// pairList are pairs of external ids.
type pairList [][2]string

func (x *pairList) set(value json.RawMessage) error {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		return errors.New(wants(x))
	}
	*x = make(pairList, 0, len(list)) // not nil, as in ids
	for _, pair := range list {
		var both ids
		if err := both.set(pair); err != nil || len(both) != 2 {
			return errors.New(wants(x))
		}
		*x = append(*x, [2]string(both))
	}
	return nil
}

// vertices looks the ids up.
func (x pairList) vertices(g *graph.Graph) ([][2]uint32, error) {
	if x == nil {
		return nil, nil
	}
	found := make([][2]uint32, len(x))
	for i, pair := range x {
		for k, id := range pair {
			v, err := g.ParseVertex(id)
			if err != nil {
				return nil, fmt.Errorf("option \"pairs\": %.64q: %w", id, err)
			}
			found[i][k] = v
		}
	}
	return found, nil
}

// vertices looks the ids up, each once.
func (x ids) vertices(g *graph.Graph, option string) ([]uint32, error) {
	if x == nil {
		return nil, nil
	}
	found := make([]uint32, 0, len(x))
	had := make(map[uint32]bool, len(x))
	for _, id := range x {
		v, err := g.ParseVertex(id)
		if err != nil {
			return nil, fmt.Errorf("option %q: %.64q: %w", option, id, err)
		}
		if !had[v] {
			had[v] = true
			found = append(found, v)
		}
	}
	return found, nil
}

// graph returns how the graph is loaded.
func (c *common) graph() (arrow.Options, error) {
	o := arrow.Options{Source: c.src, Target: c.dst, Weight: c.weight, Where: c.where, Workers: c.workers,
		Graph: graph.Options{Directed: c.directed, MemoryLimit: c.memoryLimit, Workers: c.workers}}
	switch c.nulls {
	case "", "error":
	case "skip":
		o.SkipNulls = true
	default:
		return o, invalidf(`option "nulls" is %.64q; want "error" or "skip"`, c.nulls)
	}
	if c.workers < 0 {
		return o, invalidf(`option "workers" is %d; want a number of threads, or 0 for one per CPU`, c.workers)
	}
	if c.order != "" {
		order, err := graph.Parse[graph.Order](c.order)
		if err != nil {
			return o, fmt.Errorf("option \"order\": %w", err)
		}
		o.Graph.Order = order
	}
	return o, nil
}
