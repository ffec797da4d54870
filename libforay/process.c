// This file keeps the process as it is. When the library is loaded, the runtime of Go raises the soft
// limit of open files and installs its handlers of five signals. It needs those of SIGBUS, SIGFPE and
// SIGSEGV, and calls the handlers that were there before for faults outside of Go. The other two:
//
//   - SIGPIPE: the library writes to no pipe or socket, so the earlier action is restored. By Go's
//     handler, a program that writes to a closed pipe would no longer end.
//   - SIGURG: Go sends it to its own threads. Others are passed on to the handler that was there before,
//     which Go would not call.

#define _GNU_SOURCE
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

// What was there before the runtime began, and Go's handler of SIGURG.
static struct rlimit files;
static struct sigaction brokenPipe, urgent, goUrgent;
static int known;

__attribute__((constructor(101))) static void note(void) {
	known = getrlimit(RLIMIT_NOFILE, &files) == 0 && sigaction(SIGPIPE, 0, &brokenPipe) == 0 && sigaction(SIGURG, 0, &urgent) == 0;
}

static int isHandler(const struct sigaction *a) {
	return a->sa_flags & SA_SIGINFO || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

static void passUrgent(int signal, siginfo_t *info, void *context) {
	goUrgent.sa_sigaction(signal, info, context);
	if (info->si_code == SI_TKILL && info->si_pid == getpid()) return;
	if (urgent.sa_flags & SA_SIGINFO) urgent.sa_sigaction(signal, info, context);
	else urgent.sa_handler(signal);
}

static void restoreSignals(void) {
	struct sigaction pipeNow, urgentNow;
	if (sigaction(SIGPIPE, 0, &pipeNow) != 0 || sigaction(SIGURG, 0, &urgentNow) != 0) return;
	// All handlers of Go are one function. Another one is the program's, which was quicker.
	if (pipeNow.sa_sigaction != urgentNow.sa_sigaction || pipeNow.sa_sigaction == brokenPipe.sa_sigaction) return;
	sigaction(SIGPIPE, &brokenPipe, 0);
	if (!isHandler(&urgent)) return;
	goUrgent = urgentNow;
	urgentNow.sa_sigaction = passUrgent;
	sigaction(SIGURG, &urgentNow, 0);
}

static void restoreFiles(void) {
	struct rlimit now;
	// Go sets one less than the hard limit. Another limit is the program's.
	if (getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_cur == now.rlim_max - 1 && now.rlim_max == files.rlim_max) setrlimit(RLIMIT_NOFILE, &files);
}

void forayRestore(void) {
	if (!known) return;
	restoreSignals();
	restoreFiles();
}
