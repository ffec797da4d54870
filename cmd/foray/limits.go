// This file holds --limits: what guards against data that means harm.

package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
)

// limits is a flag that takes NAME=VALUE pairs. 0 is the default.
type limits struct {
	objects   int
	rate      int64
	footer    uint64
	expansion int
	pipe      uint64
	vertices  uint64
	metadata  uint64
	given     string
}

// limitNames are the names, sorted.
var limitNames = []string{"expansion", "footer", "metadata", "objects", "pipe", "rate", "vertices"}

const limitsUsage = "raise limits that guard against malicious files and stores, for data that you trust: expansion=500 (decompressed bytes per compressed byte), footer=256MiB (of a Parquet or Arrow file), metadata=64MiB (of tables of Iceberg and Delta Lake), objects=1000000 (in a listing of a store), pipe=8GiB (of Parquet and Arrow from standard input), rate=1000 (minimum bytes a second from a store; 0 for any), vertices=16777216 (that the header of a Matrix Market or DIMACS file may declare, beyond 64 for each of its entries)"

func (l *limits) String() string { return l.given }
func (l *limits) Type() string   { return "NAME=VALUE,..." }

func (l *limits) Set(s string) error {
	for pair := range strings.SplitSeq(s, ",") {
		name, value, ok := strings.Cut(pair, "=")
		if !slices.Contains(limitNames, name) {
			return fmt.Errorf("there is no limit %q; limits are %s", name, strings.Join(limitNames, ", "))
		}
		if !ok {
			return fmt.Errorf("%q has no value; write %s=VALUE", name, name)
		}
		if name == "footer" || name == "pipe" || name == "metadata" {
			n, err := text.ParseBytes(value)
			if err != nil || n == 0 || n > math.MaxInt64 {
				return fmt.Errorf("%s: want a size such as 512MiB", name)
			}
			*map[string]*uint64{"footer": &l.footer, "pipe": &l.pipe, "metadata": &l.metadata}[name] = n
			continue
		}
		bits := 32
		if name == "vertices" {
			bits = 33
		}
		n, err := strconv.ParseInt(value, 10, bits)
		if err != nil || n < 0 || n == 0 && name != "rate" {
			want := "a whole number above 0"
			if name == "rate" {
				want = "a whole number of bytes a second, 0 for any rate"
			}
			return fmt.Errorf("%s: want %s", name, want)
		}
		switch name {
		case "expansion":
			l.expansion = int(n)
		case "objects":
			l.objects = int(n)
		case "vertices":
			l.vertices = uint64(n)
		case "rate":
			if l.rate = n; n == 0 {
				l.rate = -1
			}
		}
	}
	l.given = strings.TrimPrefix(l.given+","+s, ",")
	return nil
}

// s3 returns how stores are asked.
func (l *limits) s3() arrow.S3Options {
	return arrow.S3Options{MaxObjects: l.objects, MinRate: l.rate}
}

// arrow sets the limits of Parquet and Arrow files.
func (l *limits) arrow(o *arrow.Options) {
	o.S3, o.MaxFooter, o.MaxExpansion, o.MaxMetadata = l.s3(), l.footer, l.expansion, l.metadata
}
