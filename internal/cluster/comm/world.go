// This file determines whether other processes were started with this one, and its number among those of its machine.

package comm

import (
	"context"
	"fmt"
	"os"
	"strconv"
)

// World connects this process with those that a launcher started with it, according to
// the environment:
//
//   - mpirun (Open MPI's OMPI_COMM_WORLD_SIZE, MPICH's PMI_SIZE), or srun with
//     PMI (PMIX_RANK, PMI_SIZE): by MPI;
//   - RANK and WORLD_SIZE, or Slurm's SLURM_PROCID and SLURM_NTASKS in a job
//     step, without MPI: by the option Plain;
//   - mpirun with one process: a communicator of one rank, without MPI;
//   - nothing, or another size of 1: nil, since the process is alone.
//
// FORAY_MPI names the MPI library, if the one that the launcher suggests is the wrong
// one. World returns after a Handshake with the options' settings. If ranks
// differ, it returns the communicator with that error, and the communicator knows its rank.
func World(ctx context.Context, o Options) (Comm, error) {
	s, err := started(os.LookupEnv)
	if err != nil {
		return nil, fmt.Errorf("comm: %w", err)
	}
	if s.launcher == "" {
		return nil, nil
	}
	if s.size == 1 {
		return inProcess(1, o)[0], nil
	}
	var c Comm
	if s.plain && o.Plain == nil {
		return nil, fmt.Errorf("comm: %s say that this is rank %d of %d, but processes find each other by MPI alone here: "+
			"install Open MPI or MPICH and start them by mpirun -n %d (with Slurm by srun --mpi=pmix or --mpi=pmi2)",
			s.launcher, s.rank, s.size, s.size)
	} else if s.plain {
		if c, err = o.Plain(ctx, s.rank, s.size); err != nil {
			return nil, fmt.Errorf("comm: %s say that this is rank %d of %d: %w", s.launcher, s.rank, s.size, err)
		}
	} else if c, err = openMPI(ctx, s, o); err != nil {
		return nil, fmt.Errorf("comm: started by %s: %w", s.launcher, err)
	}
	return c, Handshake(ctx, c, o.Settings)
}

// Started returns this process's rank, and the number of ranks, from RANK and WORLD_SIZE, which
// torchrun and others set, or from Slurm's variables in a job step. The size is 0 if none of them is set.
func Started() (rank, size int, err error) {
	s, err := plainly(os.LookupEnv)
	if err != nil {
		return 0, 0, fmt.Errorf("comm: %w", err)
	}
	return s.rank, s.size, nil
}

// start describes how this process was started, according to its environment.
type start struct {
	launcher   string // or the names of variables
	rank, size int    // size is 0 if it isn't known
	libraries  []string
	plain      bool // without MPI
}

// The libraries of MPI by their names: Open MPI's; MPICH's and those compatible with
// it, and the name that Debian gives to MPICH's.
var (
	openMPIs = []string{"libmpi.so.40"}
	mpiches  = []string{"libmpi.so.12", "libmpich.so.12"}
)

