/*
 * What errno says, in our codes. A folder that is not there can't be written
 * any more than one that may not be.
 */
#define _XOPEN_SOURCE 700 /* EDQUOT */

#include "base/platform.h"

#include <errno.h>

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
