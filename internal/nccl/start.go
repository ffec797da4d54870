//go:build linux && (amd64 || arm64) && !nocuda

// This file holds how ranks come together.

package nccl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/foray-graph/foray/internal/comm"
	"github.com/foray-graph/foray/internal/gpu"
)

// Options say how ranks connect.
type Options struct {
	// Settings must be the same on all ranks.
	Settings []comm.Setting
	// Deadline is how long a call may make no progress. 0 is the package's own.
	Deadline time.Duration
}

// settings are the options' and what else must be the same on all ranks.
func (l *library) settings(o Options) []comm.Setting {
	return append(o.Settings[:len(o.Settings):len(o.Settings)],
		comm.Setting{Name: "NCCL", Value: l.version.String()},
		comm.Setting{Name: "exchangePiece", Value: fmt.Sprint(exchangePiece)},
		comm.Setting{Name: "gatherMost", Value: fmt.Sprint(gatherMost)})
}

// All connects GPUs of this process: rank r is that of streams[r]. Ranks work in the streams,
// which stay the caller's and are closed after the communicators.
func All(ctx context.Context, streams []*gpu.Stream, o Options) ([]*Comm, error) {
	lib, err := open()
	if err != nil {
		return nil, err
	}
	return lib.connect(ctx, newTeam(o, nil), streams, 0, len(streams), lib.newID)
}

// Join connects one GPU of each process; the processes are the ranks of host. It compares
// versions and settings of all ranks first. The communicators fail together.
func Join(ctx context.Context, s *gpu.Stream, host comm.Comm, o Options) (*Comm, error) {
	lib, err := open()
	if err != nil {
		// Others would wait for this rank.
		host.Abort(err)
		return nil, err
	}
	if err := comm.Handshake(ctx, host, lib.settings(o)); err != nil {
		return nil, err
	}
	// Rank 0's NCCL listens at the address that the id has.
	var own []byte
	if host.Rank() == 0 {
		id, err := lib.newID()
		if err != nil {
			host.Abort(err)
			return nil, fmt.Errorf("nccl: %w", err)
		}
		own = id[:]
	}
	out := make([][]byte, host.Size())
	for r := range out {
		out[r] = own
	}
	in, err := host.Exchange(ctx, out)
	if err != nil {
		return nil, err
	}
	id := new(uniqueID)
	if copy(id[:], in[0]) != idBytes {
		err := fmt.Errorf("nccl: rank 0 sent an id of %d bytes, not %d", len(in[0]), idBytes)
		host.Abort(err)
		return nil, err
	}
	t := newTeam(o, host)
	all, err := lib.connect(ctx, t, []*gpu.Stream{s}, host.Rank(), host.Size(), func() (*uniqueID, error) { return id, nil })
	if err != nil {
		host.Abort(err)
		return nil, err
	}
	return all[0], nil
}

