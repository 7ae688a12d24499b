/* What of UTF-8 must be known: whether bytes are it, and where to cut them. */
#ifndef SN_BASE_UTF8_H
#define SN_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* No overlong form, no surrogate, nothing above U+10FFFF. */
bool sn_utf8_valid(const char *bytes, size_t size);

/* The longest beginning of at most `most` bytes that splits no character;
 * `bytes` has more than `most`. */
size_t sn_utf8_cut(const char *bytes, size_t most);

#endif
