/* Files that are written from their beginning, or read whole. */
#define _POSIX_C_SOURCE 200809L

#include "base/fail.h"
#include "base/memory.h"
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const char *what, const char *path, seen_error *error) {
  int number = errno;
  int code = number == ENOENT ? SEEN_ENOTFOUND : sn_platform_code(number);

  return sn_platform_fail(code, what, path, number, error);
}

int sn_platform_create(const char *path, sn_stream *stream, seen_error *error) {
  int file;

  do
    file =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  while (file < 0 && errno == EINTR);
  stream->handle = file;
  if (file >= 0) return SEEN_OK;
  stream->handle = SN_NO_STREAM;
  return fail("can't make", path, error);
}

int sn_platform_write(const sn_stream *stream, const void *bytes, size_t size,
                      seen_error *error) {
  const char *at = bytes;

  while (size > 0) {
    ssize_t wrote = write((int)stream->handle, at, size);

    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0)
      return sn_platform_fail(sn_platform_code(errno), "can't write", NULL,
                              errno, error);
    at += wrote;
    size -= (size_t)wrote;
  }
  return SEEN_OK;
}

void sn_platform_close(sn_stream *stream) {
  if (stream->handle != SN_NO_STREAM) close((int)stream->handle);
  stream->handle = SN_NO_STREAM;
}

static int read_all(int file, size_t most, const seen_allocator *memory,
                    uint8_t **bytes, size_t *size) {
  size_t capacity = 0;

  while (*size < most) {
    size_t room = most - *size < 65536 ? most - *size : 65536;
    ssize_t got;

    if (SN_RESERVE(memory, bytes, &capacity, *size + room)) return SEEN_ENOMEM;
    got = read(file, *bytes + *size, room);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SEEN_EIO;
    if (got == 0) break;
    *size += (size_t)got;
  }
  return SEEN_OK;
}

int sn_platform_load(const char *path, size_t most,
                     const seen_allocator *memory, uint8_t **bytes,
                     size_t *size, seen_error *error) {
  int file;
  int status;

  *bytes = NULL;
  *size = 0;
  do
    file = open(path, O_RDONLY | O_CLOEXEC);
  while (file < 0 && errno == EINTR);
  if (file < 0) return fail("can't open", path, error);
  status = read_all(file, most, memory, bytes, size);
  if (status == SEEN_EIO) fail("can't read", path, error);
  if (status == SEEN_ENOMEM) sn_fail_memory(error);
  close(file);
  if (status != SEEN_OK) {
    sn_release(memory, *bytes);
    *bytes = NULL;
  }
  return status;
}
