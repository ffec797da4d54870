// This file holds the suite's parts for modules and launches.

package driver

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// testCompile compiles PTX to machine code. The fake driver doesn't, and the emulated one compiles only its own PTX.
func testCompile(b *bench) {
	const ptx = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry nothing() { ret; }\n"
	for _, text := range []string{"", ptx} {
		_, err := b.ctx.Compile([]byte(text))
		b.is(err, ErrInvalid)
	}
	code, err := b.ctx.Compile([]byte(ptx + "\x00"))
	if b.fake != nil {
		b.is(err, ErrNotSupported, "cuLinkCreate")
		return
	}
	if strings.HasPrefix(b.ctx.Device().Name, "Emulated") {
		if err == nil {
			b.Error("the emulated GPU compiled PTX that isn't its own")
		}
		return
	}
	b.ok(err)
	mod := must(b.ctx.Load(code))(b)
	_, err = mod.Function("nothing")
	b.ok(err)
	b.ok(mod.Close())
	if _, err := b.ctx.Compile([]byte("no PTX\x00")); err == nil {
		b.Error("garbage was compiled")
	}
}

func testModule(b *bench) {
	testCompile(b)
	for _, image := range [][]byte{nil, {}} {
		_, err := b.ctx.Load(image)
		b.is(err, ErrInvalid)
	}
	_, err := b.ctx.Load([]byte("this is no module"))
	if err == nil {
		b.Error("an image of garbage was loaded")
	}
	b.Log(err)
	// Wherever the image lies, it is read aligned.
	shifted := append([]byte{0}, kernels...)[1:]
	mod := must(b.ctx.Load(shifted))(b)
	defer func() { b.ok(mod.Close()) }()
	_, err = mod.Function("missing")
	b.is(err, ErrNotFound, "cuModuleGetFunction", `"missing"`, "CUDA_ERROR_NOT_FOUND (500)")
	_, _, err = mod.Global("missing")
	b.is(err, ErrNotFound, "cuModuleGetGlobal", `"missing"`)
	p, size, err := mod.Global("global_words")
	b.ok(err)
	if size != 16 {
		b.Errorf("the variable has %d bytes", size)
	}
	if b.fake == nil {
		if got := b.read(p, 4); !slices.Equal(got, []uint32{1, 2, 3, 4}) {
			b.Errorf("the variable holds %v", got)
		}
	}
	f := must(mod.Function("add"))(b)
	if f.Name() != "add" {
		b.Errorf("it is called %q", f.Name())
	}
	for _, a := range []struct {
		attr     FuncAttr
		min, max int
	}{{FuncMaxThreads, 256, 1024}, {FuncStaticShared, 0, 0}, {FuncRegisters, 4, 255}, {FuncLocal, 0, 1000}, {FuncPTXVersion, 50, 999}, {FuncBinaryVersion, 50, 999}, {FuncConstant, 0, 65536}} {
		if v := must(f.Attribute(a.attr))(b); v < a.min || v > a.max {
			b.Errorf("attribute %d is %d", a.attr, v)
		}
	}
	b.ok(f.SetAttribute(FuncCarveout, 50))
	b.ok(f.SetAttribute(FuncCarveout, -1))
	b.is(f.SetAttribute(FuncRegisters, 7), ErrInvalid, "attribute 4 of add to 7")
	b.is(f.SetAttribute(FuncCarveout, 1<<40), ErrInvalid)
	n := must(f.BlocksPerSM(256, 0))(b)
	if d := b.ctx.Device(); n < 1 || n > d.ThreadsPerSM/256 {
		b.Errorf("%d blocks at once", n)
	}
	for _, threads := range []int{0, -1, 1 << 40} {
		_, err := f.BlocksPerSM(threads, 0)
		b.is(err, ErrInvalid)
	}
}

