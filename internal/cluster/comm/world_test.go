// This file tests what is made of the environment.

package comm

import (
	"os"
	"strings"
	"testing"
)

func TestStarted(t *testing.T) {
	for _, c := range []struct {
		env, want string // an error, or the launcher
		rank, n   int
	}{
		{"", "", 0, 1},
		{"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=1", "Open MPI's mpirun", 1, 4},
		{"OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1", "Open MPI's mpirun", 0, 1},
		{"PMI_RANK=0 PMI_SIZE=1 MPI_LOCALNRANKS=1", "a launcher with PMI", 0, 1},
		{"PMI_RANK=0 PMI_SIZE=1 SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=1", "", 0, 1}, // maybe a shell
		{"PMI_RANK=3 PMI_SIZE=4 SLURM_PROCID=3 SLURM_NTASKS=4 SLURM_STEP_ID=0", "a launcher with PMI", 3, 4},
		{"PMIX_RANK=2", "a launcher with PMIx", 2, 0},
		{"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 RANK=1 WORLD_SIZE=4", "Open MPI's mpirun", 1, 4},
		{"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 RANK=1 WORLD_SIZE=8", "contradicts itself: to Open MPI's mpirun this is rank 1 of 4, but RANK and WORLD_SIZE say rank 1 of 8", 0, 0},
		{"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMI_RANK=0 PMI_SIZE=2", "contradicts itself", 0, 0},
		{"PMIX_RANK=2 RANK=1 WORLD_SIZE=4", "rank 2 of a number that isn't known", 0, 0},
		{"RANK=1 WORLD_SIZE=4", "RANK and WORLD_SIZE", 1, 4},
		{"RANK=0 WORLD_SIZE=1", "", 0, 1},
		{"WORLD_SIZE=1", "", 0, 1},
		{"WORLD_SIZE=2", "WORLD_SIZE is set, but RANK isn't", 0, 0},
		{"RANK=4 WORLD_SIZE=4", "RANK=4 must be less than WORLD_SIZE=4", 0, 0},
		{"RANK=0 WORLD_SIZE=0", "RANK=0 must be less than WORLD_SIZE=0", 0, 0},
		{"RANK=-1 WORLD_SIZE=4", `RANK="-1" isn't a whole number`, 0, 0},
		{"RANK=1 WORLD_SIZE=four", `WORLD_SIZE="four" isn't`, 0, 0},
		{"RANK=1", "RANK is set, but WORLD_SIZE isn't", 0, 0},
		{"WORLD_SIZE=2", "WORLD_SIZE is set, but RANK isn't", 0, 0},
		{"PMI_RANK=1", "PMI_RANK is set, but PMI_SIZE isn't", 0, 0},
		{"OMPI_COMM_WORLD_SIZE=1", "OMPI_COMM_WORLD_SIZE is set, but OMPI_COMM_WORLD_RANK isn't", 0, 0},
		{"PMIX_RANK=x", `PMIX_RANK="x"`, 0, 0},
		{"SLURM_PROCID=1 SLURM_NTASKS=4 SLURM_STEP_ID=0", "SLURM_PROCID and SLURM_NTASKS", 1, 4},
		{"SLURM_PROCID=0 SLURM_NTASKS=4", "", 0, 1}, // the job's script
		{"SLURM_PROCID=1 SLURM_NTASKS=4 SLURM_STEP_ID=0 RANK=2 WORLD_SIZE=4", "to Slurm this is rank 1 of 4", 0, 0},
		{"SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_STEP_ID=0 RANK=2 WORLD_SIZE=4", "RANK and WORLD_SIZE", 2, 4}, // torchrun in a step
	} {
		env := map[string]string{}
		for v := range strings.FieldsSeq(c.env) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		s, err := started(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
		if err != nil {
			if c.want == "" || c.n != 0 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.env, err)
			}
			continue
		}
		if s.launcher != c.want || s.rank != c.rank || s.size != c.n {
			t.Errorf("%s: got %+v", c.env, s)
		}
	}
}

func TestWorldAlone(t *testing.T) {
	for _, name := range strings.Fields("RANK WORLD_SIZE OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMI_RANK PMI_SIZE PMIX_RANK SLURM_STEP_ID") {
		t.Setenv(name, "") // puts it back in the end
		os.Unsetenv(name)
	}
	if c, err := World(t.Context(), Options{}); c != nil || err != nil {
		t.Errorf("got %v, %v", c, err)
	}
	t.Setenv("RANK", "0")
	if c, err := World(t.Context(), Options{}); c != nil || err == nil || err.Error() != "comm: RANK is set, but WORLD_SIZE isn't: set both or neither" {
		t.Errorf("got %v, %v", c, err)
	}
}

func TestLocalRank(t *testing.T) {
	for _, c := range []struct {
		env  string
		rank int
		ok   bool
		err  string
	}{
		{"", 0, false, ""},
		{"LOCAL_RANK=3 RANK=11", 3, true, ""},
		{"LOCAL_RANK=3 SLURM_LOCALID=0 SLURM_STEP_ID=0", 3, true, ""}, // srun starts torchrun
		{"OMPI_COMM_WORLD_LOCAL_RANK=2 SLURM_LOCALID=0 SLURM_STEP_ID=0", 2, true, ""},
		{"MPI_LOCALRANKID=1", 1, true, ""},
		{"SLURM_LOCALID=1 SLURM_STEP_ID=0", 1, true, ""},
		{"SLURM_LOCALID=0", 0, false, ""}, // of a job's script
		{"LOCAL_RANK=-1", 0, false, `comm: LOCAL_RANK="-1" isn't a whole number`},
		{"LOCAL_RANK= MPI_LOCALRANKID=1", 0, false, `comm: LOCAL_RANK="" isn't a whole number`},
	} {
		env := map[string]string{}
		for v := range strings.FieldsSeq(c.env) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		rank, ok, err := localRank(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
		if rank != c.rank || ok != c.ok || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %d, %v, %v", c.env, rank, ok, err)
		}
	}
}
