// Package ir is the intermediate representation of functors written in Go: a typed, structured
// program of three-address instructions. The host loops in Go and the PTX of a functor are both
// printed from it.
//
// A Functor has fields and methods. A method has values, each with a type, which
// instructions assign. Some values are inputs. Control flow is structured: blocks, loops and
// ifs hold instructions, and a label is left or continued. Calls of helper functions are
// inlined: their return leaves a block.
//
// Semantics are Go's. Integers wrap; a shift by the width or more gives 0, or the sign; a
// division of the smallest integer by -1 gives that integer; conversions are Go's on
// amd64; floats aren't contracted. An index that isn't known to be right is checked (Check),
// and so is a divisor: a violation ends the method and is reported as a fault, with the
// number of its Site.
package ir

// Type is a value's type.
type Type uint8

// The types. Go's int and uint are Int64 and Uint64, byte, and integers of 8 and 16 bits, are
// none. Void is the result of a method without one.
const (
	Void Type = iota
	Bool
	Int32
	Uint32
	Int64
	Uint64
	Float32
	Float64
)

// Bits returns a type's width: 32, 64, and 1 for Bool.
func (t Type) Bits() int {
	switch t {
	case Void:
		return 0
	case Bool:
		return 1
	case Int32, Uint32, Float32:
		return 32
	}
	return 64
}

// Float reports a floating-point type.
func (t Type) Float() bool { return t == Float32 || t == Float64 }

// Signed reports a signed integer type.
func (t Type) Signed() bool { return t == Int32 || t == Int64 }

// Integer reports an integer type.
func (t Type) Integer() bool { return t >= Int32 && t <= Uint64 }

var typeNames = [...]string{"void", "bool", "int32", "uint32", "int64", "uint64", "float32", "float64"}

// String returns the name that the type has in Go.
func (t Type) String() string { return typeNames[t] }

// Field is a field of a functor.
type Field struct {
	Name  string
	Type  Type // of a slice's elements
	Slice bool // bound to a device.Buffer
	// What the slice's length must be at least, since it is indexed without a check by
	// numbers that operators hand out: by vertices, by edges.
	PerVertex, PerEdge bool
	ByTarget           bool // Edge looks at it by the edge's target
	Written            bool // of a slice: a method writes elements, or calls atomics on them
	// Accumulator says that methods bring values to the field, which a step reduces in the way
	// Fold into the accumulator's scalar.
	Accumulator bool
	Fold        Fold
	// Hidden: a step gives it, not the user. See Functor.Corners.
	Hidden bool
}

// Fold is how values of edges become one.
type Fold uint8

// The folds, with operators.Reduction's numbers. Min and Max ignore NaN.
const (
	SumFold Fold = iota
	MinFold
	MaxFold
	OrFold
)

// String returns the fold's name, as //foray:reduce has it.
func (f Fold) String() string { return [...]string{"sum", "min", "max", "or"}[f] }

// Functor is a struct marked //foray:functor.
type Functor struct {
	Name    string   // of the Go type; of an instance with its types behind it: RelaxFloat32
	Generic *Generic // whose instance it is, for the types Args; nil: it has no type parameters
	Args    []Type
	Doc     string // its comment's first line, or ""
	Fields  []Field
	Methods []*Method
	Unique  bool   // Edge lets nothing through twice: //foray:unique above it
	Direct  bool   // foray:direct above Edge
	Reduce  Fold   // of Gather's results: //foray:reduce above it
	Sites   []Site // of faults, numbered from 1 on: Sites[0] is site 1
	// Weights and IDs say that a method uses Edge.Weight, Edge.ID: an implicit slice by edge
	// index behind the fields, of float32 and uint64.
	Weights, IDs bool
	// Index says that a method uses Edge.Index itself.
	Index bool
	// Corners says that Edge was made of a method Common: it goes through the common neighbors of an edge's ends. The
	// last three fields are hidden: the offsets of rows (uint64), their targets (uint32), and whether each triangle comes
	// once (bool), as in an undirected graph: from its largest vertex.
	Corners bool
}

// Site is a place where a functor may fault.
type Site struct {
	File string // base name
	Line int
	What string // "index of Dist", "division by zero"
}

// Kind is the purpose of a method.
type Kind uint8

// The methods that operators call.
const (
	Edge   Kind = iota // of a push or visit: Bool, Void, or Uint32 (the stage, of PushNear)
	Hit                // of a pull: Bool, whether the target is found
	Gather             // of a reduce: a value of an edge
	Apply              // of a reduce: what a vertex's edges reduce to
	Vertex             // of foreach, filter and split
	Common             // of triangles; it is lowered to an Edge
	Key                // of a keyed reduce: Uint32, the key of an edge
	Score              // of a keyed reduce: Float64, by which a vertex chooses among its keys
)

