package worker

/*
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel's numbers of these calls are the same on all architectures. Its
// headers may be older than the kernel that the program runs on.
enum { landlock_create_ruleset = 444, landlock_add_rule = 445, landlock_restrict_self = 446 };

struct ruleset { uint64_t fs, net, scoped; };
struct path_beneath { uint64_t allowed; int32_t parent; } __attribute__((packed));

// may_read permits reading the files below a path, if it exists.
static void may_read(int rules, const char *path)
{
	struct path_beneath rule = {.allowed = 1 << 2, .parent = open(path, O_RDONLY | O_CLOEXEC)};
	if (rule.parent < 0)
		return;
	syscall(landlock_add_rule, rules, 1, &rule, 0);
	close(rule.parent);
}

// may_open_given permits opening the files that the process was given again, for reading. Files in memory need no permission and get none.
static void may_open_given(int rules)
{
	for (int file = 3; fcntl(file, F_GETFD) >= 0; file++) {
		if (file == rules)
			continue;
		struct path_beneath rule = {.allowed = 1 << 2, .parent = file};
		syscall(landlock_add_rule, rules, 1, &rule, 0);
	}
}

static int no_new_privs, landlock;

// is_worker looks at the process's command line. Only glibc passes arguments to a constructor.
static int is_worker(void)
{
	static const char command[] = "query-worker";
	char line[4096 + sizeof command]; // the program's path, at most PATH_MAX long with its zero, and the argument
	int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	ssize_t n = read(file, line, sizeof line);
	close(file);
	char *end = n > 0 ? memchr(line, 0, n) : NULL;
	return end && line + n - (end + 1) >= (ssize_t)sizeof command && memcmp(end + 1, command, sizeof command) == 0;
}

// A constructor runs before Go does, so the process has one thread, which all others descend from. Landlock applies to a thread and its
// descendants; once Go runs it would have to be applied to each thread.
__attribute__((constructor)) static void close_files(void)
{
	if (!is_worker())
		return;

	// Make the process the first to be killed when the machine runs out of memory.
	int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (score >= 0) {
		(void)!write(score, "1000", 4);
		close(score);
	}

	no_new_privs = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;

	long abi = syscall(landlock_create_ruleset, NULL, 0, 1);
	if (abi < 1)
		return;
	// Every right of this version is handled, and thus forbidden.
	struct ruleset all = {.fs = (1ull << 13) - 1};
	size_t size = sizeof all.fs;
	if (abi >= 2)
		all.fs |= 1ull << 13; // moving files to other directories
	if (abi >= 3)
		all.fs |= 1ull << 14; // truncating
	if (abi >= 4) {
		all.net = 3; // TCP: bind, connect
		size += sizeof all.net;
	}
	if (abi >= 5)
		all.fs |= 1ull << 15; // ioctl of devices
	if (abi >= 6) {
		all.scoped = 3; // abstract sockets and signals of other processes
		size += sizeof all.scoped;
	}
	int rules = syscall(landlock_create_ruleset, &all, size, 0);
	if (rules < 0)
		return;
	// Go and the engine read the limits of this process from these files. The engine fails if the first exists and cannot be read.
	may_read(rules, "/proc/self/cgroup");
	may_read(rules, "/sys/fs/cgroup");
	may_open_given(rules);
	landlock = syscall(landlock_restrict_self, rules, 0) == 0;
	close(rules);
}

static int has_no_new_privs(void) { return no_new_privs; }
static int has_landlock(void) { return landlock; }
*/
import "C"

// begun returns the layers that were applied before Go began: see close_files, which recognizes a worker by [Command].
func begun() (noNewPrivs, landlock bool) {
	return C.has_no_new_privs() != 0, C.has_landlock() != 0
}
