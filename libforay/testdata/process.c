/* process.c looks at what loading the library and a run change in the process: it lists the signals whose
 * handlers are others then, and fails where anything else is. The argument is the library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tables.h"

static volatile sig_atomic_t before, after;
static sigjmp_buf back;

enum { SA_RESTORER = 0x04000000 }; /* the C library sets it with any action */

static void note_before(int s) { (void)s; before++; }
static void note_after(int s) { (void)s; after++; }
static void faults(int s) { siglongjmp(back, s); }

static void handle(int s, void (*f)(int)) {
	struct sigaction a;
	memset(&a, 0, sizeof a);
	a.sa_handler = f;
	CHECK(sigaction(s, &a, NULL) == 0);
}

static int (*run)(const char *, struct ArrowArrayStream *, struct ArrowArrayStream *, const char *, struct ArrowArrayStream *, const foray_cancel *, char **);

static void search(void) {
	static const int64_t src[] = {1, 1, 2}, dst[] = {2, 3, 4};
	struct table t = {.format = "l", .names = {"src", "dst"}, .values = {src, dst}, .columns = 2, .rows = 3};
	struct ArrowArrayStream edges, result;
	char *error;
	int64_t sum;
	make_stream(&edges, t);
	CHECK(run("bfs", &edges, NULL, "{\"source\": 1}", &result, NULL, &error) == FORAY_OK);
	CHECK(count(&result, 1, &sum) == 4 && sum == 4);
	result.release(&result);
}

/* fault reads address 0 and returns the signal that the program's own handler saw. */
static int fault(void) {
	int s = sigsetjmp(back, 1);
	if (!s) *(volatile int *)0 = 1;
	return s;
}

/* broken_pipe has a child write to a closed pipe, and returns the signal that ends it. */
static int broken_pipe(void) {
	int ends[2], status;
	CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
	pid_t child = fork();
	CHECK(child >= 0);
	if (!child) {
		ssize_t wrote = write(ends[1], "x", 1);
		_exit(wrote == 1);
	}
	close(ends[1]);
	CHECK(waitpid(child, &status, 0) == child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int n, char **args) {
	struct sigaction was[65], is;
	struct rlimit files = {200, 300}, limit;
	char cwd[4096], now[4096], locale[256];
	sigset_t mask, blocked;
	mode_t masked = umask(027);
	(void)masked;
	CHECK(n == 2);
	setvbuf(stdout, NULL, _IOLBF, 0); /* the end is a signal */
	CHECK(setlocale(LC_ALL, "C.UTF-8"));
	strcpy(locale, setlocale(LC_ALL, NULL));
	CHECK(chdir("/") == 0 && getcwd(cwd, sizeof cwd));
	CHECK(setrlimit(RLIMIT_NOFILE, &files) == 0);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	CHECK(sigprocmask(SIG_SETMASK, &mask, NULL) == 0);
	handle(SIGUSR1, note_before);
	handle(SIGINT, note_before);
	handle(SIGSEGV, faults);
	handle(SIGURG, note_before);
	for (int s = 1; s < 65; s++) sigaction(s, NULL, &was[s]);

	void *library = dlopen(args[1], RTLD_NOW);
	if (!library) fprintf(stderr, "%s\n", dlerror());
	CHECK(library);
	*(void **)&run = dlsym(library, "foray_run");
	CHECK(run);
	search();

	for (int s = 1; s < 65; s++) {
		sigaction(s, NULL, &is);
		if (is.sa_sigaction != was[s].sa_sigaction) printf("another handler: %d (%s)\n", s, sigabbrev_np(s));
		else if ((is.sa_flags ^ was[s].sa_flags) & ~SA_RESTORER) printf("other flags: %d (%s): %x, were %x\n", s, sigabbrev_np(s), is.sa_flags, was[s].sa_flags);
	}
	CHECK(strcmp(setlocale(LC_ALL, NULL), locale) == 0);
	CHECK(getcwd(now, sizeof now) && strcmp(now, cwd) == 0);
	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == 200 && limit.rlim_max == 300);
	CHECK(sigprocmask(SIG_SETMASK, NULL, &blocked) == 0 && sigismember(&blocked, SIGUSR2) == 1 && sigismember(&blocked, SIGUSR1) == 0);
	CHECK(umask(0) == 027);

	/* Handlers from before the library was loaded run, and handlers can be set. */
	CHECK(raise(SIGUSR1) == 0 && raise(SIGINT) == 0 && before == 2);
	CHECK(kill(getpid(), SIGURG) == 0 && before == 3);
	CHECK(fault() == SIGSEGV);
	CHECK(broken_pipe() == SIGPIPE);
	handle(SIGPIPE, SIG_IGN);
	CHECK(broken_pipe() == 0);
	handle(SIGUSR1, note_after);
	handle(SIGTERM, note_after);
	search();
	CHECK(raise(SIGUSR1) == 0 && raise(SIGTERM) == 0 && after == 2);
	CHECK(fault() == SIGSEGV);
	handle(SIGSEGV, SIG_DFL); /* the program may take it back */
	handle(SIGSEGV, faults);
	CHECK(fault() == SIGSEGV);
	search();
	handle(SIGINT, SIG_DFL);
	CHECK(dlclose(library) == 0);
	raise(SIGINT); /* ends the process, as by default */
	return 0;
}
