// This file tests that several devices run at once, and reach each other's memory only after that was
// allowed. Each test runs in separate processes, because the environment is read once.

package emulator_test

import (
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/testing/emulator"
)

const peersVar = "FORAY_TEST_PEERS"

// peers are the tests, each of so many devices, and what else is set.
var peers = []struct {
	name    string
	devices int
	run     func(t *testing.T, all []*peer)
	env     string
}{
	{"meet", 2, meet, "FORAY_EMULATOR_WORKERS=1"},
	{"meet", 2, meet, "FORAY_EMULATOR_SEED=2"},
	{"meet", 8, meet, "FORAY_EMULATOR_WORKERS=1"},
	{"apart", 3, apart, ""},
	{"mixed", 2, mixed, ""},
	{"touch 0", 2, touch, ""},
	{"touch 1", 2, touch, ""},
	{"touch 2", 2, touch, ""},
	{"touch 3", 2, touch, ""},
	{"touch 4", 2, touch, ""},
	{"touch pool", 2, touch, ""},
	{"none", 2, none, "FORAY_EMULATOR_PEERS=0"},
	{"shared", 2, shared, ""},
	{"shared", 2, shared, "FORAY_EMULATOR_PEERS=0"},
}

// peer is a device of a test.
type peer struct {
	c *driver.Context
	s *driver.Stream
	m *driver.Module
}

func TestPeers(t *testing.T) {
	if name := os.Getenv(peersVar); name != "" {
		n, err := strconv.Atoi(os.Getenv("FORAY_EMULATOR_DEVICES"))
		must(t, err)
		all := openPeers(t, n)
		for _, p := range peers {
			if p.name == name {
				p.run(t, all)
				return
			}
		}
		t.Fatal("no such test")
	}
	folder := buildOf(t, "peers")
	self, err := os.Executable()
	must(t, err)
	for _, p := range peers {
		cmd := exec.Command(self, "-test.run=^TestPeers$", "-test.v")
		cmd.Env = append(os.Environ(), peersVar+"="+p.name, "LD_LIBRARY_PATH="+folder, "FORAY_EMULATOR_LIMIT=20",
			"FORAY_EMULATOR_MEMORY=1048576", "FORAY_EMULATOR_DEVICES="+strconv.Itoa(p.devices), p.env)
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "no driver in this build") {
			t.Errorf("%s on %d devices, %s: %v\n%s", p.name, p.devices, p.env, err, out)
		}
	}
}

func openPeers(t *testing.T, n int) []*peer {
	found, err := driver.Probe()
	if errors.Is(err, driver.ErrNotSupported) {
		t.Skip("needs a build with a driver, without the tags nocuda and gorgonia:", err)
	}
	must(t, err)
	if found.Devices != n {
		t.Fatalf("%d devices, want %d", found.Devices, n)
	}
	all := make([]*peer, n)
	seen := map[string]bool{}
	for i := range all {
		p := new(peer)
		p.c, err = driver.Open(i)
		must(t, err)
		d := p.c.Device()
		for _, what := range []string{d.Name, d.UUID, d.PCI} {
			if seen[what] {
				t.Errorf("%s, of device %d, is another one's", what, i)
			}
			seen[what] = true
		}
		p.m, err = p.c.Load(emulator.Image("peers"))
		must(t, err)
		p.s, err = p.c.NewStream()
		must(t, err)
		all[i] = p
	}
	return all
}

// words returns zeroed memory.
func (p *peer) words(t *testing.T, n uint64) *driver.Memory {
	t.Helper()
	m, err := p.c.Alloc(4 * n)
	must(t, err)
	must(t, p.s.Memset32(m.Ptr(), 0, n))
	must(t, p.s.Sync())
	return m
}

func (p *peer) word(t *testing.T, m *driver.Memory) uint32 {
	t.Helper()
	var b [4]byte
	must(t, p.c.Download(b[:], m.Ptr()))
	return *(*uint32)(unsafe.Pointer(&b))
}

func (p *peer) launch(t *testing.T, name string, args *driver.Args) {
	t.Helper()
	f, err := p.m.Function(name)
	must(t, err)
	must(t, p.s.Launch(f, driver.Config{Grid: driver.Dim{X: 1}, Block: driver.Dim{X: 32}}, args))
}

