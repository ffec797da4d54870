//go:build linux && (amd64 || arm64) && !gorgonia && !nocuda

// This file holds the driver's calls on devices, contexts, streams, events and
// modules, through the library opened at run time.

package driver

import (
	"bytes"
	"unsafe"
)

func (l *library) deviceCount() (int, Code) {
	var n int32
	c := l.call1(symDeviceGetCount, uintptr(unsafe.Pointer(&n)))
	return int(n), c
}

func (l *library) deviceGet(i int) (int32, Code) {
	var dev int32
	c := l.call2(symDeviceGet, uintptr(unsafe.Pointer(&dev)), uintptr(i))
	return dev, c
}

func (l *library) deviceName(dev int32) (string, Code) {
	var name [256]byte
	c := l.call3(symDeviceGetName, uintptr(unsafe.Pointer(&name)), uintptr(len(name)), uintptr(dev))
	return cString(name[:]), c
}

func (l *library) deviceMemory(dev int32) (uint64, Code) {
	var n uint64
	c := l.call2(symDeviceTotalMem, uintptr(unsafe.Pointer(&n)), uintptr(dev))
	return n, c
}

func (l *library) deviceAttribute(dev, attr int32) (int32, Code) {
	var v int32
	c := l.call3(symDeviceGetAttribute, uintptr(unsafe.Pointer(&v)), uintptr(attr), uintptr(dev))
	return v, c
}

func (l *library) deviceUUID(dev int32) ([16]byte, Code) {
	var id [16]byte
	c := l.call2(symDeviceGetUUID, uintptr(unsafe.Pointer(&id)), uintptr(dev))
	return id, c
}

func (l *library) devicePCI(dev int32) (string, Code) {
	var id [64]byte
	c := l.call3(symDeviceGetPCIBusID, uintptr(unsafe.Pointer(&id)), uintptr(len(id)), uintptr(dev))
	return cString(id[:]), c
}

func (l *library) canAccessPeer(dev, peer int32) (bool, Code) {
	var v int32
	c := l.call3(symDeviceCanAccessPeer, uintptr(unsafe.Pointer(&v)), uintptr(dev), uintptr(peer))
	return v != 0, c
}

func (l *library) peerAttribute(attribute int, dev, peer int32) (int, Code) {
	var v int32
	c := l.call4(symDeviceGetP2PAttribute, uintptr(unsafe.Pointer(&v)), uintptr(attribute), uintptr(dev), uintptr(peer))
	return int(v), c
}

func (l *library) primaryRetain(dev int32) (h handle, c Code) {
	c = l.call2(symDevicePrimaryCtxRetain, uintptr(unsafe.Pointer(&h)), uintptr(dev))
	return h, c
}

func (l *library) primaryRelease(dev int32) Code {
	return l.call1(symDevicePrimaryCtxRelease, uintptr(dev))
}

func (l *library) bind(ctx handle) Code { return l.call1(symCtxPushCurrent, uintptr(ctx)) }

func (l *library) unbind() { l.call1(symCtxPopCurrent, uintptr(unsafe.Pointer(l.popped))) }

func (l *library) synchronize() Code { return l.call1(symCtxSynchronize, 0) }

func (l *library) enablePeer(peer handle) Code {
	return l.call2(symCtxEnablePeerAccess, uintptr(peer), 0)
}

func (l *library) disablePeer(peer handle) Code {
	return l.call1(symCtxDisablePeerAccess, uintptr(peer))
}

func (l *library) streamCreate(flags uint32) (h handle, c Code) {
	c = l.call2(symStreamCreate, uintptr(unsafe.Pointer(&h)), uintptr(flags))
	return h, c
}

func (l *library) streamDestroy(s handle) Code { return l.call1(symStreamDestroy, uintptr(s)) }
func (l *library) streamSync(s handle) Code    { return l.call1(symStreamSynchronize, uintptr(s)) }
func (l *library) streamQuery(s handle) Code   { return l.call1(symStreamQuery, uintptr(s)) }

func (l *library) streamWait(s, event handle) Code {
	return l.call3(symStreamWaitEvent, uintptr(s), uintptr(event), 0)
}