var kindNames = [...]string{"Edge", "Hit", "Gather", "Apply", "Vertex", "Common", "Key", "Score"}

// String returns the method's name in Go.
func (k Kind) String() string { return kindNames[k] }

// Input is what operators hand to a method.
type Input uint8

// The inputs. Edge, Hit, Gather and Key have the first six, Vertex, Apply and Score those from VertexID on.
const (
	Source   Input = iota // Uint32
	Target                // Uint32
	Index                 // Uint64: of the edge, in the rows that are gone through
	Level                 // Int32: 1 in the first round
	Weight                // Float32, of the edge
	EdgeID                // Uint64
	VertexID              // Uint32
	Total                 // of Apply and Score: what the edges reduced to, of the type that Gather returns; of an Apply beside Score, the score
	KeyOf                 // Uint32: of Score, and of Apply in a keyed reduce
	NumInputs
)

// Method is a method of a functor.
type Method struct {
	Kind   Kind
	Result Type
	Line   int
	// Values are all values, by number: inputs, locals and what instructions assign. A Temp is
	// assigned once, before it is used, in the list of instructions that uses it or one around it.
	// Others may be assigned more than once, and begin as zero.
	Values []Value
	Inputs [NumInputs]int // the value of each input; -1: not used
	Body   []Instr        // ends every path by a Return, but for Void
	Labels int            // labels are numbered from 0 to Labels-1
	Arrays []Array        // local ones. Their elements are 0 behind ZeroLocal, in whose list, and those inside, they are used
}

// Array is a local array.
type Array struct {
	Name string
	Type Type // of elements; not Bool
	Len  int
}

// Bytes is the size of an array.
func (a Array) Bytes() int { return a.Len * a.Type.Bits() / 8 }

// Value is a value's type, and its name in Go where it has one.
type Value struct {
	Type Type
	Name string
	Temp bool
}

// Arg is an operand: a value's number, or a constant.
type Arg struct {
	Value int    // or -1: a constant
	Bits  uint64 // of the constant: as two's complement or IEEE 754 bits of its type, in the lower bits
}

// Var returns a value as an operand.
func Var(v int) Arg { return Arg{Value: v} }

// Const returns a constant as an operand. Its type is what the instruction asks for.
func Const(bits uint64) Arg { return Arg{Value: -1, Bits: bits} }

// Op is what an instruction does.
type Op uint8

// The instructions. Type is the operands' type unless said otherwise, Dst the value
// assigned.
const (
	Move Op = iota // Dst = Args[0]
	Add            // Dst = Args[0] + Args[1]; integers wrap
	Sub
	Mul
	Div // integers: a zero divisor is a fault at Site, if that isn't 0
	Rem
	And // integers and Bool
	Or
	Xor
	AndNot
	Shl   // Args[1] is Uint64: whatever it is, the shift is Go's
	Shr   // of the sign, where Type is signed
	Neg   // -x; floats: the sign is flipped
	Not   // ^x, or of Bool !x
	Equal // Dst is Bool, as of the next five
	Less
	LessEqual
	// NotEqual is there for floats: it isn't Not of Equal on all back ends.
	NotEqual
	Convert // Dst, which has another type, = Args[0] of Type, converted as Go on amd64 does
	Bits    // Dst, which has another type, = the bits of Args[0] (math.Float32bits and others)
	Call    // Dst = the function Func of Args

	// LoadLocal: Dst = the method's array Field at Args[0]; the index is Uint64.
	LoadLocal
	Load     // Dst = Field[Args[0]]; the index is Uint64; Type the element's
	Store    // Field[Args[0]] = Args[1]
	Scalar   // Dst = the scalar Field
	FieldLen // Dst (Int64) = len(Field)
	Atomic   // Dst (or -1) = Func of &Field[Args[0]], Args[1:]: the index is Uint64
	Check    // Args[0], of Type Uint64 or Int64, must be an index of Field: else fault at Site
	// Accumulate brings Args[0] to the accumulator Field. A float isn't -0; a NaN is ignored.
	Accumulate
	ZeroLocal  // all elements of the method's array Field are 0 from here on
	StoreLocal // the method's array Field at Args[0] = Args[1]
	CheckLocal // Args[0], of Type Uint64 or Int64, must be an index of the method's array Field: else fault at Site

	If       // Args[0] is Bool: Then, Else
	Block    // Then; Leave of Label goes behind it
	Loop     // Then, repeated until Leave of Label; Continue of Label starts the next round
	Leave    // the block or loop Label
	Continue // the loop Label
	Return   // Args[0], if the method has a result; never -0 if Functor.Positive
)

