//go:build linux && (amd64 || arm64) && !nocuda

// This file holds how ranks come together.

package nccl

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm"
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

// All connects GPUs of this process: rank r uses streams[r]. Ranks work in these streams,
// which the caller still owns and closes after the communicators.
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

// Meet connects one GPU of each process, without a communicator in host memory:
// RANK and WORLD_SIZE, or SLURM_PROCID and SLURM_NTASKS in a job step, say which rank this
// is, MASTER_ADDR and MASTER_PORT where rank 0 is, as torchrun sets them. Rank 0 listens at that port, or, if torchrun's own store
// does already (TORCHELASTIC_USE_AGENT_STORE=True), at the one after it, and gives NCCL's id to the others. NCCL_COMM_ID=host:port
// says it instead of the two. Versions and settings of all ranks are compared then.
func Meet(ctx context.Context, s *gpu.Stream, o Options) (*Comm, error) {
	life, err := beginLifeline(ctx, o)
	if err != nil {
		return nil, err
	}
	return life.meet(ctx, s, o)
}

// beginLifeline connects this process with rank 0.
func beginLifeline(ctx context.Context, o Options) (*lifeline, error) {
	rank, size, err := comm.Started()
	if err != nil {
		return nil, err
	}
	if size == 0 {
		return nil, errors.New("nccl: neither RANK and WORLD_SIZE nor Slurm's variables of a job step are set: start the processes by torchrun, or by mpirun with MPI")
	}
	address := os.Getenv(commID)
	if address == "" {
		if address, err = master(os.LookupEnv); err != nil {
			return nil, err
		}
	}
	return newLifeline(ctx, address, rank, size, newTeam(o, nil).deadline)
}

// meet connects a GPU of each process. After an error the lifeline is closed.
func (life *lifeline) meet(ctx context.Context, s *gpu.Stream, o Options) (*Comm, error) {
	lib, err := open()
	var env *cEnvironment
	if err == nil {
		env, err = environment()
	}
	if err != nil {
		life.give(err)
		return nil, err
	}
	env.remove(commID) // or NCCL would listen there
	t := newTeam(o, nil)
	t.life = life
	life.onFailure(func(e *comm.Error) { t.fail(e) })
	all, err := lib.connect(ctx, t, []*gpu.Stream{s}, life.rank, life.size, func() (*uniqueID, error) { return life.share(lib.newID) })
	if err != nil {
		life.give(err)
		return nil, err
	}
	c := all[0]
	if err := c.introduce(ctx, lib.settings(o)); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// commID is the variable that tells NCCL where rank 0 is.
const commID = "NCCL_COMM_ID"

// master is where rank 0 is.
func master(lookup func(string) (string, bool)) (string, error) {
	host, _ := lookup("MASTER_ADDR")
	text, _ := lookup("MASTER_PORT")
	if host == "" || text == "" {
		return "", errors.New("nccl: MASTER_ADDR and MASTER_PORT aren't set: set them to rank 0's host and a free port there, as torchrun does")
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
