package delta

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// oddNames are names of columns that look like other parts of JSON.
var oddNames = []string{`a":1"b`, `"`, `\`, `\"`, `"1`, `1`, `\\1"`, `":2,"a":3`, `{1}`, `[2],3`, `x\":7`, `,4`, `a\/5`, `ä"6`, `"a":"`}

// randomLine makes a line of a log: most are added files as writers have them.
func randomLine(r *rand.Rand) string {
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	text := func() string {
		b, _ := json.Marshal(pick("a", "day=1/x.parquet", "ä\u2603", `q"u\o/te`, "new\nline", "\u0001", "", "100%25", strings.Repeat("x", r.IntN(40))))
		return string(b)
	}
	value := func() string {
		return pick("null", "true", "false", "0", "-12", "1.5e3", "12345678901234567890", text(), "{}", "[]", `[{"a": [1, "]"]}]`, `{"x":{"y":"}"}}`, `{"storageType":"i","pathOrInlineDv":"ab","sizeInBytes":4,"cardinality":2}`)
	}
	name := func() string {
		b, _ := json.Marshal(pick(oddNames...))
		return string(b)
	}
	stats := func() string {
		s := fmt.Sprintf(`{"numRecords":%d,"minValues":{"a":%s,"b":{"c":%d}},"maxValues":{"a":%s},"nullCount":{"a":%s}}`, r.IntN(100), text(), r.IntN(9), text(), value())
		odd, other, space := name(), name(), pick("", "", " ")
		bounds := func() string {
			return fmt.Sprintf("{%s%s:%s%d,%s%s:%q,\"a\":%d}", space, odd, space, r.IntN(9), other, space, pick("x", "1", "{1", "],3", "y:"), r.IntN(9))
		}
		odder := fmt.Sprintf(`{"numRecords":%d,"minValues":%s,"maxValues":%s,"nullCount":{"a":0,%s:%d}}`, r.IntN(100), bounds(), bounds(), odd, r.IntN(9))
		b, _ := json.Marshal(pick(s, s, odder, odder, odder, s[:r.IntN(len(s))], "", "\x00", `{"a" : "x\u0000y" , "b":[1, -2.5 ,"z"]}`))
		return string(b)
	}
	var members []string
	for range r.IntN(8) {
		switch r.IntN(9) {
		case 0:
			members = append(members, `"path":`+pick(text(), text(), value()))
		case 1:
			members = append(members, `"size":`+pick(fmt.Sprint(r.IntN(1000)), value()))
		case 2, 3:
			members = append(members, `"stats":`+pick(stats(), stats(), stats(), value()))
		case 4:
			members = append(members, `"partitionValues":`+pick(`{"day":"1"}`, `{"day":null,"b":`+text()+`}`, value()))
		case 5:
			members = append(members, `"deletionVector":`+value())
		case 6:
			members = append(members, `"dataChange":`+pick("true", "false", value()))
		default:
			members = append(members, fmt.Sprintf("%q:%s", pick("tags", "modificationTime", "Path", "STATS", "other"), value()))
		}
	}
	space := func() string { return pick("", "", " ", "\t") }
	line := space() + `{"add"` + space() + ":" + space() + "{" + strings.Join(members, ","+space()) + "}" + space() + "}"
	switch r.IntN(12) {
	case 0:
		line = pick(`{"remove":{"path":"x"}}`, `{"ADD":{"path":"x"}}`, `{"add":null}`, `{"add":{"path":"y"},"commitInfo":{}}`, `{"add":{"p\u0061th":"y"}}`, "[]", "{}", `{"add":[]}`)
	case 1:
		b := []byte(line)
		b[r.IntN(len(b))] = byte(r.IntN(256))
		line = string(b)
	}
	return line
}

// TestParseAction: lines are what the decoder makes of them, however they are parsed, and statistics
// stay what they are. Many lines are as one before, but for a value, or but for a few bytes.
func TestParseAction(t *testing.T) {
	testlong.Only(t)
	var p packer
	fast, packed, fitted := 0, 0, 0
	var before []string
	m := p.matcher(0)
	for seed := range uint64(16000) {
		r := rand.New(rand.NewPCG(seed, 5))
		if seed%1000 == 0 { // or there are too many templates to fit any
			p = packer{}
			m, before = p.matcher(0), nil
		}
		line := ""
		if len(before) < 10 || r.IntN(8) == 0 {
			line = randomLine(r)
			before = append(before, line)
		} else {
			line = varied(r, before[len(before)-1-r.IntN(10)])
		}
		var want, got action
		wantErr := json.Unmarshal([]byte(line), &want)
		b := []byte(line)
		misses := m.misses
		err := m.parseAction(b, &got, new(addFile))
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("%s: %v, want %v", line, err, wantErr)
		}
		if err != nil {
			continue
		}
		if got.Add != nil {
			add := got.Add
			if add.Path == "" {
				add.Path = " " // which the set takes
			}
			set := newFileSet("table", "/table", false)
			set.add(add)
			if f := set.file(0); f.size != add.Size || f.partition != add.partition || f.stats.text() != add.text() {
				t.Fatalf("%s: kept as %+v", line, f)
			}
			equalStatistics(t, line, &set.file(0).stats, want.Add.Stats)
			if add.seen != 0 {
				fast++
			} else if m.misses <= misses {
				fitted++
			}
			if add.shape != nil {
				packed++
			}
			add.Path, add.Stats = strings.Clone(add.Path), strings.Clone(add.text())
			if add.Path == " " && want.Add != nil && want.Add.Path == "" {
				add.Path = ""
			}
			if add.partition != nil {
				add.PartitionValues = add.partition.texts
			}
			add.shape, add.values, add.seen, add.partition = nil, "", 0, nil
			// A template of whatever text doesn't leave anything of the line.
			for i := range b {
				b[i] = 'x'
			}
		}
		if !reflect.DeepEqual(got, want) {
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			t.Fatalf("%s:\n%s\nwant\n%s", line, a, b)
		}
	}
	if fast == 0 || packed == 0 || fitted < 1000 {
		t.Errorf("%d were parsed here, %d packed, %d fitted a template", fast, packed, fitted)
	}
}

