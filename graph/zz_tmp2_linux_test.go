package graph

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

func TestTmpShapes(t *testing.T) {
	m := 16 << 20
	shapes := map[string]func(i int) (int64, int64){
		"star":     func(i int) (int64, int64) { return 0, int64(i) + 1 },
		"path":     func(i int) (int64, int64) { return int64(i), int64(i) + 1 },
		"pathspar": func(i int) (int64, int64) { return int64(mix(uint64(i))), int64(mix(uint64(i + 1))) },
		"same":     func(i int) (int64, int64) { return 7, 8 },
		"road":     func(i int) (int64, int64) { x := int64(mix(uint64(i)) % (12 << 20)); return x * 3, x*3 + 3 },
		"sparse32": func(i int) (int64, int64) {
			return int64(uint32(mix(uint64(i % 1000003)))), int64(uint32(mix(uint64(i % 999983))))
		},
		"complete4": func(i int) (int64, int64) { return int64(i & 4095), int64(i >> 12) },
	}
	name := os.Getenv("SHAPE")
	f := shapes[name]
	if f == nil {
		return
	}
	o := Options{Directed: os.Getenv("DIR") != "", Reverse: os.Getenv("DIR") != "", KeepDuplicates: os.Getenv("KD") != ""}
	last, lastName, lastCPU := time.Now(), "read", cpu()
	tick := func(name string) {
		if name != lastName {
			now, c := time.Now(), cpu()
			fmt.Printf("%-20s %4d ms  cpu %4d ms  %s KB\n", lastName, now.Sub(last).Milliseconds(), (c - lastCPU).Milliseconds(), hwm())
			last, lastName, lastCPU = now, name, c
		}
	}
	o.Progress = func(phase string, done, total uint64) { tick(phase) }
	b := NewBuilder(o)
	var w sync.WaitGroup
	for a := range 2 {
		w.Go(func() {
			s, d := make([]int64, 65536), make([]int64, 65536)
			for at := a * m / 2; at < (a+1)*m/2; at += len(s) {
				for i := range s {
					s[i], d[i] = f(at + i)
				}
				if err := AddInts(b, s, d, nil); err != nil {
					panic(err)
				}
			}
		})
	}
	w.Wait()
	tick("build")
	est := b.Estimate()
	ctx, cancel := context.WithCancel(context.Background())
	var at time.Time
	if d, err := time.ParseDuration(os.Getenv("CANCEL")); err == nil {
		time.AfterFunc(d, func() { at = time.Now(); cancel() })
	}
	defer cancel()
	st, c := time.Now(), cpu()
	g, err := b.Build(ctx)
	if err != nil {
		fmt.Println(err, time.Since(at))
		return
	}
	tick("end")
	fmt.Println(name, "build", time.Since(st), "cpu", cpu()-c, g.NumVertices(), g.NumDirectedEdges(), g.Order(), "est", byteSize(est.Peak), "hwm", hwm())

}
