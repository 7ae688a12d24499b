/*
 * What errno says, in our codes. A folder that is not there can't be written
 * any more than one that may not be.
 */
#define _XOPEN_SOURCE 700 /* EDQUOT, strerror_r */

#include "base/fail.h"
#include "base/platform.h"

#include <errno.h>
#include <string.h>

int sn_platform_code(int number) {
  switch (number) {
  case ENOSPC:
  case EDQUOT: return SEEN_EFULL;
  case EACCES:
  case EPERM:
  case EROFS:
  case ENOENT:
  case ENOTDIR:
  case EISDIR: return SEEN_EREADONLY;
  case ENOMEM: return SEEN_ENOMEM;
  default: return SEEN_EIO;
  }
}

int sn_platform_fail(int code, const char *what, const char *path, int number,
                     seen_error *error) {
  char words[128] = "";
  if (strerror_r(number, words, sizeof words)) words[0] = '\0';
  return sn_fail(error, code, "%s%s%s: %s", what, path ? " " : "",
                 path ? path : "", words[0] ? words : "unknown error");
}
