//go:build gorgonia && cgo && linux && (amd64 || arm64) && !nocuda

// This file reaches the driver through gorgonia.org/cu, and takes that
// package's contexts and addresses. What cu lacks, or can't do without
// allocating, is called beside it in gorgonia_more.go.

package driver

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"gorgonia.org/cu"
)

// FromCU returns a hold on a context that the caller made with gorgonia.org/cu.
// Close the hold before you destroy the context. Only builds with the
// tag gorgonia have FromCU.
func FromCU(ctx cu.CUContext) (*Context, error) {
	if _, err := std.probe(); err != nil {
		return nil, err
	}
	c := &Context{drv: std.drv, h: raw(ctx)}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	dev, err := cu.CurrentDevice()
	if err != nil {
		return nil, c.fail("cuCtxGetDevice", code(err), "of a context of gorgonia.org/cu")
	}
	for i := range std.found.Devices {
		if n, err := std.number(i); err != nil || n != int32(dev) {
			continue
		}
		if c.dev, err = std.describe(i, int32(dev)); err != nil {
			return nil, err
		}
		return c, nil
	}
	return nil, fmt.Errorf("cuda: device %d of a context of gorgonia.org/cu: %w", int(dev), ErrNotFound)
}

// CU is the context as gorgonia.org/cu has it. It isn't current on any thread;
// within Do it is.
func (c *Context) CU() cu.CUContext { return as[cu.CUContext](c.h) }

// PtrOf is an address of gorgonia.org/cu's as this package has it.
func PtrOf(p cu.DevicePtr) Ptr { return Ptr(p) }

// DevicePtr is an address as gorgonia.org/cu has it.
func (p Ptr) DevicePtr() cu.DevicePtr { return cu.DevicePtr(p) }

// wrapped are cu's types that hold one of the driver's pointers and nothing
// else, out of reach.
type wrapped interface {
	cu.CUContext | cu.Stream | cu.Event | cu.Module | cu.Function
}

func raw[T wrapped](v T) handle { return *(*handle)(unsafe.Pointer(&v)) }
func as[T wrapped](h handle) T  { return *(*T)(unsafe.Pointer(&h)) }

// canOpenPath returns why no other library can be opened.
func canOpenPath() error {
	return errors.New("the tag gorgonia links the driver's library; build without it")
}

func openPath(string) (driver, error) { return openDriver() }

// openDriver checks that cu's types are what raw and as take them for. The
// library itself was linked, and initialized, before the program began.
func openDriver() (driver, error) {
	word := unsafe.Sizeof(handle(0))
	for _, size := range [...]uintptr{unsafe.Sizeof(cu.CUContext{}), unsafe.Sizeof(cu.Stream{}), unsafe.Sizeof(cu.Event{}),
		unsafe.Sizeof(cu.Module{}), unsafe.Sizeof(cu.Function{})} {
		if size != word {
			return nil, errors.New("this version of gorgonia.org/cu isn't known: its types hold more than a pointer")
		}
	}
	return linked{}, nil
}

// code is the driver's result behind one of cu's errors, which don't expose it.
func code(err error) Code {
	if err == nil {
		return codeOK
	}
	if v := reflect.ValueOf(err); v.Kind() == reflect.Int {
		return Code(v.Int())
	}
	return codeUnknown
}

// linked is the driver that cu is linked against.
type linked struct{}

func (linked) deviceCount() (int, Code) {
	n, err := cu.NumDevices()
	return n, code(err)
}

func (linked) deviceGet(i int) (int32, Code) {
	dev, err := cu.GetDevice(i)
	return int32(dev), code(err)
}

func (linked) deviceName(dev int32) (string, Code) {
	name, err := cu.Device(dev).Name()
	return name, code(err)
}

func (linked) deviceMemory(dev int32) (uint64, Code) {
	n, err := cu.Device(dev).TotalMem()
	return uint64(n), code(err)
}

func (linked) deviceAttribute(dev, attr int32) (int32, Code) {
	v, err := cu.Device(dev).Attribute(cu.DeviceAttribute(attr))
	return int32(v), code(err)
}

func (linked) deviceUUID(dev int32) ([16]byte, Code) {
	id, err := cu.Device(dev).UUID()
	return id, code(err)
}

func (linked) canAccessPeer(dev, peer int32) (bool, Code) {
	v, err := cu.Device(dev).CanAccessPeer(cu.Device(peer))
	return v != 0, code(err)
}

func (linked) peerAttribute(attribute int, dev, peer int32) (int, Code) {
	v, err := cu.Device(dev).P2PAttribute(cu.P2PAttribute(attribute), cu.Device(peer))
	return v, code(err)
}

func (linked) primaryRetain(dev int32) (handle, Code) {
	ctx, err := cu.Device(dev).RetainPrimaryCtx()
	return raw(ctx), code(err)
}

func (linked) primaryRelease(dev int32) Code { return code(cu.Device(dev).ReleasePrimaryCtx()) }

func (linked) bind(ctx handle) Code { return code(cu.PushCurrentCtx(as[cu.CUContext](ctx))) }

func (linked) synchronize() Code { return code(cu.Synchronize()) }

func (linked) enablePeer(peer handle) Code { return code(as[cu.CUContext](peer).EnablePeerAccess(0)) }

func (linked) disablePeer(peer handle) Code { return code(as[cu.CUContext](peer).DisablePeerAccess()) }

