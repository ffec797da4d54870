// Package comm connects the ranks of a search or traversal: processes, by MPI, or teams of
// goroutines of one process. It contains nothing about graphs.
//
// # Communicators
//
// A Comm is one rank's end of a communicator. All its calls but Progress, Abort,
// Done and Err are collective: every rank makes the same calls in the same order.
// InProcess makes communicators for goroutines; MPI opens the MPI library that is
// installed (Open MPI or MPICH) at run time, without cgo; World chooses by the
// environment that a launcher such as mpirun left. internal/cluster/nccl has another one, for
// processes with a GPU each. All pass the tests of commtest.
//
// # Failure
//
// A communicator fails as a whole and for good. It fails if a rank's context
// ends within a call, if a rank calls Abort, if ranks make different calls, or
// if a rank makes no progress for longer than the deadline while another waits
// for it. From then on every call on every rank returns the same *Error, which
// names the rank and the cause. A rank that computes for long between two calls
// must call Progress every second or so; a rank without progress for longer
// than the deadline counts as hung.
//
// Memory that was given to a call that failed may still be read, but is not
// written. What Sum, Max and Or leave in it is undefined.
//
// # Processes
//
// With MPI a failed communicator can't be repaired and MPI can't be finalized.
// The program must print the error and exit with a status other than 0, on which
// launchers end the other processes. If a process still runs a few seconds
// after the failure, MPI_Abort ends the job. If a process dies, the launcher
// ends the others; they may end without seeing an error.
package comm
