//go:build gorgonia && cgo && linux && (amd64 || arm64) && !nocuda

// This file tests working with contexts and addresses of gorgonia.org/cu.

package driver

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"gorgonia.org/cu"
)

func TestFromCU(t *testing.T) {
	if fake := loaded(); fake != nil {
		fake.reset()
	}
	runtime.LockOSThread() // the caller's context stays current on the caller's thread
	defer runtime.UnlockOSThread()
	b := &bench{T: t, sys: std}
	dev, err := cu.GetDevice(0)
	b.ok(err)
	held := must(dev.RetainPrimaryCtx())(b)
	defer func() { b.ok(dev.ReleasePrimaryCtx()) }()
	b.ok(cu.PushCurrentCtx(held))
	defer func() {
		_, err := cu.PopCurrentCtx()
		b.ok(err)
	}()
	theirs := must(cu.MemAlloc(16))(b)
	defer func() { b.ok(cu.MemFree(theirs)) }()

	b.ctx = must(FromCU(held))(b)
	defer b.end()
	if b.ctx.CU() != held || b.ctx.Device().Index != 0 || b.ctx.Device().Name == "" {
		t.Errorf("%v, %+v", b.ctx.CU(), b.ctx.Device())
	}
	m := b.ctx.Adopt(PtrOf(theirs), 16)
	defer func() { b.ok(m.Close()) }()
	if m.Ptr().DevicePtr() != theirs {
		t.Errorf("%v became %v", theirs, m.Ptr().DevicePtr())
	}
	s := b.stream()
	b.ok(s.Launch(b.function("fill"), Config{Grid: Dim{X: 1}, Block: Dim{X: 32}}, NewArgs().Ptr(m.Ptr()).U32(7).U64(4)))
	b.ok(s.Sync())
	got := make([]uint32, 4)
	b.ok(cu.MemcpyDtoH(bytesPointer(got), theirs, 16))
	if !slices.Equal(got, []uint32{7, 7, 7, 7}) {
		t.Errorf("got %v", got)
	}
	if now := must(cu.CurrentDevice())(b); now != dev {
		t.Errorf("the caller's context isn't current any more: device %v", now)
	}
}

func bytesPointer(w []uint32) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(w)) }
