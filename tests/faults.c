/* Makes calls of the operating system fail, or ends the process at one: preloaded before the C library, so that Python,
   Rust, SQLite and DuckDB all go through it. Only files below a folder that is named count, and only once armed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static volatile long count, at = -1;
static int failure, deadly, sticky, reads;
static char watched[4096];

/* The n-th counted call from now on, from 0, fails with `error`, or ends the process where that is 0. `how`: 1 for all
   later ones that take up room too; 2 for reads rather than writes. Without a folder nothing counts any more. */
void faults_arm(long n, int error, int how, const char *folder)
{
    count = 0;
    failure = error;
    deadly = error == 0;
    sticky = how == 1;
    reads = how == 2;
    strncpy(watched, folder, sizeof watched - 1);
    at = n;
}

long faults_counted(void) { return count; }

static int is_watched(const char *path) { return watched[0] && path && strncmp(path, watched, strlen(watched)) == 0; }

static int is_watched_fd(int fd)
{
    char link[64], path[4096];
    if (!watched[0])
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0)
        return 0;
    path[n] = 0;
    return is_watched(path);
}

static int fails(int takes_room)
{
    long n = __sync_fetch_and_add(&count, 1);
    if (at < 0 || n < at || (n > at && !(sticky && takes_room)))
        return 0;
    if (deadly)
        kill(getpid(), SIGKILL);
    errno = failure;
    return 1;
}

#define NEXT(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))
#define WRITES(condition, room) if (!reads && (condition) && fails(room)) return -1
#define READS(condition) if (reads && (condition) && fails(0)) return -1

ssize_t write(int fd, const void *b, size_t n) { WRITES(is_watched_fd(fd), 1); return NEXT(write)(fd, b, n); }
ssize_t pwrite(int fd, const void *b, size_t n, off_t o) { WRITES(is_watched_fd(fd), 1); return NEXT(pwrite)(fd, b, n, o); }
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t o) { WRITES(is_watched_fd(fd), 1); return NEXT(pwrite64)(fd, b, n, o); }
ssize_t writev(int fd, const struct iovec *v, int n) { WRITES(is_watched_fd(fd), 1); return NEXT(writev)(fd, v, n); }
ssize_t copy_file_range(int in, off64_t *i, int out, off64_t *o, size_t n, unsigned f)
{ WRITES(is_watched_fd(out), 1); return NEXT(copy_file_range)(in, i, out, o, n, f); }
int fsync(int fd) { WRITES(is_watched_fd(fd), 1); return NEXT(fsync)(fd); }
int fdatasync(int fd) { WRITES(is_watched_fd(fd), 1); return NEXT(fdatasync)(fd); }
int ftruncate(int fd, off_t n) { WRITES(is_watched_fd(fd), 0); return NEXT(ftruncate)(fd, n); }
int ftruncate64(int fd, off64_t n) { WRITES(is_watched_fd(fd), 0); return NEXT(ftruncate64)(fd, n); }
int rename(const char *a, const char *b) { WRITES(is_watched(b), 1); return NEXT(rename)(a, b); }
int renameat(int d, const char *a, int e, const char *b) { WRITES(is_watched(b), 1); return NEXT(renameat)(d, a, e, b); }
int link(const char *a, const char *b) { WRITES(is_watched(b), 1); return NEXT(link)(a, b); }
int linkat(int d, const char *a, int e, const char *b, int f) { WRITES(is_watched(b), 1); return NEXT(linkat)(d, a, e, b, f); }
int mkdir(const char *a, mode_t m) { WRITES(is_watched(a), 1); return NEXT(mkdir)(a, m); }
int mkdirat(int d, const char *a, mode_t m) { WRITES(is_watched(a), 1); return NEXT(mkdirat)(d, a, m); }
int unlink(const char *a) { WRITES(is_watched(a), 0); return NEXT(unlink)(a); }
int unlinkat(int d, const char *a, int f) { WRITES(is_watched(a), 0); return NEXT(unlinkat)(d, a, f); }
int rmdir(const char *a) { WRITES(is_watched(a), 0); return NEXT(rmdir)(a); }
int chmod(const char *a, mode_t m) { WRITES(is_watched(a), 0); return NEXT(chmod)(a, m); }

ssize_t read(int fd, void *b, size_t n) { READS(is_watched_fd(fd)); return NEXT(read)(fd, b, n); }
ssize_t pread(int fd, void *b, size_t n, off_t o) { READS(is_watched_fd(fd)); return NEXT(pread)(fd, b, n, o); }
ssize_t pread64(int fd, void *b, size_t n, off64_t o) { READS(is_watched_fd(fd)); return NEXT(pread64)(fd, b, n, o); }

static int for_writing(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT); }

#define OPEN(name)                                                     \
    int name(const char *a, int flags, ...)                            \
    {                                                                  \
        va_list l;                                                     \
        va_start(l, flags);                                            \
        mode_t m = va_arg(l, mode_t);                                  \
        va_end(l);                                                     \
        WRITES(is_watched(a) && for_writing(flags), 1);                \
        return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name))(a, flags, m); \
    }
#define OPENAT(name)                                                   \
    int name(int d, const char *a, int flags, ...)                     \
    {                                                                  \
        va_list l;                                                     \
        va_start(l, flags);                                            \
        mode_t m = va_arg(l, mode_t);                                  \
        va_end(l);                                                     \
        WRITES(is_watched(a) && for_writing(flags), 1);                \
        return ((int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, #name))(d, a, flags, m); \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