// started reads the environment.
func started(lookup func(string) (string, bool)) (start, error) {
	ompi, err := pair(lookup, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")
	if err != nil {
		return start{}, err
	}
	pmi, err := pair(lookup, "PMI_RANK", "PMI_SIZE")
	if err != nil {
		return start{}, err
	}
	plain, err := pair(lookup, "RANK", "WORLD_SIZE")
	if err != nil {
		return start{}, err
	}
	ompi.launcher, ompi.libraries = "Open MPI's mpirun", openMPIs
	pmi.launcher, pmi.libraries = "a launcher with PMI", mpiches
	var s start
	pmix, isPMIx := lookup("PMIX_RANK")
	switch {
	case ompi.size > 0:
		s = ompi
	case pmi.size > 0:
		s = pmi
	case isPMIx:
		rank, err := number("PMIX_RANK", pmix)
		if err != nil {
			return start{}, err
		}
		s = start{launcher: "a launcher with PMIx", rank: rank, libraries: append(openMPIs[:1:1], mpiches...)}
	}
	if s.launcher != "" {
		for _, other := range []struct {
			start
			names string
		}{{pmi, "PMI_RANK and PMI_SIZE"}, {plain, "RANK and WORLD_SIZE"}} {
			if other.size > 0 && (other.rank != s.rank || s.size > 0 && other.size != s.size) {
				return start{}, fmt.Errorf("the environment contradicts itself: to %s this is rank %d of %s, but %s say rank %d of %d; unset what is wrong",
					s.launcher, s.rank, size(s.size), other.names, other.rank, other.size)
			}
		}
		// With Slurm's PMI a shell in an allocation has a rank and a size of 1 too: only MPICH's own
		// mpirun sets the other variable.
		if _, byMPICH := lookup("MPI_LOCALNRANKS"); s.launcher == pmi.launcher && s.size == 1 && !byMPICH {
			s = start{size: 1}
		}
		return s, nil
	}
	if s, err = plainly(lookup); err != nil || s.size > 1 {
		return s, err
	}
	return start{size: 1}, nil
}

// plainly reads what there is without MPI.
func plainly(lookup func(string) (string, bool)) (start, error) {
	s, err := pair(lookup, "RANK", "WORLD_SIZE")
	if err != nil {
		return start{}, err
	}
	s.launcher, s.plain = "RANK and WORLD_SIZE", true
	if _, inStep := lookup("SLURM_STEP_ID"); inStep {
		// Outside of steps these describe the whole job, which runs its script once.
		slurm, err := pair(lookup, "SLURM_PROCID", "SLURM_NTASKS")
		if err != nil {
			return start{}, err
		}
		if s.size > 0 && slurm.size > 1 && (slurm.rank != s.rank || slurm.size != s.size) {
			return start{}, fmt.Errorf("the environment contradicts itself: to Slurm this is rank %d of %d, but RANK and WORLD_SIZE say rank %d of %d; unset what is wrong",
				slurm.rank, slurm.size, s.rank, s.size)
		}
		if s.size == 0 {
			s = slurm
			s.launcher, s.plain = "SLURM_PROCID and SLURM_NTASKS", true
		}
	}
	return s, nil
}

func size(n int) string {
	if n == 0 {
		return "a number that isn't known"
	}
	return strconv.Itoa(n)
}

// pair reads the variables of a rank and a size. The size is 0 if neither is set.
func pair(lookup func(string) (string, bool), rank, size string) (start, error) {
	r, hasRank := lookup(rank)
	n, hasSize := lookup(size)
	if !hasRank && (!hasSize || size == "WORLD_SIZE" && n == "1") { // which some set for one process
		return start{}, nil
	}
	if !hasRank || !hasSize {
		if hasRank {
			rank, size = size, rank
		}
		return start{}, fmt.Errorf("%s is set, but %s isn't: set both or neither", size, rank)
	}
	var s start
	var err error
	if s.rank, err = number(rank, r); err != nil {
		return start{}, err
	}
	if s.size, err = number(size, n); err != nil {
		return start{}, err
	}
	if s.rank >= s.size {
		return start{}, fmt.Errorf("%s=%d must be less than %s=%d", rank, s.rank, size, s.size)
	}
	return s, nil
}

// number reads a variable that is a count.
func number(name, text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%s=%q isn't a whole number from 0 to 2147483647", name, text)
	}
	return int(n), nil
}

// LocalRank is the number of this process among those that its launcher started on this machine,
// from 0. The process uses the GPU of that number. ok is false if the launcher doesn't set it. It is the first set
// variable of LOCAL_RANK (torchrun), OMPI_COMM_WORLD_LOCAL_RANK (Open MPI), MPI_LOCALRANKID (MPICH and
// Intel's), and SLURM_LOCALID in a job step.
func LocalRank() (rank int, ok bool, err error) { return localRank(os.LookupEnv) }

func localRank(lookup func(string) (string, bool)) (rank int, ok bool, err error) {
	names := []string{"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"}
	if _, inStep := lookup("SLURM_STEP_ID"); inStep {
		// Outside of steps, and under mpirun, it is the id of the batch script.
		names = append(names, "SLURM_LOCALID")
	}
	for _, name := range names {
		if text, set := lookup(name); set {
			if rank, err = number(name, text); err != nil {
				return 0, false, fmt.Errorf("comm: %w", err)
			}
			return rank, true, nil
		}
	}
	return 0, false, nil
}
