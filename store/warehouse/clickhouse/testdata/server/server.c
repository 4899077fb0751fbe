// The whole of a ClickHouse is in libchdb.so, of which the package is made for
// use inside another program. Its command line can listen as the server does:
//
//	server libchdb.so --interactive --path … --tcp_port … --query 'SYSTEM START LISTEN TCP'
//
// It then waits at its prompt. Whoever sits there has to be a terminal: for any
// other, one client that breaks its connection off ends the program
// (ClickHouse issue 115666).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv) {
	prctl(PR_SET_PDEATHSIG, SIGKILL); // it does not outlive the test
	int terminal = posix_openpt(O_RDWR | O_NOCTTY);
	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal) || dup2(open(ptsname(terminal), O_RDWR | O_NOCTTY), STDIN_FILENO) < 0) {
		perror("terminal");
		return 1;
	}
	void *library = argc < 2 ? NULL : dlopen(argv[1], RTLD_NOW);
	void *(*run)(int, char **) = library ? (void *(*)(int, char **))dlsym(library, "chdb_query_cmdline") : NULL;
	if (!run) {
		fprintf(stderr, "%s\n", argc < 2 ? "no library is named" : dlerror());
		return 1;
	}
	argv[1] = "clickhouse";
	run(argc - 1, argv + 1);
	return 0;
}