func (l *library) eventCreate(flags uint32) (h handle, c Code) {
	c = l.call2(symEventCreate, uintptr(unsafe.Pointer(&h)), uintptr(flags))
	return h, c
}

func (l *library) eventDestroy(e handle) Code { return l.call1(symEventDestroy, uintptr(e)) }

func (l *library) eventRecord(e, s handle) Code {
	return l.call2(symEventRecord, uintptr(e), uintptr(s))
}

func (l *library) eventSync(e handle) Code  { return l.call1(symEventSynchronize, uintptr(e)) }
func (l *library) eventQuery(e handle) Code { return l.call1(symEventQuery, uintptr(e)) }

func (l *library) eventElapsed(start, end handle) (ms float32, c Code) {
	c = l.call3(symEventElapsedTime, uintptr(unsafe.Pointer(&ms)), uintptr(start), uintptr(end))
	return ms, c
}

const (
	jitErrorLogBuffer     = 5
	jitErrorLogBufferSize = 6
)

// jitOptions is what cuModuleLoadDataEx takes besides the image. The values are
// addresses or numbers, each as wide as a pointer.
type jitOptions struct {
	keys   [2]uint32
	values [2]uintptr
}

func (l *library) moduleLoad(image, log []byte) (h handle, c Code) {
	o := &jitOptions{
		keys:   [2]uint32{jitErrorLogBuffer, jitErrorLogBufferSize},
		values: [2]uintptr{uintptr(unsafe.Pointer(unsafe.SliceData(log))), uintptr(len(log))},
	}
	// The last argument isn't the driver's: it keeps the log in its place.
	c = l.call6(symModuleLoadDataEx, uintptr(unsafe.Pointer(&h)), uintptr(unsafe.Pointer(unsafe.SliceData(image))),
		uintptr(len(o.keys)), uintptr(unsafe.Pointer(&o.keys)), uintptr(unsafe.Pointer(&o.values)),
		uintptr(unsafe.Pointer(unsafe.SliceData(log))))
	return h, c
}

// jitInputPTX is the kind of input that PTX is.
const jitInputPTX = 1

func (l *library) link(ptx []byte) (made []byte, c Code) {
	var state handle
	if c = l.call4(symLinkCreate, 0, 0, 0, uintptr(unsafe.Pointer(&state))); c != codeOK {
		return nil, c
	}
	defer l.call1(symLinkDestroy, uintptr(state))
	var name byte // no name
	if c = l.call8(symLinkAddData, uintptr(state), jitInputPTX, uintptr(unsafe.Pointer(unsafe.SliceData(ptx))), uintptr(len(ptx)),
		uintptr(unsafe.Pointer(&name)), 0, 0, 0); c != codeOK {
		return nil, c
	}
	var code *byte // the state's, freed with it
	var n uint64
	if c = l.call3(symLinkComplete, uintptr(state), uintptr(unsafe.Pointer(&code)), uintptr(unsafe.Pointer(&n))); c != codeOK {
		return nil, c
	}
	return append([]byte(nil), unsafe.Slice(code, n)...), codeOK
}

func (l *library) moduleUnload(m handle) Code { return l.call1(symModuleUnload, uintptr(m)) }

func (l *library) moduleFunction(m handle, name string) (h handle, c Code) {
	b := append([]byte(name), 0)
	c = l.call3(symModuleGetFunction, uintptr(unsafe.Pointer(&h)), uintptr(m), uintptr(unsafe.Pointer(&b[0])))
	return h, c
}

func (l *library) moduleGlobal(m handle, name string) (p Ptr, n uint64, c Code) {
	b := append([]byte(name), 0)
	c = l.call4(symModuleGetGlobal, uintptr(unsafe.Pointer(&p)), uintptr(unsafe.Pointer(&n)), uintptr(m), uintptr(unsafe.Pointer(&b[0])))
	return p, n, c
}

func (l *library) funcGet(f handle, attr int32) (v int32, c Code) {
	c = l.call3(symFuncGetAttribute, uintptr(unsafe.Pointer(&v)), uintptr(attr), uintptr(f))
	return v, c
}

func (l *library) funcSet(f handle, attr, v int32) Code {
	return l.call3(symFuncSetAttribute, uintptr(f), uintptr(attr), uintptr(v))
}

// cString is the text up to the zero.
func cString(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}
