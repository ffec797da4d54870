// Package ptxtest interprets the PTX of functors in tests: without a GPU, one thread at a time.
package ptxtest

import (
	"fmt"
	"strconv"
	"strings"
)

// Program is a method's text, parsed.
type Program struct {
	ops    []op
	widths []int // of registers, in bits
	names  map[string]int
	locals map[string]uint64 // addresses of arrays
	bytes  uint64            // of all of them
}

// op is an instruction. Its operands are the result first, as they are written.
type op struct {
	text     string
	name     []string // its parts between dots
	unless   bool
	guard    int // a register, or -1
	operands []operand
	to       int // of a branch
}

// operand is a register, a constant, a pair of registers or an address.
type operand struct {
	reg     int // or -1
	value   uint64
	pair    [2]int
	address bool // [reg], or [$p+value] if reg is -1
}

// localBase is the address of the first array, so that no other address is one of an array.
const localBase = 1 << 62

// Parse parses the text of a method. Inputs are registers of 64 bits called $0 and so on,
// of which instructions on 32 bits see the lower half.
func Parse(text string) (*Program, error) {
	p := &Program{names: map[string]int{}, locals: map[string]uint64{}}
	for i := range 6 {
		p.register(fmt.Sprintf("$%d", i), 0)
	}
	labels := map[string]int{}
	var goals []string
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if i := strings.Index(line, "//"); i >= 0 {
			line = strings.TrimSpace(line[:i])
		}
		fail := func(what string) error { return fmt.Errorf("line %d: %s: %s", n+1, what, line) }
		switch {
		case line == "", line == "{", line == "}":
			continue
		case strings.HasSuffix(line, ":"):
			l := strings.TrimSuffix(line, ":")
			if _, twice := labels[l]; twice {
				return nil, fail("a label twice")
			}
			labels[l] = len(p.ops)
			continue
		case !strings.HasSuffix(line, ";"):
			return nil, fail("no semicolon")
		}
		line = strings.TrimSuffix(line, ";")
		if strings.HasPrefix(line, ".local") {
			var name string
			var n uint64
			at := strings.IndexByte(line, '[')
			if at < 0 {
				return nil, fail("no array")
			}
			if _, err := fmt.Sscanf(line[:at]+" "+line[at:], ".local .align 8 .b8 %s [%d]", &name, &n); err != nil || n%8 != 0 {
				return nil, fail("no array")
			}
			p.locals[name] = localBase + p.bytes
			p.bytes += n
			continue
		}
		if strings.HasPrefix(line, ".reg") {
			if err := p.declare(strings.Fields(line)); err != nil {
				return nil, fail(err.Error())
			}
			continue
		}
		o := op{text: line, guard: -1}
		rest := line
		if strings.HasPrefix(rest, "@") {
			g, r, _ := strings.Cut(rest[1:], " ")
			o.unless = strings.HasPrefix(g, "!")
			reg, has := p.names[strings.TrimPrefix(g, "!")]
			if !has {
				return nil, fail("no such register")
			}
			o.guard, rest = reg, r
		}
		name, args, _ := strings.Cut(rest, " ")
		o.name = strings.Split(name, ".")
		goal := ""
		if o.name[0] == "bra" {
			goal = strings.TrimSpace(args)
		} else {
			for _, a := range split(args) {
				x, err := p.operand(a)
				if err != nil {
					return nil, fail(err.Error())
				}
				o.operands = append(o.operands, x)
			}
		}
		p.ops = append(p.ops, o)
		goals = append(goals, goal)
	}
	for i, g := range goals {
		if g == "" {
			continue
		}
		at, has := labels[g]
		if !has {
			return nil, fmt.Errorf("no label %s", g)
		}
		p.ops[i].to = at
	}
	return p, nil
}

func (p *Program) register(name string, width int) {
	p.names[name] = len(p.widths)
	p.widths = append(p.widths, width)
}

func (p *Program) declare(words []string) error {
	if len(words) < 3 {
		return fmt.Errorf("a declaration of nothing")
	}
	width, known := map[string]int{".pred": 1, ".b32": 32, ".b64": 64}[words[1]]
	if !known {
		return fmt.Errorf("registers of an unknown type")
	}
	for _, w := range split(strings.Join(words[2:], " ")) {
		name, count, many := strings.Cut(strings.TrimSuffix(w, ">"), "<")
		if !many {
			p.register(name, width)
			continue
		}
		n, err := strconv.Atoi(count)
		if err != nil {
			return err
		}
		for i := range n {
			p.register(fmt.Sprint(name, i), width)
		}
	}
	return nil
}

// split splits operands at commas, but not within braces.
func split(s string) (out []string) {
	depth, begin := 0, 0
	for i, c := range s + "," {
		switch {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && depth == 0:
			if x := strings.TrimSpace(s[begin:i]); x != "" {
				out = append(out, x)
			}
			begin = i + 1
		}
	}
	return out
}

func (p *Program) operand(s string) (operand, error) {
	if r, has := p.names[s]; has {
		return operand{reg: r}, nil
	}
	if at, has := p.locals[s]; has {
		return operand{reg: -1, value: at}, nil
	}
	switch {
	case s == "%tid.x", s == "%ctaid.x": // the one thread that there is
		return operand{reg: -1}, nil
	case strings.HasPrefix(s, "{"):
		parts := split(strings.Trim(s, "{}"))
		if len(parts) == 2 {
			l, has := p.names[parts[0]]
			h, too := p.names[parts[1]]
			if has && too {
				return operand{reg: -2, pair: [2]int{l, h}}, nil
			}
		}
	case strings.HasPrefix(s, "[$p+"):
		n, err := strconv.Atoi(s[4 : len(s)-1])
		return operand{reg: -1, value: uint64(n), address: true}, err
	case strings.HasPrefix(s, "["):
		if r, has := p.names[strings.Trim(s, "[]")]; has {
			return operand{reg: r, address: true}, nil
		}
	case strings.HasPrefix(s, "0f") || strings.HasPrefix(s, "0d"):
		x, err := strconv.ParseUint(s[2:], 16, 64)
		if want := map[byte]int{'f': 10, 'd': 18}[s[1]]; err == nil && len(s) != want {
			err = fmt.Errorf("a float of %d characters, want %d", len(s), want)
		}
		return operand{reg: -1, value: x}, err
	default:
		if x, err := strconv.ParseInt(s, 0, 64); err == nil {
			return operand{reg: -1, value: uint64(x)}, nil
		}
		x, err := strconv.ParseUint(s, 0, 64)
		return operand{reg: -1, value: x}, err
	}
	return operand{}, fmt.Errorf("an operand that isn't known: %s", s)
}
