/*
 * A store that lets go of a lock while the one behind it works: whoever needs
 * the lock meanwhile does not wait for the disk.
 */
#ifndef SN_CLIENT_YIELDING_H
#define SN_CLIENT_YIELDING_H

#include <seen/sys/store.h>

#include "base/platform.h"

typedef struct sn_yielding {
  seen_store store;  /* first */
  seen_store *inner; /* stays the caller's */
  sn_mutex *lock;    /* held by whoever calls */
} sn_yielding;

/* close() of it does nothing. */
void sn_yielding_init(sn_yielding *yielding, seen_store *inner, sn_mutex *lock);

#endif
