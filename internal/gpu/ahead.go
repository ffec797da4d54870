// This file holds machine code that was compiled ahead, of PTX that programs make of kernels and functors. algos
// embeds a pack of it, which internal/tools/ahead writes, and other packages those of foray generate -aot.

package gpu

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Ahead is machine code that was compiled ahead.
type Ahead struct {
	Kernel string
	Major  int    // the compute capability that it was compiled for, without the digit behind the point
	PTX    []byte // with a zero behind it, as devices get it
	Code   []byte
}

// A pack is a head, a list of codes and a frame for each major number, one behind the other. Numbers have 4 bytes.
//
//	magic, codes, frames
//	for each frame: major, its bytes
//	for each code: the begin of the hash of its PTX, its frame, where it begins there, its bytes
const (
	aheadMagic  = "FORAYAH1"
	aheadKey    = 16
	aheadHead   = len(aheadMagic) + 8
	aheadFrame  = 8
	aheadRecord = aheadKey + 12
)

// PackAhead packs machine code, the code of each major number in one frame, which pack compresses
// (internal/tools/pack). Codes that are alike should be neighbors.
func PackAhead(all []Ahead, pack func([]byte) ([]byte, error)) ([]byte, error) {
	var majors []int
	for _, a := range all {
		if !slices.Contains(majors, a.Major) {
			majors = append(majors, a.Major)
		}
	}
	slices.Sort(majors)
	n := binary.LittleEndian.AppendUint32
	out := n(n([]byte(aheadMagic), uint32(len(all))), uint32(len(majors)))
	var records, frames []byte
	for i, major := range majors {
		var plain []byte
		for _, a := range all {
			if a.Major == major {
				key := keyOfPTX(a.PTX)
				records = n(n(n(append(records, key[:]...), uint32(i)), uint32(len(plain))), uint32(len(a.Code)))
				plain = append(plain, a.Code...)
			}
		}
		packed, err := pack(plain)
		if err != nil {
			return nil, err
		}
		out = n(n(out, uint32(major)), uint32(len(packed)))
		frames = append(frames, packed...)
	}
	return slices.Concat(out, records, frames), nil
}

// Key is equal for modules that share machine code in a pack.
func (a Ahead) Key() string {
	key := keyOfPTX(a.PTX)
	return fmt.Sprintf("%d %x", a.Major, key)
}

// keyOfPTX is the key of machine code in a pack. Since it is a hash of the whole text, code of another text is never
// taken. The comments that begin the text are for the emulated GPU, and change with other kernels.
func keyOfPTX(ptx []byte) (k [aheadKey]byte) {
	for bytes.HasPrefix(ptx, []byte("//")) {
		_, ptx, _ = bytes.Cut(ptx, []byte("\n"))
	}
	h := sha256.Sum256(ptx)
	copy(k[:], h[:])
	return k
}

var errPack = errors.New("gpu: a damaged pack of kernels; build the program again")

// packs has the program's packs, and for some seconds the frame that was unpacked last: it has 6 MB, of which a
// program takes several codes one after the other.
var packs struct {
	sync.Mutex
	all    [][]byte
	frame  *byte
	plain  []byte
	forget *time.Timer
}

// AddAhead makes a pack known, which packages do when the program begins. It reads nothing of it.
func AddAhead(pack []byte) {
	packs.Lock()
	defer packs.Unlock()
	packs.all = append(packs.all, pack)
}

// CodeAhead returns the machine code that was compiled ahead of PTX for GPUs of a major number, or nil.
func CodeAhead(ptx []byte, major int) []byte {
	packs.Lock()
	defer packs.Unlock()
	key := keyOfPTX(ptx)
	for _, p := range packs.all {
		frame, begin, size, err := find(p, key, major)
		if err != nil || frame == nil {
			continue
		}
		plain, err := unpackedFrame(frame)
		if err == nil && begin <= len(plain) && size <= len(plain)-begin {
			return bytes.Clone(plain[begin : begin+size])
		}
	}
	return nil
}

// IsAhead reports whether CodeAhead has machine code of PTX.
func IsAhead(ptx []byte, major int) bool {
	packs.Lock()
	defer packs.Unlock()
	key := keyOfPTX(ptx)
	for _, p := range packs.all {
		if frame, _, _, err := find(p, key, major); err == nil && frame != nil {
			return true
		}
	}
	return false
}

// unpackedFrame returns the content of a frame. packs is locked.
func unpackedFrame(frame []byte) ([]byte, error) {
	if packs.frame != &frame[0] {
		plain, err := UnpackImage(frame)
		if err != nil {
			return nil, err
		}
		packs.frame, packs.plain = &frame[0], plain
	}
	if packs.forget == nil {
		packs.forget = time.AfterFunc(aheadKept, func() {
			packs.Lock()
			defer packs.Unlock()
			packs.frame, packs.plain = nil, nil
		})
	}
	packs.forget.Reset(aheadKept)
	return packs.plain, nil
}

// find returns the frame with the machine code of a key, and where in it that is, or nil.
func find(pack []byte, key [aheadKey]byte, major int) (frame []byte, begin, size int, err error) {
	if len(pack) < aheadHead || string(pack[:len(aheadMagic)]) != aheadMagic {
		return nil, 0, 0, errPack
	}
	number := func(at int) int { return int(binary.LittleEndian.Uint32(pack[at:])) }
	codes, frames := number(len(aheadMagic)), number(len(aheadMagic)+4)
	records := aheadHead + frames*aheadFrame
	at := records + codes*aheadRecord
	if at > len(pack) {
		return nil, 0, 0, errPack
	}
	for i := range codes {
		r := records + i*aheadRecord
		if !bytes.Equal(pack[r:r+aheadKey], key[:]) {
			continue
		}
		of := number(r + aheadKey)
		if of >= frames {
			return nil, 0, 0, errPack
		}
		if number(aheadHead+of*aheadFrame) != major {
			continue
		}
		for f := range of {
			at += number(aheadHead + f*aheadFrame + 4)
		}
		n := number(aheadHead + of*aheadFrame + 4)
		if n == 0 || at > len(pack) || n > len(pack)-at {
			return nil, 0, 0, errPack
		}
		return pack[at : at+n], number(r + aheadKey + 4), number(r + aheadKey + 8), nil
	}
	return nil, 0, 0, nil
}

// ahead returns machine code for this GPU that was compiled ahead, or nil. The emulated GPU of tests runs only PTX.
func (d *Device) ahead(ptx []byte) []byte {
	if strings.HasPrefix(d.card.Name, emulated) {
		return nil
	}
	return CodeAhead(ptx, d.card.Major)
}

// emulated begins the name of the emulated GPU (internal/testing/emulator).
const emulated = "Emulated GPU"