func testLaunch(b *bench) {
	s, f := b.stream(), b.function("add")
	const n = 100_000
	x, y := make([]uint32, n), make([]uint32, n)
	for i := range x {
		x[i], y[i] = uint32(i), uint32(3*i+1)
	}
	dx, dy, out := b.words(x...), b.words(y...), b.words(make([]uint32, n)...)
	args := NewArgs().Ptr(out.Ptr()).Ptr(dx.Ptr()).Ptr(dy.Ptr()).U64(n)
	b.ok(s.Launch(f, Config{Grid: Dim{X: 40}, Block: Dim{X: 256}}, args))
	// The arguments may change at once.
	args.Reset().Ptr(0).Ptr(0).Ptr(0).U64(0)
	b.ok(s.Sync())
	for i, v := range b.read(out.Ptr(), n) {
		if v != uint32(4*i+1) {
			b.Fatalf("element %d is %d", i, v)
		}
	}

	shape := b.function("shape")
	dims := b.words(make([]uint32, 6)...)
	for _, c := range []struct{ grid, block Dim }{
		{Dim{X: 7}, Dim{X: 33}}, {Dim{3, 4, 5}, Dim{6, 7, 8}}, {Dim{1, 1, 1}, Dim{1, 1, 1}}, {Dim{X: 70000, Y: 2}, Dim{X: 2, Z: 2}}, {Dim{X: math.MaxInt32}, Dim{X: 1}},
	} {
		if c.grid.X == math.MaxInt32 && b.fake == nil {
			continue // takes its time
		}
		b.ok(s.Launch(shape, Config{Grid: c.grid, Block: c.block}, args.Reset().Ptr(dims.Ptr())))
		b.ok(s.Sync())
		c.grid.fill()
		c.block.fill()
		want := []uint32{c.grid.X, c.grid.Y, c.grid.Z, c.block.X, c.block.Y, c.block.Z}
		if got := b.read(dims.Ptr(), 6); !slices.Equal(got, want) {
			b.Errorf("got %v, want %v", got, want)
		}
	}

	b.ok(s.Launch(b.function("nothing"), Config{Grid: Dim{X: 1}, Block: Dim{X: 1}}, nil))
	for _, c := range []Config{{}, {Grid: Dim{X: 1}}, {Block: Dim{X: 1}}, {Grid: Dim{X: 1}, Block: Dim{X: 1025}}, {Grid: Dim{Y: 1}, Block: Dim{X: 1}}} {
		b.is(s.Launch(f, c, args), ErrInvalid, "add, grid ")
	}
	args.Reset()
	for range MaxArgs + 1 {
		args.U32(1)
	}
	b.is(s.Launch(f, Config{Grid: Dim{X: 1}, Block: Dim{X: 1}}, args), ErrInvalid, "49 arguments, at most 48")
	other := must(b.sys.openContext(0))(b)
	defer func() { b.ok(other.Close()) }()
	alien := must(other.NewStream())(b)
	defer func() { b.ok(alien.Close()) }()
	b.is(alien.Launch(f, Config{Grid: Dim{X: 1}, Block: Dim{X: 1}}, nil), ErrInvalid, "another context")
	b.ok(b.ctx.Broken())
}

func testArguments(b *bench) {
	s, f := b.stream(), b.function("args")
	out := b.words(make([]uint32, 12)...)
	args := NewArgs()
	for _, c := range []struct {
		i32 int32
		u32 uint32
		i64 int64
		u64 uint64
		f32 float32
		f64 float64
	}{
		{0, 0, 0, 0, 0, 0},
		{-1, math.MaxUint32, -1, 1 << 62, -0.25, 1 << 40},
		{math.MinInt32, 1 << 31, math.MinInt64, 12345678901234567, 1.5, -2.75},
		{math.MaxInt32, 7, math.MaxInt64, math.MaxInt64, 1 << 20, 1e15},
	} {
		args.Reset().Ptr(out.Ptr()).I32(c.i32).U32(c.u32).I64(c.i64).U64(c.u64).F32(c.f32).F64(c.f64)
		if args.Len() != 7 {
			b.Errorf("%d arguments", args.Len())
		}
		b.ok(s.Launch(f, Config{Grid: Dim{X: 1}, Block: Dim{X: 1}}, args))
		b.ok(s.Sync())
		got := make([]int64, 6)
		b.ok(b.ctx.Download(unsafe.Slice((*byte)(unsafe.Pointer(&got[0])), 48), out.Ptr()))
		want := []int64{int64(c.i32), int64(c.u32), c.i64, int64(c.u64), int64(c.f32 * 4), int64(c.f64 * 4)}
		if !slices.Equal(got, want) {
			b.Errorf("got %v, want %v", got, want)
		}
	}
}

