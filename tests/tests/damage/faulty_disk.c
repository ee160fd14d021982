/* Fails system calls on files on demand, preloaded into a process under test (LD_PRELOAD).
 *
 * While the file named by KIMBERLY_TEST_FAULTS exists, it defines the failing calls: "sync NAME", "read NAME", or "read NAME N" from
 * page N on, for files whose path ends with NAME; a trailing "once" removes the file at the first failure. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define PAGE 4096

static int ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Whether a call of this kind on this file, from this offset on, fails now. */
static int fails(const char *kind, int fd, off_t offset) {
    const char *path_of_faults = getenv("KIMBERLY_TEST_FAULTS");
    FILE *file = path_of_faults ? fopen(path_of_faults, "r") : NULL;
    if (!file) return 0;
    char what[16] = "", name[64] = "", more[16] = "", link[64], path[4096];
    int saved = errno, known = fscanf(file, "%15s %63s %15s", what, name, more);
    fclose(file);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = known < 2 ? -1 : readlink(link, path, sizeof path - 1);
    errno = saved;
    if (length < 0) return 0;
    path[length] = 0;
    if (strcmp(what, kind) != 0 || !ends_with(path, name) || offset < (off_t)atoi(more) * PAGE) return 0;
    if (strcmp(more, "once") == 0) unlink(path_of_faults);
    errno = EIO;
    return 1;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

int fsync(int fd) {
    REAL(fsync);
    return fails("sync", fd, 0) ? -1 : real(fd);
}

int fdatasync(int fd) {
    REAL(fdatasync);
    return fails("sync", fd, 0) ? -1 : real(fd);
}

ssize_t read(int fd, void *to, size_t bytes) {
    REAL(read);
    return fails("read", fd, lseek(fd, 0, SEEK_CUR)) ? -1 : real(fd, to, bytes);
}

ssize_t pread(int fd, void *to, size_t bytes, off_t offset) {
    REAL(pread);
    return fails("read", fd, offset) ? -1 : real(fd, to, bytes, offset);
}

ssize_t pread64(int fd, void *to, size_t bytes, off64_t offset) {
    REAL(pread64);
    return fails("read", fd, offset) ? -1 : real(fd, to, bytes, offset);
}
