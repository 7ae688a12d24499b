/*
 * How a function fails: `return sn_fail(error, SEEN_EINVAL, "…", …);` writes
 * the detail, where the caller wants it, and returns the code. The format is
 * that of sn_text_format().
 */
#ifndef SN_BASE_FAIL_H
#define SN_BASE_FAIL_H

#include <seen/error.h>

int sn_fail(seen_error *error, int code, const char *format, ...);

/* SEEN_ENOMEM in its own words. */
int sn_fail_memory(seen_error *error);

#endif
