package device_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
)

func TestOpenNames(t *testing.T) {
	for _, c := range []struct {
		name string
		want error // nil: the host
	}{
		{"", nil}, {"auto", nil}, {"host", nil}, {"host:0", nil},
		{"host:1", device.ErrUnknown},
		{"host:x", device.ErrUnknown},
		{"host:-1", device.ErrUnknown},
		{"host:", device.ErrUnknown},
		{"Host", device.ErrUnknown},
		{"auto:0", device.ErrUnknown},
		{"gpu", device.ErrUnknown},
		{"gpu:0", device.ErrUnknown},
		{" host", device.ErrUnknown},
		{"cuda:x", device.ErrUnknown},
		{"cuda", device.ErrNotSupported}, // nothing here imports its driver
		{"cuda:1", device.ErrNotSupported},
	} {
		dev, err := device.Open(c.name)
		if c.want != nil {
			if !errors.Is(err, c.want) || dev != nil {
				t.Errorf("%q: got %v and %v, want %v", c.name, dev, err, c.want)
			} else if !strings.Contains(err.Error(), fmt.Sprintf("%q", c.name)) {
				t.Errorf("%q: the error doesn't name it: %v", c.name, err)
			} else if c.want == device.ErrNotSupported && !strings.Contains(err.Error(), "import device/gpu") {
				t.Errorf("%q: the error doesn't say what to do: %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.name, err)
			continue
		}
		if info := dev.Info(); info.Kind != device.Host || info.Name != "host" || info.Units < 1 || info.Model == "" {
			t.Errorf("%q: %+v", c.name, info)
		}
		if err := dev.Close(); err != nil {
			t.Errorf("%q: %v", c.name, err)
		}
	}
}

// fake is a device of another kind: it is opened, and nothing else.
type fake struct {
	device.Device
	info device.Info
}

func (f fake) Info() device.Info { return f.info }

// register makes a kind known for one test. Drivers can't be taken back, so
// afterwards the kind has no devices.
func register(t *testing.T, d device.Driver) {
	device.Register(d)
	t.Cleanup(func() {
		device.Register(device.Driver{Kind: d.Kind, Rank: -1000, Probe: func() ([]device.Info, error) {
			return nil, device.ErrNotSupported
		}})
	})
}

func driver(kind device.Kind, rank, count int, open error) device.Driver {
	infos := make([]device.Info, count)
	for i := range infos {
		infos[i] = device.Info{Kind: kind, Name: fmt.Sprintf("%s:%d", kind, i)}
	}
	return device.Driver{
		Kind: kind, Rank: rank,
		Probe: func() ([]device.Info, error) { return infos, nil },
		Open: func(i int) (device.Device, error) {
			if open != nil {
				return nil, open
			}
			return fake{info: infos[i]}, nil
		},
	}
}

func opened(t *testing.T, name string) string {
	t.Helper()
	dev, err := device.Open(name)
	if err != nil {
		t.Fatalf("%q: %v", name, err)
	}
	return dev.Info().Name
}

func TestRegistry(t *testing.T) {
	register(t, driver("slow", -5, 1, nil))
	register(t, driver("quick", 5, 2, nil))
	if got := opened(t, "auto"); got != "quick:0" {
		t.Errorf("auto took %s, want the highest rank", got)
	}
	for name, want := range map[string]string{"quick": "quick:0", "quick:1": "quick:1", "slow": "slow:0", "host": "host"} {
		if got := opened(t, name); got != want {
			t.Errorf("%q opened %s, want %s", name, got, want)
		}
	}
	if _, err := device.Open("quick:2"); !errors.Is(err, device.ErrUnknown) || !strings.Contains(err.Error(), "2 of that kind") {
		t.Errorf("one past the last: %v", err)
	}
	var names []string
	for _, info := range device.List() {
		names = append(names, info.Name)
	}
	if want := []string{"quick:0", "quick:1", "host", "slow:0"}; !slices.Equal(names, want) {
		t.Errorf("List gives %v, want %v", names, want)
	}
	// Registering again replaces.
	register(t, driver("quick", 5, 1, nil))
	if _, err := device.Open("quick:1"); !errors.Is(err, device.ErrUnknown) {
		t.Errorf("after replacing: %v", err)
	}
}

func TestAutoFallsBackButNamesDoNot(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		what string
		d    device.Driver
		want error // of opening it by name
	}{
		{"can't be opened", driver("quick", 5, 1, broken), broken},
		{"has none", driver("quick", 5, 0, nil), device.ErrUnknown},
		{"isn't supported", device.Driver{Kind: "quick", Rank: 5, Probe: func() ([]device.Info, error) {
			return nil, fmt.Errorf("%w: no driver", device.ErrNotSupported)
		}}, device.ErrNotSupported},
	} {
		register(t, c.d)
		if got := opened(t, "auto"); got != "host" {
			t.Errorf("a kind that %s: auto took %s, want the host", c.what, got)
		}
		if dev, err := device.Open("quick"); !errors.Is(err, c.want) {
			t.Errorf("a kind that %s: got %v and %v, want %v", c.what, dev, err, c.want)
		}
		for _, info := range device.List() {
			if info.Kind == "quick" && c.want != broken {
				t.Errorf("a kind that %s is listed", c.what)
			}
		}
	}
}

// refusing is a device without memory.
type refusing struct{ fake }

var errFull = errors.New("full")

func (refusing) Alloc(uint64) (device.Memory, error) { return nil, errFull }

func testBuffer[T device.Elem](t *testing.T) {
	var zero T
	size := unsafe.Sizeof(zero)
	for _, n := range []int{0, 1, 2, 7, 63, 1000, 1 << 20, 1<<20 + 3} {
		b, err := device.NewBuffer[T](host.New(0), n)
		if err != nil {
			t.Fatal(err)
		}
		data := b.Host()
		if b.Len() != n || len(data) != n {
			t.Fatalf("%T: %d elements, %d on the host, want %d", zero, b.Len(), len(data), n)
		}
		for i, x := range data {
			if x != 0 {
				t.Fatalf("%T: element %d of %d isn't zeroed: %v", zero, i, n, x)
			}
			data[i] = T(i % 100)
		}
		if n > 0 {
			if b.Pointer() != uintptr(unsafe.Pointer(&data[0])) || b.Pointer()%8 != 0 || b.Pointer()%size != 0 {
				t.Errorf("%T: address %#x", zero, b.Pointer())
			}
			if b.Host()[n-1] != T((n-1)%100) {
				t.Errorf("%T: what was written isn't there", zero)
			}
		}
		for range 2 { // the second time it is left alone
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
		if b.Len() != 0 || b.Host() != nil || b.Pointer() != 0 {
			t.Errorf("%T: a freed buffer has %d elements", zero, b.Len())
		}
	}
}

func TestBuffer(t *testing.T) {
	testBuffer[int32](t)
	testBuffer[uint32](t)
	testBuffer[int64](t)
	testBuffer[uint64](t)
	testBuffer[float32](t)
	testBuffer[float64](t)
	var none *device.Buffer[int32]
	if err := none.Close(); err != nil {
		t.Errorf("freeing no buffer: %v", err)
	}
	if none.Len() != 0 || none.Host() != nil || none.Pointer() != 0 {
		t.Error("no buffer has something")
	}
}

func TestBufferRefuses(t *testing.T) {
	dev := host.New(0)
	for _, n := range []int{-1, 1 << 62, 1 << 60, 1 << 44} {
		if b, err := device.NewBuffer[uint64](dev, n); !errors.Is(err, device.ErrSize) || b != nil {
			t.Errorf("%d elements: got %v and %v, want ErrSize", n, b, err)
		}
	}
	if _, err := device.NewBuffer[uint32](refusing{}, 8); !errors.Is(err, errFull) {
		t.Errorf("a device without memory: %v", err)
	}
}

// TestMove: the memory has another owner, and the buffer before is as if it was freed.
func TestMove(t *testing.T) {
	b, err := device.NewBuffer[uint32](host.New(1), 3)
	if err != nil {
		t.Fatal(err)
	}
	b.Host()[1] = 7
	to := b.Move()
	if !b.Closed() || b.Len() != 0 || b.Host() != nil || b.Pointer() != 0 || b.Close() != nil {
		t.Error("the buffer still has the memory")
	}
	if to.Closed() || to.Len() != 3 || to.Host()[1] != 7 {
		t.Error("the other buffer hasn't got it")
	}
	if err := to.Close(); err != nil || !b.Move().Closed() {
		t.Error(err)
	}
	if b = nil; b.Move() != nil {
		t.Error("nil became a buffer")
	}
}

// TestBudgetZero: the zero value is a budget of no bytes.
func TestBudgetZero(t *testing.T) {
	b := &device.Budget{}
	if b.Total() != 0 || b.Used() != 0 {
		t.Errorf("%d bytes, %d used", b.Total(), b.Used())
	}
	if _, err := b.State().Reuse(context.Background(), nil, 1, nil); !errors.Is(err, device.ErrBudget) {
		t.Errorf("a byte of it: %v", err)
	}
}
