/*
 * The way to a server: its addresses, or a tunnel through a proxy. Looking up
 * a name blocks, so a thread of its own does it that nobody waits for.
 */
#ifndef SN_NET_ROUTE_H
#define SN_NET_ROUTE_H

#include "base/platform.h"
#include "net/site.h"

#include <seen/sys/transport.h>

typedef struct sn_route sn_route;

/* What was found; valid when it is done, until it is left. */
typedef struct sn_way {
  seen_ended failed; /* 0: found */
  uint32_t code;     /* PROXY: what it answered */
  uint16_t port;     /* of the addresses */
  size_t count;
  sn_address addresses[SN_ADDRESSES];
  sn_tcp tunnel; /* SN_NO_TCP: none; whoever takes it says so here */
} sn_way;

/*
 * Begins to look. `done` is called from another thread when it is done,
 * unless it is at once. SEEN_ENOMEM, SEEN_EIO: no thread.
 */
int sn_route_begin(const sn_site *site, const sn_proxy *proxy,
                   void (*done)(void *argument), void *argument,
                   sn_route **out);

/* NULL: not yet. */
sn_way *sn_route_found(sn_route *route);

/* Gives it up, or back; `done` is not called any more. */
void sn_route_leave(sn_route *route);

#endif