// Meet connects one GPU of each process, without a communicator in host memory, by NCCL's own
// means: RANK and WORLD_SIZE say which rank this is, MASTER_ADDR and MASTER_PORT where rank 0
// is, as torchrun sets them. NCCL of rank 0 listens at that port, or, if torchrun's own store
// does already (TORCHELASTIC_USE_AGENT_STORE=True), at the one after it. NCCL_COMM_ID=host:port
// says it instead of the two. Versions and settings of all ranks are compared then.
func Meet(ctx context.Context, s *gpu.Stream, o Options) (*Comm, error) {
	lib, err := open()
	if err != nil {
		return nil, err
	}
	rank, size, err := comm.Started()
	if err != nil {
		return nil, err
	}
	if size == 0 {
		return nil, errors.New("nccl: RANK and WORLD_SIZE aren't set: start the processes by torchrun, or by mpirun with MPI")
	}
	env, err := environment()
	if err != nil {
		return nil, err
	}
	meeting.Lock()
	defer meeting.Unlock()
	// NCCL reads it when the id is made, and on rank 0 again when the rank begins.
	const name = "NCCL_COMM_ID"
	if given := os.Getenv(name); given == "" {
		address, err := master(os.LookupEnv)
		if err != nil {
			return nil, err
		}
		if err := env.put(name, address); err != nil {
			return nil, err
		}
		defer env.remove(name)
	}
	all, err := lib.connect(ctx, newTeam(o, nil), []*gpu.Stream{s}, rank, size, lib.newID)
	if err != nil {
		return nil, err
	}
	c := all[0]
	if err := c.introduce(ctx, lib.settings(o)); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// meeting is held while NCCL_COMM_ID is set.
var meeting sync.Mutex

// master is where rank 0 is.
func master(lookup func(string) (string, bool)) (string, error) {
	host, _ := lookup("MASTER_ADDR")
	text, _ := lookup("MASTER_PORT")
	if host == "" || text == "" {
		return "", errors.New("nccl: RANK and WORLD_SIZE are set, but MASTER_ADDR and MASTER_PORT aren't: set them to rank 0's host and a free port there, as torchrun does")
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if store, _ := lookup("TORCHELASTIC_USE_AGENT_STORE"); err == nil && store == "True" {
		port++
	}
	if err != nil || port == 0 || port >= 1<<16 {
		return "", fmt.Errorf("nccl: MASTER_PORT=%q isn't the number of a port that can be used", text)
	}
	return net.JoinHostPort(host, strconv.FormatUint(port, 10)), nil
}

// connect connects ranks of this process, the first of which has that number.
func (l *library) connect(ctx context.Context, t *team, streams []*gpu.Stream, first, size int, newID func() (*uniqueID, error)) (_ []*Comm, err error) {
	if err := comm.Ended(ctx); err != nil {
		return nil, err
	}
	for i, s := range streams {
		c := &Comm{team: t, lib: l, dev: s.GPU(), stream: s, rank: first + i, size: size, gone: make(chan struct{}), gatherMost: gatherMost}
		c.Progress()
		t.members = append(t.members, c)
	}
	t.open.Store(int32(len(t.members)))
	fail := func(err error) ([]*Comm, error) {
		// Of all that was begun, in whatever state.
		for _, c := range t.members {
			c.told(err)
			err = errors.Join(err, c.discard())
		}
		return nil, err
	}
	// All that a rank needs comes first. Later other ranks' kernels may wait for this one, and
	// calls of the driver that allocate or load may wait for them.
	for _, c := range t.members {
		if c.kernel, err = c.stream.Kernel(image, "nccl_unite"); err != nil {
			return fail(err)
		}
		if c.words, err = c.dev.Alloc(wordsBlocks * c.block()); err != nil {
			return fail(err)
		}
		if c.pinned, err = c.dev.Context().AllocHost(2 * c.block()); err != nil {
			return fail(err)
		}
	}
	if t.host != nil {
		go t.watch()
	}
	if err := l.begin(t, newID); err != nil {
		return fail(err)
	}
	for _, c := range t.members {
		call := "the start"
		c.call.Store(&call)
		c.mu.Lock()
		err := c.Err()
		if err == nil {
			err = c.dev.Context().Do(func() error { return c.settle(ctx, startDeadline) })
		}
		c.mu.Unlock()
		if err != nil {
			return fail(err)
		}
	}
	return t.members, nil
}

// begin tells NCCL of all ranks of this process, in one group.
func (l *library) begin(t *team, newID func() (*uniqueID, error)) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, c := range t.members {
		c.mu.Lock()
		defer c.mu.Unlock()
	}
	if err := t.failure(); err != nil {
		return err
	}
	id, err := newID()
	if err != nil {
		return err
	}
	if r := l.do(fnGroupStart); r != success {
		return l.failure(fnGroupStart, r, 0)
	}
	for _, c := range t.members {
		err = c.dev.Context().Do(func() error {
			if r := l.initRank(&c.handle, c.size, c.rank, id); r != success && r != inProgress {
				return l.failure(fnInitRank, r, 0)
			}
			return nil
		})
		if err != nil {
			break
		}
	}
	if r := l.do(fnGroupEnd); err == nil && r != success && r != inProgress {
		err = l.failure(fnGroupEnd, r, 0)
	}
	return err
}

// discard ends a rank that never began.
func (c *Comm) discard() error {
	c.closed.Store(true)
	c.ending(comm.ErrClosed)
	if c.team.open.Add(-1) == 0 {
		close(c.team.ended)
	}
	return c.free()
}

// introduce compares what ranks say of themselves, by NCCL.
func (c *Comm) introduce(ctx context.Context, settings []comm.Setting) error {
	text, err := comm.Introduce(settings)
	if err == nil && len(text) > textBytes {
		err = fmt.Errorf("the settings take %d bytes, of %d", len(text), textBytes)
	}
	if err != nil {
		return c.told(err)
	}
	m, err := c.dev.Alloc(uint64(c.size * textBytes))
	if err != nil {
		return c.told(err)
	}
	host, err := c.dev.Context().AllocHost(uint64(c.size * textBytes))
	if err != nil {
		return c.told(errors.Join(err, m.Free()))
	}
	clear(host.Bytes())
	copy(host.Bytes(), text)
	err = c.do(ctx, "the handshake", func() error {
		at := m.Pointer() + uintptr(c.rank*textBytes)
		if err := c.stream.ToDevice(at, host, 0, textBytes); err != nil {
			return err
		}
		err := c.group(ctx, func() (function, code) {
			return fnAllGather, c.lib.do(fnAllGather, at, m.Pointer(), textBytes, typeUint8, c.handle, c.stream.Handle())
		})
		if err != nil {
			return err
		}
		return c.stream.ToHost(host, 0, m.Pointer(), uint64(c.size*textBytes))
	})
	if err == nil {
		err = c.Wait(ctx)
	}
	if err == nil {
		texts := make([][]byte, c.size)
		for r := range texts {
			texts[r] = bytes.TrimRight(host.Bytes()[r*textBytes:][:textBytes], "\x00")
		}
		if err = comm.Compare(texts); err != nil {
			c.Abort(err)
		}
	}
	return errors.Join(err, m.Free(), host.Free())
}
