package gpu

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/text"
)

// packImage packs an image as internal/tools/pack does, but less tightly.
func packImage(image []byte) ([]byte, error) {
	e, err := zstd.NewWriter(nil, zstd.WithWindowSize(32<<20))
	if err != nil {
		return nil, err
	}
	return e.EncodeAll(image, nil), e.Close()
}

// What is packed comes back; what isn't packed is left alone.
func TestPack(t *testing.T) {
	testlong.Project(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 3, 1000, 1 << 20} {
		image := make([]byte, size)
		for i := range image {
			image[i] = byte(r.IntN(1 + r.IntN(256)))
		}
		packed, err := packImage(image)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := UnpackImage(packed); err != nil || !bytes.Equal(got, image) {
			t.Errorf("%d bytes: %d came back, %v", size, len(got), err)
		}
		if got, err := UnpackImage(image); err != nil || len(got) != size || size > 0 && &got[0] != &image[0] {
			t.Errorf("%d bytes that aren't packed: %d came back, %v", size, len(got), err)
		}
	}
}

// Damage is an error, and takes neither goroutines nor memory with it.
func TestDamaged(t *testing.T) {
	image := bytes.Repeat([]byte("a kernel and the next "), 5000)
	packed, err := packImage(image)
	if err != nil {
		t.Fatal(err)
	}
	for cut := len(zstdMagic); cut < len(packed); cut++ {
		if _, err := UnpackImage(packed[:cut]); err == nil {
			t.Fatalf("%d of %d bytes are enough", cut, len(packed))
		}
	}
	for at := len(zstdMagic); at < len(packed); at++ {
		bad := bytes.Clone(packed)
		bad[at] ^= 0x11
		if got, err := UnpackImage(bad); err == nil && !bytes.Equal(got, image) {
			t.Errorf("byte %d changed, and nobody noticed", at)
		}
	}
	// A frame of one segment that claims 2^40 bytes.
	huge := append(bytes.Clone(zstdMagic), 0xe0)
	huge = binary.LittleEndian.AppendUint64(huge, 1<<40)
	if _, err := UnpackImage(append(huge, packed[8:]...)); err == nil {
		t.Error("2^40 bytes were believed")
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > 3; {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left", runtime.NumGoroutine())
		}
		runtime.Gosched()
	}
}

// mostCommitted is how much all images together may weigh: each version of them
// stays in the history of every clone.
// Those of triangles by degree, of rows by weight, of modes and of slabs came with the algorithms: 0.5 MB.
// Those that make rows of edges, and edges, came with building on a GPU: 0.25 MB.
// Those of searches over several GPUs, for sm_90 and as PTX: 0.4 MB; those that deal edges out to them and check depths there: 0.02 MB.
// That of searches over several processes: 0.15 MB.
const mostCommitted = 6_100_000

// The images of this repository are fatbins, and don't weigh too much.
func TestCommitted(t *testing.T) {
	const root = "../.."
	total, all := 0, ""
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && path != root && (strings.HasPrefix(e.Name(), ".") || e.Name() == "build") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".fatbin") && !strings.HasSuffix(path, ".fatbin"+ImageSuffix) {
			return nil
		}
		packed, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		image, err := UnpackImage(packed)
		if err != nil {
			return err
		}
		if !bytes.HasPrefix(image, []byte{0x50, 0xed, 0x55, 0xba}) {
			t.Errorf("%s is no fatbin", path)
		}
		total += len(packed)
		all += "\n" + path + " " + text.Bytes(uint64(len(packed))) + " of " + text.Bytes(uint64(len(image)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s together:%s", text.Bytes(uint64(total)), all)
	if total == 0 || total > mostCommitted {
		t.Errorf("images of %s, at most %s; move kernels that auto never takes into an image of their own, or out", text.Bytes(uint64(total)), text.Bytes(uint64(mostCommitted)))
	}
}

// BenchmarkUnpack is what the first search with an image waits for.
func BenchmarkUnpack(b *testing.B) {
	for _, name := range []string{"algos/bfs/bfs", "algos/bfs/fused", "algos/bfs/deep", "algos/bfs/extra", "operators/advance/advance"} {
		packed, err := os.ReadFile("../../../" + name + ".fatbin" + ImageSuffix)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				image, err := UnpackImage(packed)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(image)))
			}
		})
	}
}
