/*
 * The connections of a transport, each until its end was pulled: how much
 * waits to be sent on it, and how its end is told.
 */
#ifndef SN_NET_CONNECTIONS_H
#define SN_NET_CONNECTIONS_H

#include "net/commands.h"
#include "net/net.h"

struct sn_connection {
  sn_connection *next;
  uint64_t number;
  seen_link link;
  size_t waiting;     /* bytes that were written and not sent */
  sn_command *closed; /* made with it, so that it can always be closed */
};

/* In no list yet; NULL: no memory. */
sn_connection *sn_connection_new(const sn_net *net, const seen_dial *dial);
void sn_connection_free(const sn_net *net, sn_connection *old);

/* On the thread of the loop: NULL, where there is none of that number. */
sn_connection *sn_connections_find(const sn_net *net, uint64_t number);
void sn_connections_add(sn_net *net, sn_connection *made);
void sn_connections_remove(sn_net *net, uint64_t number);

/* So many bytes more wait on it; false, and nothing: that would be too much. */
bool sn_connections_count(sn_net *net, sn_connection *to, size_t bytes);

/* So many bytes of that connection do not wait any longer; any thread. */
void sn_connections_sent(sn_net *net, uint64_t connection, size_t bytes);

/* Tells an end, takes its event, and notes it in the log; any thread. */
void sn_connections_end(sn_net *net, sn_arrival *last, seen_ended why,
                        uint32_t code, const char *words);

#endif