func testStructs(b *bench) {
	s, f := b.stream(), b.function("structs")
	out := b.words(make([]uint32, 10)...)
	type mixed struct {
		a uint8
		b uint64
		c uint16
	}
	args := NewArgs()
	for i := range uint64(3) {
		m := mixed{a: uint8(250 + i), b: 1<<40 + i, c: uint16(65000 + i)}
		var wide [40]uint64
		var sum int64
		for j := range wide {
			wide[j] = i + uint64(j)<<33
			sum += int64(wide[j]) * int64(j+1)
		}
		Struct(args.Reset().Ptr(out.Ptr()), &m)
		Struct(args, &struct{}{}) // has no place
		Struct(args.U32(uint32(i)), &wide)
		want := []int64{int64(m.a), int64(m.b), int64(m.c), int64(i), sum}
		m, wide[7] = mixed{}, 99 // what is passed is what was there
		b.ok(s.Launch(f, Config{Grid: Dim{X: 1}, Block: Dim{X: 1}}, args))
		b.ok(s.Sync())
		got := make([]int64, 5)
		b.ok(b.ctx.Download(unsafe.Slice((*byte)(unsafe.Pointer(&got[0])), 40), out.Ptr()))
		if !slices.Equal(got, want) {
			b.Errorf("got %v, want %v", got, want)
		}
	}
	// A parameter without an argument is zero, also after longer lists.
	Struct(args.Reset().Ptr(out.Ptr()), &mixed{a: 1})
	b.ok(s.Launch(f, Config{Grid: Dim{X: 1}, Block: Dim{X: 1}}, args))
	b.ok(s.Sync())
	if got := b.read(out.Ptr(), 10); !slices.Equal(got, []uint32{1, 0, 0, 0, 0, 0, 0, 0, 0, 0}) {
		b.Errorf("without arguments: %v", got)
	}
	Struct(args.Reset(), &[500]uint64{})
	Struct(args, &[13]uint64{})
	b.is(s.Launch(f, Config{Grid: Dim{X: 1}, Block: Dim{X: 1}}, args), ErrInvalid, "more than 4096 bytes")
}

func testCooperative(b *bench) {
	s, f := b.stream(), b.function("grid_rounds")
	d := b.ctx.Device()
	if !d.Cooperative {
		b.Skip("needs a device with cooperative launches")
	}
	perSM := must(f.BlocksPerSM(128, 0))(b)
	blocks := uint32(perSM * d.SMs)
	m := b.words(0, 0)
	const rounds = 20
	args := NewArgs().Ptr(m.Ptr()).Ptr(m.Ptr() + 4).U32(rounds)
	cfg := Config{Grid: Dim{X: blocks}, Block: Dim{X: 128}, Cooperative: true}
	b.ok(s.Launch(f, cfg, args))
	b.ok(s.Sync())
	if got := b.read(m.Ptr(), 2); got[0] != blocks*rounds || got[1] != 0 {
		b.Errorf("%d blocks counted %d in %d rounds; %d were too early", blocks, got[0], rounds, got[1])
	}
	cfg.Grid.X++
	b.is(s.Launch(f, cfg, args), ErrTooLarge, "cuLaunchCooperativeKernel", "cooperative")
	b.ok(b.ctx.Broken())
	b.ok(s.Sync())
}

func testShared(b *bench) {
	s, f := b.stream(), b.function("dynamic_shared")
	bytes := b.ctx.Device().SharedMax
	n := bytes / 4
	data := make([]uint32, n)
	for i := range data {
		data[i] = uint32(i)
	}
	m := b.words(data...)
	args := NewArgs().Ptr(m.Ptr()).U32(uint32(n))
	cfg := Config{Grid: Dim{X: 1}, Block: Dim{X: 512}, Shared: uint32(bytes)}
	if bytes > 48<<10 {
		err := s.Launch(f, cfg, args) // not asked for
		b.Log(err)
		if err == nil {
			b.Error("more shared memory than was asked for")
		}
	}
	b.ok(f.SetAttribute(FuncMaxDynamicShared, bytes))
	if v := must(f.Attribute(FuncMaxDynamicShared))(b); v != bytes {
		b.Errorf("set %d, got %d", bytes, v)
	}
	if v := must(f.BlocksPerSM(512, uint32(bytes)))(b); v != 1 {
		b.Errorf("%d blocks at once with all the shared memory", v)
	}
	b.ok(s.Launch(f, cfg, args))
	b.ok(s.Sync())
	slices.Reverse(data)
	if !slices.Equal(b.read(m.Ptr(), n), data) {
		b.Error("not reversed")
	}
	b.is(f.SetAttribute(FuncMaxDynamicShared, bytes+1<<20), ErrInvalid)
	b.ok(b.ctx.Broken())
}