// meet has kernels of all devices wait for one another, many times.
func meet(t *testing.T, all []*peer) {
	const rounds = 200
	var m struct {
		told, bits, data      [8]driver.Ptr
		mine, devices, rounds uint32
		_                     uint32
	}
	m.devices, m.rounds = uint32(len(all)), rounds
	wrong := make([]*driver.Memory, len(all))
	for i, p := range all {
		m.told[i] = p.words(t, 16).Ptr()
		m.bits[i] = p.words(t, rounds+1).Ptr()
		m.data[i] = p.words(t, 16).Ptr()
		wrong[i] = p.words(t, 1)
		for j, other := range all {
			if can, err := p.c.CanAccess(other.c); err != nil || !can {
				t.Fatalf("%d to %d: %v, %v", i, j, can, err)
			}
			must(t, p.c.EnablePeer(other.c))
			must(t, p.c.EnablePeer(other.c)) // again
		}
	}
	for i, p := range all {
		m.mine = uint32(i)
		a := driver.NewArgs()
		driver.Struct(a, &m)
		p.launch(t, "meet", a.Ptr(wrong[i].Ptr()))
	}
	for i, p := range all {
		must(t, p.s.Sync())
		if n := p.word(t, wrong[i]); n != 0 {
			t.Errorf("device %d saw %d wrong words", i, n)
		}
	}
}

// apart: each device has separate memory, and an error that breaks one leaves the others intact.
func apart(t *testing.T, all []*peer) {
	for i, p := range all {
		before, total, err := p.c.MemInfo()
		must(t, err)
		if total != 1<<20 || before != total {
			t.Fatalf("device %d has %d of %d bytes", i, before, total)
		}
		m, err := p.c.Alloc(1 << 20)
		must(t, err)
		if _, err := p.c.Alloc(1); !errors.Is(err, driver.ErrOutOfMemory) {
			t.Errorf("device %d: %v", i, err)
		}
		if i > 0 {
			must(t, m.Close())
		}
	}
	a := all[2].words(t, 4)
	b := all[1].words(t, 4)
	all[1].launch(t, "touch", driver.NewArgs().Ptr(a.Ptr()).Ptr(b.Ptr()).U32(0))
	if err := all[1].s.Sync(); err == nil {
		t.Error("device 1 isn't broken")
	}
	if err := all[1].c.Broken(); err == nil {
		t.Error("device 1 isn't broken")
	}
	all[2].launch(t, "touch", driver.NewArgs().Ptr(a.Ptr()).Ptr(a.Ptr()).U32(0))
	must(t, all[2].s.Sync())
	if got := all[2].word(t, a); got != 7 {
		t.Errorf("device 2 wrote %d", got)
	}
	must(t, all[0].c.Sync())
}

// mixed takes what is one device's for another one's.
func mixed(t *testing.T, all []*peer) {
	a, b := all[0], all[1]
	on, off := a.words(t, 4), b.words(t, 4)
	must(t, a.s.Memset32(on.Ptr(), 9, 4))
	e, err := a.c.NewEvent(0)
	must(t, err)
	must(t, a.s.Record(e))
	must(t, b.s.Wait(e)) // which may be another device's
	must(t, b.s.CopyPeer(off.Ptr(), b.c, on.Ptr(), a.c, 16))
	must(t, b.s.Sync())
	if got := b.word(t, off); got != 9 {
		t.Errorf("copied %d", got)
	}
	for name, err := range map[string]error{
		"an event of another device":   b.s.Record(e),
		"a copy to the wrong device":   b.s.CopyPeer(off.Ptr(), a.c, on.Ptr(), a.c, 16),
		"a copy from the wrong device": b.s.CopyPeer(off.Ptr(), b.c, on.Ptr(), b.c, 16),
		"filling without access":       b.s.Memset32(on.Ptr(), 1, 4),
	} {
		if err == nil {
			t.Errorf("%s is done", name)
		}
	}
	must(t, b.c.DisablePeer(a.c)) // before it was enabled: nothing to do
	must(t, b.c.EnablePeer(a.c))
	must(t, b.s.Memset32(on.Ptr(), 1, 4))
	must(t, b.c.DisablePeer(a.c))
	if b.s.Memset32(on.Ptr(), 1, 4) == nil {
		t.Error("access goes on after its end")
	}
	// Package cuda refuses this before the driver is asked.
	f, err := a.m.Function("touch")
	must(t, err)
	if err := b.s.Launch(f, driver.Config{Grid: driver.Dim{X: 1}, Block: driver.Dim{X: 32}}, nil); !errors.Is(err, driver.ErrInvalid) {
		t.Errorf("a function of another device: %v", err)
	}
}

