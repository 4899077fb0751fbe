// The whole of a ClickHouse is in libchdb.so, of which the package is made for
// use inside another program. Its command line can listen as the server does:
//
//	server libchdb.so --path … --tcp_port … --query 'SYSTEM START LISTEN TCP; …'
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>

int main(int argc, char **argv) {
	prctl(PR_SET_PDEATHSIG, SIGKILL); // it does not outlive the test
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