func testCluster(b *bench) {
	s, f := b.stream(), b.function("cluster_ring")
	cfg := Config{Grid: Dim{X: 32}, Block: Dim{X: 64}, Cluster: Dim{X: 4}, Shared: 1024}
	if !b.ctx.Device().Clusters {
		b.is(s.Launch(f, cfg, nil), ErrNotSupported, "clusters")
		_, err := f.MaxClusters(cfg)
		b.is(err, ErrNotSupported, "clusters")
		b.Skip("needs a device with clusters of blocks")
	}
	m := b.words(make([]uint32, 32)...)
	args := NewArgs().Ptr(m.Ptr())
	ring := func(size uint32) {
		b.Helper()
		cfg.Cluster.X = size
		if n := must(f.MaxClusters(cfg))(b); n < 1 && b.fake == nil {
			b.Errorf("clusters of %d: %d at once", size, n)
		}
		b.ok(s.Launch(f, cfg, args))
		b.ok(s.Sync())
		for i, v := range b.read(m.Ptr(), 32) {
			i := uint32(i)
			if want := (i/size*size+(i+1)%size)*1000 + size; v != want {
				b.Errorf("clusters of %d: block %d got %d, want %d", size, i, v, want)
			}
		}
	}
	for _, size := range []uint32{1, 2, 4, 8} {
		ring(size)
	}
	cfg.Cluster.X = 16
	if err := s.Launch(f, cfg, args); err == nil {
		b.Error("16 blocks a cluster without asking for it")
	} else {
		b.Log(err)
	}
	b.ok(f.SetAttribute(FuncLargeClusters, 1))
	ring(16)
	cfg.Cluster.X = 5 // doesn't divide the grid
	if err := s.Launch(f, cfg, args); err == nil {
		b.Error("a cluster that doesn't divide the grid")
	}
	// A cooperative launch of clusters.
	cfg = Config{Grid: Dim{X: 8}, Block: Dim{X: 64}, Cluster: Dim{X: 2}, Shared: 1024, Cooperative: true}
	b.ok(s.Launch(f, cfg, args))
	b.ok(s.Sync())
	if b.fake != nil && (b.fake.get("kind") != 2 || b.fake.get("cooperative") != 1 || b.fake.get("cluster0") != 2 || b.fake.get("shared") != 1024) {
		b.Error("the launch lost an attribute")
	}
	_, err := f.MaxClusters(Config{Grid: Dim{X: 8}, Block: Dim{X: 64}})
	b.is(err, ErrInvalid)
	b.ok(b.ctx.Broken())
}

func BenchmarkLaunch(b *testing.B) {
	for _, c := range []struct {
		name string
		do   func(s *Stream, f func() error) error
	}{
		{"alone", func(_ *Stream, f func() error) error { return f() }},
		{"inDo", func(s *Stream, f func() error) error { return s.Do(f) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			ctx := benchContext(b)
			mod, err := ctx.Load(kernels)
			if err != nil {
				b.Fatal(err)
			}
			f, err := mod.Function("nothing")
			if err != nil {
				b.Fatal(err)
			}
			s, err := ctx.NewStream()
			if err != nil {
				b.Fatal(err)
			}
			args := NewArgs()
			b.ReportAllocs()
			err = c.do(s, func() error {
				for i := 0; b.Loop(); i++ {
					if err := s.Launch(f, Config{Grid: Dim{X: 1}, Block: Dim{X: 32}}, args); err != nil {
						return err
					}
					if i%512 == 511 { // drivers wait when too much is enqueued
						if err := s.Sync(); err != nil {
							return err
						}
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			for _, err := range []error{s.Close(), mod.Close(), ctx.Close()} {
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