// touch reaches for another device's memory, without access and with it; memory of its pool is out of
// reach for all.
func touch(t *testing.T, all []*peer) {
	a, b := all[0], all[1]
	way := strings.TrimPrefix(os.Getenv(peersVar), "touch ")
	number, _ := strconv.Atoi(way)
	there, out := b.words(t, 4), a.words(t, 4)
	if way == "pool" {
		m, err := b.s.Alloc(16)
		must(t, err)
		must(t, b.s.Sync())
		there = m
	}
	args := driver.NewArgs().Ptr(there.Ptr()).Ptr(out.Ptr()).U32(uint32(number))
	must(t, a.c.EnablePeer(b.c))
	if way != "pool" {
		a.launch(t, "touch", args)
		must(t, a.s.Sync())
		if got, wants := b.word(t, there), []uint32{7, 0, 7, 7, 0}[number]; got != wants {
			t.Errorf("%d is there, want %d", got, wants)
		}
		must(t, a.c.DisablePeer(b.c))
	}
	a.launch(t, "touch", args)
	if err := a.s.Sync(); err == nil || !strings.Contains(err.Error(), "CUDA_ERROR_ILLEGAL_ADDRESS") || !strings.Contains(err.Error(), "memory of device 1") {
		t.Errorf("without access: %v", err)
	}
	must(t, b.c.Sync())
}

// none: there may be devices that don't reach one another.
func none(t *testing.T, all []*peer) {
	can, err := all[0].c.CanAccess(all[1].c)
	must(t, err)
	if can {
		t.Error("they can")
	}
	if err := all[0].c.EnablePeer(all[1].c); !errors.Is(err, driver.ErrNotSupported) {
		t.Errorf("enabling: %v", err)
	}
}

const sharedVar = "FORAY_TEST_SHARED"

// shared has another process map a device's memory, and write a word there.
func shared(t *testing.T, all []*peer) {
	b := all[1]
	if text := os.Getenv(sharedVar); text != "" { // this is the other process
		var h driver.Shared
		if _, err := hex.Decode(h[:], []byte(text)); err != nil {
			t.Fatal(err)
		}
		if os.Getenv("FORAY_EMULATOR_PEERS") == "0" {
			if _, err := all[0].c.Map(h); !errors.Is(err, driver.ErrNotSupported) {
				t.Errorf("mapping another device's memory: %v", err)
			}
		} else {
			b = all[0]
		}
		m, err := b.c.Map(h)
		must(t, err)
		out := b.words(t, 1)
		b.launch(t, "touch", driver.NewArgs().Ptr(m.Ptr()).Ptr(out.Ptr()).U32(2))
		must(t, b.s.Sync())
		must(t, m.Close())
		if err := m.Close(); !errors.Is(err, driver.ErrClosed) {
			t.Errorf("closed twice: %v", err)
		}
		must(t, b.c.Broken())
		return
	}
	m := b.words(t, 4)
	must(t, b.s.Memset32(m.Ptr(), 4, 4))
	must(t, b.s.Sync())
	h, err := m.Share()
	must(t, err)
	if again, err := m.Share(); err != nil || again != h {
		t.Errorf("shared again: %v", err)
	}
	if _, err := b.c.Map(h); err == nil {
		t.Error("a process maps its own memory")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestPeers$", "-test.v")
	cmd.Env = append(os.Environ(), sharedVar+"="+hex.EncodeToString(h[:]))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the other process: %v\n%s", err, out)
	}
	if got := b.word(t, m); got != 11 {
		t.Errorf("the word is %d", got)
	}
	must(t, m.Close())
}