// equalStatistics checks that statistics say of every column what is found in the text that the log has.
func equalStatistics(t *testing.T, line string, got *statistics, want string) {
	if got.shape == nil {
		if got.values != want {
			t.Fatalf("%s: statistics %s, want %s", line, got.values, want)
		}
		return
	}
	if strings.Count(got.shape.text, hole) != strings.Count(got.values, hole) {
		t.Fatalf("%s: the values %q in %q", line, got.values, got.shape.text)
	}
	table := &table{}
	for _, name := range append([]string{"a", "b", "b.c"}, oddNames...) {
		c := &column{physical: []string{name}}
		if name == "b.c" {
			c.physical = []string{"b", "c"}
		}
		for i, at := range table.holesOf(got.shape, name, c) {
			value, expected := valueAt(got.values, at), findStat(want, i, c)
			if i == statRows || i == statNulls { // of which only numbers count, as the tests find actions by them
				n, _ := number(value)
				m, _ := number(expected)
				value, expected = n, m
			}
			if value != expected {
				t.Fatalf("%s: statistic %d of %q is %v, want %v", line, i, name, value, expected)
			}
		}
	}
}

// text returns the statistics of a file as its action has them.
func (a *addFile) text() string {
	s := a.statistics(false)
	return s.text()
}

// varied makes a line that differs from another in a number, a string, or any bytes.
func varied(r *rand.Rand, line string) string {
	b := []byte(line)
	for range 1 + r.IntN(3) {
		var digits, letters []int
		for i, c := range b {
			if '0' <= c && c <= '9' {
				digits = append(digits, i)
			} else if c == 'a' || c == 'x' || c == 'y' {
				letters = append(letters, i)
			}
		}
		at := r.IntN(len(b))
		put := []string{"0", "7", "-", ".", "e", `"`, `\\`, `\"`, "ä", "\x80", "\x00", "\u2028", " ", ",", "}", "a"}[r.IntN(16)]
		switch {
		case len(digits) > 0 && r.IntN(2) == 0:
			at, put = digits[r.IntN(len(digits))], []string{"0", "3", "12", "-1", "1.5", "2e3", "05", ""}[r.IntN(8)]
		case len(letters) > 0 && r.IntN(2) == 0:
			at, put = letters[r.IntN(len(letters))], []string{"b", "é", "q/", "", " ", "zz"}[r.IntN(6)]
		case r.IntN(4) > 0:
			continue
		}
		b = append(b[:at:at], append([]byte(put), b[at+1:]...)...)
		if len(b) == 0 {
			return "{}"
		}
	}
	return string(b)
}

// bytesFile is a file in memory.
type bytesFile struct{ *bytes.Reader }

func (bytesFile) Close() error { return nil }

// TestEachAction: lines longer than the window, and those that it cuts, are whole.
func TestEachAction(t *testing.T) {
	testlong.Only(t)
	var p packer
	for _, length := range []int{10, commitWindow / 3, commitWindow - 30, commitWindow + 7, 3 * commitWindow} {
		var text strings.Builder
		var want []string
		for i := range 9 {
			n := length - i
			want = append(want, strings.Repeat("p", n))
			fmt.Fprintf(&text, "{\"add\":{\"path\":%q}}\n", want[i])
			if i%4 == 0 {
				text.WriteString("\n")
			}
		}
		body := strings.TrimSuffix(text.String(), "\n")
		var got []string
		if err := p.eachAction(t.Context(), bytesFile{bytes.NewReader([]byte(body))}, tables.NewBudget(0), func(a *action) (bool, error) {
			got = append(got, strings.Clone(a.Add.Path))
			return true, nil
		}); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%d: %v, %d lines", length, err, len(got))
		}
		err := p.eachAction(t.Context(), bytesFile{bytes.NewReader([]byte(body + "\n\n{oops}\n"))}, tables.NewBudget(0), func(*action) (bool, error) { return true, nil })
		if err == nil || !strings.Contains(err.Error(), "line 14: ") || strings.Contains(err.Error(), "json:") {
			t.Fatal(err)
		}
	}
}
