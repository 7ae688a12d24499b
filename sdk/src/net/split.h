/* The items of a JSON array as the texts that they are. */
#ifndef SN_NET_SPLIT_H
#define SN_NET_SPLIT_H

#include <seen/types.h>

typedef struct sn_split {
  const char *text;
  size_t size;
  size_t at;
} sn_split;

/* False: it does not begin as an array. */
bool sn_split_begin(const char *text, size_t size, sn_split *items);

typedef enum sn_split_found {
  SN_SPLIT_BAD = -1,
  SN_SPLIT_NONE,
  SN_SPLIT_ONE
} sn_split_found;

/*
 * The next one, without spaces around it. It says nothing of what is in an
 * item but where it ends; SN_SPLIT_BAD: that is nowhere, or after the array
 * something follows.
 */
sn_split_found sn_split_next(sn_split *items, const char **item,
                             size_t *length);

#endif
