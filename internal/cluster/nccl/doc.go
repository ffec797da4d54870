// Package nccl connects GPUs of one process, or of several, by NVIDIA's NCCL. The library is
// opened at run time, without cgo and headers. The package contains nothing about graphs.
//
// # The library
//
// It is opened as libnccl.so.2 where the system's loader finds it, or as the file that
// FORAY_NCCL names. Other places, such as pip's, are not searched. It must be version
// 2.23 or later: the first with ncclCommInitRankScalable, which takes a communicator's id by its
// address. Before it is opened, NCCL_NVLS_ENABLE=0 is set in C's environment, whatever it was. That
// turns NVLink multicast off, since a program that uses it can make GPUs unusable for other programs.
// If the variable can't be set, the library isn't opened.
//
// # Communicators
//
// A Comm is one rank's end of a communicator, bound to a stream of its GPU. All connects the
// GPUs of a process, Join one GPU of each process by a communicator in host memory
// (internal/cluster/comm), Meet one GPU of each process by RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT,
// as torchrun sets them. In the last case rank 0 listens there, and gives NCCL's id to the ranks that connect.
//
// Gather, Exchange and Barrier are collective: all ranks make the same calls in
// the same order, each from its own goroutine. They return when the work is enqueued;
// Wait waits for it. Close is
// collective too. Calls of one Comm run one after the other. To compute meanwhile, use
// another stream and order the two by marks. To run two calls at once,
// connect twice, and enqueue in the same order on all ranks.
//
// While a rank's kernels wait for another rank, calls of the driver that allocate, free or load
// may wait for them, on any GPU of the process. So all memory is allocated before a loop, and
// a rank frees nothing between calls for which others wait.
//
// # Failure
//
// A communicator fails as a whole and for good, with a *comm.Error that names the rank, if that
// is known, and the cause. It fails if a rank's context ends within a call, if a rank calls
// Abort, if NCCL or the device fails, or if enqueued work makes no progress for longer
// than the deadline. Then ncclCommAbort ends NCCL's work on the GPUs, which also releases code that waits for the
// stream elsewhere. Calls return once it has ended, and the caller owns its memory again.
//
// Communicators block: NCCL's calls return when the work is enqueued, some 10 us later. Nonblocking
// communicators take 75 to 100 us more. Calls can wait inside of NCCL for other ranks; these are
// the calls that do:
//
//   - A first call of a kind connects, and returns when the other ranks have made it. So the start
//     makes one of each kind. NCCL may still connect later, such as for another algorithm
//     of large sums, so a watchdog observes each call. After the deadline, the end of its context or
//     a failure elsewhere it calls ncclCommAbort from a separate thread, on which the call
//     returns. NCCL documents an abort for ranks that wait for their streams, and for nonblocking
//     communicators. PyTorch's watchdog does the same. As a precaution, a call is
//     given a second to return first.
//   - The start of NCCL waits for all ranks, and can't be interrupted. All's ranks are in one process,
//     Join's have met in host memory before. Meet's rank gives up after a minute or with its context,
//     and leaves a thread in NCCL: the program should exit then.
//   - Close gives NCCL's rank back in a separate goroutine, and gives up after the deadline.
//
// What ranks find out depends on what connects them.
//
//   - Different calls: calls of one process are compared. Calls of several processes wait for ever in NCCL,
//     and end by the deadline.
//   - A rank is canceled, or fails: the others are notified at once.
//   - A rank hangs: the deadline. In one process the error names the rank.
//   - A rank's process dies: MPI's launcher ends the others. Ranks of Meet keep their connections to rank 0, which end
//     with the process. They are named then.
//   - A rank's process stops: ranks of Meet send each other signs of life by rank 0, and name a process that sends none for
//     somewhat less than the deadline.
//
// The deadline is 7 s, so that ranks learn of a failure within 10 s. Ranks of one process that compute for longer
// call Progress. Ranks of several processes must not, unless they have a communicator in host memory over
// NCCL.
//
// # Memory of all ranks
//
// Peers lets the kernels of all ranks reach a piece of memory of each rank, if all GPUs are in one machine and reach each
// other: by peer access in one process, by CUDA's IPC between processes. Either all ranks get it or none. A
// kernel that waits for another rank's store looks at Halt now and then, and ends once that isn't 0. Its host waits by
// Until, which is a call as the others are: it ends by the deadline, with the context or after a failure, and then Halt
// is set. No rank frees the memory before all ranks have closed their Peers.
//
// # Host memory
//
// Host makes a comm.Comm of a Comm, for data in host memory: it goes through pinned memory
// and the GPU. World does so for processes that were started without MPI, and chooses each process's GPU.
// Each call begins with a record from each rank to all, so that different calls are an
// error on all ranks. Short data is sent in the record.
//
// Between processes it has news: a second communicator, on which a goroutine of each process
// gathers a report from all every 50 ms. A report has the number of calls that the rank has made, how
// long it has waited, when it called Progress last, and its failure, if any. All ranks
// judge the same reports, and so come to the same error. With it
//
//   - a failure is reported before NCCL's rank is aborted: ranks learn cause and rank at once, also those of
//     Meet;
//   - a rank that computes and calls Progress may take any time; a rank that doesn't, for longer
//     than the deadline while others wait for it, is named;
//   - a process that is stopped or dies takes no part in the next round, which ends by the
//     deadline. NCCL can't name the missing rank, the connections to rank 0 can;
//   - a kernel that occupies a whole GPU delays the round: a kernel that takes longer than the
//     deadline is a failure.
package nccl