var opNames = [...]string{"move", "add", "sub", "mul", "div", "rem", "and", "or", "xor", "andnot", "shl", "shr", "neg", "not", "eq", "lt", "le", "ne",
	"convert", "bits", "call", "loadlocal", "load", "store", "scalar", "len", "atomic", "check", "accumulate", "zerolocal", "storelocal", "checklocal", "if", "block", "loop", "leave", "continue", "return"}

// String returns the instruction's name.
func (o Op) String() string { return opNames[o] }

// Func is a function that Call or Atomic asks for.
type Func uint8

// The functions: of math for Float64 (Abs to Pow; also for Float32 where the method converts
// there and back and the result is the same, which is the front end's to know), of math/bits
// for integers, min and max of Go for all numbers, and of atomics.
const (
	NoFunc Func = iota
	Abs
	Sqrt
	Floor
	Ceil
	Trunc
	MathMin // math.Min: -0 is less than 0, NaN wins but for an infinity
	MathMax
	Min // Go's builtin: of floats, -0 is less than 0, and NaN wins
	Max
	Exp
	Log
	Pow
	IsNaN // the result is Bool
	OnesCount
	LeadingZeros // the results are Int64
	TrailingZeros
	BitLen
	Reverse // of bits
	ReverseBytes
	RotateLeft // Args[1] is Int64
	MulHigh    // of Uint64: the upper 64 bits of the product

	AtomicLoad // all return the element as it was before, as atomics.Min does; Load its value
	AtomicStore
	AtomicMin
	AtomicMax
	AtomicAdd
	AtomicOr
	AtomicAnd
	AtomicExchange
	AtomicCompareAndSwap // Args: index, old, new; the result is Bool: whether it was swapped
)

var funcNames = [...]string{"", "abs", "sqrt", "floor", "ceil", "trunc", "mathmin", "mathmax", "min", "max", "exp", "log", "pow", "isnan",
	"onescount", "leadingzeros", "trailingzeros", "len", "reverse", "reversebytes", "rotateleft", "mulhigh",
	"load", "store", "min", "max", "add", "or", "and", "exchange", "cas"}

// String returns the function's name.
func (f Func) String() string { return funcNames[f] }

// Instr is an instruction.
type Instr struct {
	Op    Op
	Type  Type // of the operands
	Func  Func
	Dst   int // a value; -1 for none
	Args  []Arg
	Field int  // of Load, Store, Scalar, FieldLen, Atomic, Check, Accumulate, or the array of LoadLocal and the like; WeightsField, IDsField for the implicit slices
	Site  int  // of a fault; 0: none can happen
	Label int  // of Block, Loop, Leave, Continue
	Long  bool // of Loop: it may have so many rounds that a context has to end it
	Line  int
	Then  []Instr
	Else  []Instr
}

// WeightsField and IDsField are the implicit slices' numbers as Instr.Field.
func (f *Functor) WeightsField() int { return len(f.Fields) }

// IDsField is the number of the edge ids.
func (f *Functor) IDsField() int { return len(f.Fields) + 1 }

// FieldOf returns a field by its number, the implicit ones too.
func (f *Functor) FieldOf(i int) Field {
	switch i {
	case f.WeightsField():
		return Field{Name: "weights", Type: Float32, Slice: true, PerEdge: true}
	case f.IDsField():
		return Field{Name: "ids", Type: Uint64, Slice: true, PerEdge: true}
	}
	return f.Fields[i]
}

// Method returns the method of a kind, or nil.
func (f *Functor) Method(k Kind) *Method {
	for _, m := range f.Methods {
		if m.Kind == k {
			return m
		}
	}
	return nil
}

// Positive reports a Gather whose results are floats that are reduced by minimum or maximum: they aren't -0, so that it
// doesn't matter which of two zeros comes first.
func (f *Functor) Positive(m *Method) bool {
	return m.Kind == Gather && m.Result.Float() && (f.Reduce == MinFold || f.Reduce == MaxFold)
}

// TotalOf returns the type of the input Total of a method: what Gather returns, or the score of an Apply beside Score.
func (f *Functor) TotalOf(k Kind) Type {
	if k == Apply && f.Method(Score) != nil {
		return Float64
	}
	return f.Method(Gather).Result
}

// FaultIndex returns an index of type Int64 or Uint64 as a fault word has it.
func FaultIndex(t Type, index uint64) int64 {
	if t.Signed() {
		return max(MinIndex, min(MaxIndex, int64(index)))
	}
	return int64(min(MaxIndex, index))
}

// PackFault makes a fault word.
func PackFault(site int, index int64) uint64 {
	return uint64(site)<<FaultBits | uint64(FaultIndex(Int64, uint64(index)))&(1<<FaultBits-1)
}
