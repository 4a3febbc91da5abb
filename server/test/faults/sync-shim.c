/* While the file that SYNC_FAILS_WHILE names exists, no sync of the store succeeds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int must_fail(int fd) {
  const char *flag = getenv("SYNC_FAILS_WHILE");
  char link[64], path[4096];
  if (flag == NULL || access(flag, F_OK) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return strstr(path, "deputy.db") != NULL;
}

int fsync(int fd) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  if (must_fail(fd)) return errno = EIO, -1;
  return real(fd);
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  if (must_fail(fd)) return errno = EIO, -1;
  return real(fd);
}