func (linked) streamCreate(flags uint32) (handle, Code) {
	s, err := cu.MakeStream(cu.StreamFlags(flags))
	return raw(s), code(err)
}

func (linked) streamDestroy(s handle) Code {
	v := as[cu.Stream](s)
	return code(v.Destroy())
}

func (linked) streamSync(s handle) Code  { return code(as[cu.Stream](s).Synchronize()) }
func (linked) streamQuery(s handle) Code { return code(as[cu.Stream](s).Query()) }

func (linked) streamWait(s, event handle) Code {
	return code(as[cu.Stream](s).Wait(as[cu.Event](event), 0))
}

func (linked) eventCreate(flags uint32) (handle, Code) {
	e, err := cu.MakeEvent(cu.EventFlags(flags))
	return raw(e), code(err)
}

func (linked) eventDestroy(e handle) Code {
	v := as[cu.Event](e)
	return code(cu.DestroyEvent(&v))
}

func (linked) eventRecord(e, s handle) Code { return code(as[cu.Event](e).Record(as[cu.Stream](s))) }
func (linked) eventSync(e handle) Code      { return code(as[cu.Event](e).Synchronize()) }
func (linked) eventQuery(e handle) Code     { return code(as[cu.Event](e).Query()) }

func (linked) eventElapsed(start, end handle) (float32, Code) {
	ms, err := as[cu.Event](start).Elapsed(as[cu.Event](end))
	return float32(ms), code(err)
}

func (linked) moduleUnload(m handle) Code { return code(as[cu.Module](m).Unload()) }

func (linked) moduleFunction(m handle, name string) (handle, Code) {
	f, err := as[cu.Module](m).Function(name)
	return raw(f), code(err)
}

func (linked) moduleGlobal(m handle, name string) (Ptr, uint64, Code) {
	p, n, err := as[cu.Module](m).Global(name)
	return Ptr(p), uint64(n), code(err)
}

func (linked) funcGet(f handle, attr int32) (int32, Code) {
	v, err := as[cu.Function](f).Attribute(cu.FunctionAttribute(attr))
	return int32(v), code(err)
}

func (linked) maxBlocks(f handle, threads int32, shared uint64) (int32, Code) {
	n, err := as[cu.Function](f).MaxActiveBlocksPerMultiProcessor(int(threads), int64(shared))
	return int32(n), code(err)
}

func (linked) memInfo() (free, total uint64, c Code) {
	f, t, err := cu.MemInfo()
	return uint64(f), uint64(t), code(err)
}

func (linked) memAlloc(n uint64) (Ptr, Code) {
	p, err := cu.MemAlloc(int64(n))
	return Ptr(p), code(err)
}

func (linked) memFree(p Ptr) Code { return code(cu.MemFree(cu.DevicePtr(p))) }

func (linked) hostFree(p unsafe.Pointer) Code { return code(cu.MemFreeHost(p)) }

func (linked) memset8(dst Ptr, v byte, n uint64, s handle) Code {
	return code(cu.MemsetD8Async(cu.DevicePtr(dst), v, int64(n), as[cu.Stream](s)))
}

func (linked) memset32(dst Ptr, v uint32, n uint64, s handle) Code {
	return code(cu.MemsetD32Async(cu.DevicePtr(dst), uint(v), int64(n), as[cu.Stream](s)))
}

func (linked) toDevice(dst Ptr, src unsafe.Pointer, n uint64) Code {
	return code(cu.MemcpyHtoD(cu.DevicePtr(dst), src, int64(n)))
}

func (linked) toHost(dst unsafe.Pointer, src Ptr, n uint64) Code {
	return code(cu.MemcpyDtoH(dst, cu.DevicePtr(src), int64(n)))
}

func (linked) copy(dst, src Ptr, n uint64) Code {
	return code(cu.MemcpyDtoD(cu.DevicePtr(dst), cu.DevicePtr(src), int64(n)))
}

func (linked) copyPeer(dst Ptr, dstCtx handle, src Ptr, srcCtx handle, n uint64) Code {
	return code(cu.MemcpyPeer(cu.DevicePtr(dst), as[cu.CUContext](dstCtx), cu.DevicePtr(src), as[cu.CUContext](srcCtx), int64(n)))
}

func (linked) toDeviceAsync(dst Ptr, src unsafe.Pointer, n uint64, s handle) Code {
	return code(cu.MemcpyHtoDAsync(cu.DevicePtr(dst), src, int64(n), as[cu.Stream](s)))
}

func (linked) toHostAsync(dst unsafe.Pointer, src Ptr, n uint64, s handle) Code {
	return code(cu.MemcpyDtoHAsync(dst, cu.DevicePtr(src), int64(n), as[cu.Stream](s)))
}

func (linked) copyAsync(dst, src Ptr, n uint64, s handle) Code {
	return code(cu.MemcpyDtoDAsync(cu.DevicePtr(dst), cu.DevicePtr(src), int64(n), as[cu.Stream](s)))
}

func (linked) copyPeerAsync(dst Ptr, dstCtx handle, src Ptr, srcCtx handle, n uint64, s handle) Code {
	return code(cu.MemcpyPeerAsync(cu.DevicePtr(dst), as[cu.CUContext](dstCtx), cu.DevicePtr(src), as[cu.CUContext](srcCtx), int64(n), as[cu.Stream](s)))
}
