// This file holds how a process finds out which of its machine's it is.

package comm

import (
	"fmt"
	"os"
)

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
