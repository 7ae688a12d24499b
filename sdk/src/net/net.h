/*
 * The transport that ships, as its threads see it: what it was made with,
 * where events go, and what waits to be sent on each connection.
 */
#ifndef SN_NET_NET_H
#define SN_NET_NET_H

#include "base/log.h"
#include "net/arrivals.h"
#include "net/site.h"
#include "net/trust.h"

typedef struct sn_connection sn_connection;
typedef struct sn_socket sn_socket;
typedef struct sn_requests sn_requests;

typedef struct sn_net {
  seen_transport transport; /* first: it is what the host holds */
  const seen_allocator *memory;
  sn_log log;
  sn_site site;
  sn_proxy proxy;
  char *ca_file; /* NULL: the system's */
  bool is_pinned;
  sn_key key; /* the one that is pinned */
  uint32_t poll_ms;
  sn_arrivals events;
  sn_mutex *lock;             /* of what waits on each connection */
  sn_connection *connections; /* those whose end was not pulled */
  sn_socket *socket;          /* NULL until the first dial */
  sn_requests *requests;      /* NULL until the first request */
} sn_net;

#endif
