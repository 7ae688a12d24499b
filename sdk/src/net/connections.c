/* What waits on each is under the lock: the threads of the transport count it
 * down. */
#include "net/connections.h"

#include "base/memory.h"

#include <string.h>

#define BACKLOG_BYTES ((size_t)4 << 20)

sn_connection *sn_connections_find(const sn_net *net, uint64_t number) {
  sn_connection *at = net->connections;

  while (at && at->number != number)
    at = at->next;
  return at;
}

void sn_connections_sent(sn_net *net, uint64_t connection, size_t bytes) {
  sn_connection *from;

  sn_platform_mutex_lock(net->lock);
  from = sn_connections_find(net, connection);
  if (from) from->waiting -= bytes;
  sn_platform_mutex_unlock(net->lock);
}

void sn_connections_end(sn_net *net, sn_arrival *last, seen_ended why,
                        uint32_t code, const char *words) {
  sn_log_write(&net->log, SEEN_LOG_INFO,
               "connection %u ended: %s (reason %u, code %u)",
               last->said.number, words, (uint64_t)why, (uint64_t)code);
  last->said.ended = why;
  last->said.code = code;
  sn_arrival_write(last, words, strlen(words));
  sn_arrivals_push(&net->events, last);
}

void sn_connections_add(sn_net *net, sn_connection *made) {
  sn_platform_mutex_lock(net->lock);
  made->next = net->connections;
  net->connections = made;
  sn_platform_mutex_unlock(net->lock);
}

void sn_connection_free(const sn_net *net, sn_connection *old) {
  if (!old) return;
  sn_command_free(net->memory, old->closed);
  sn_release(net->memory, old);
}

sn_connection *sn_connection_new(const sn_net *net, const seen_dial *dial) {
  sn_connection *made = sn_allocate_zero(net->memory, sizeof *made);

  if (!made) return NULL;
  made->number = dial->connection;
  made->link = dial->link;
  made->closed =
      sn_command_new(net->memory, SN_COMMAND_CLOSE, dial->connection, NULL, 0);
  if (made->closed) return made;
  sn_connection_free(net, made);
  return NULL;
}

void sn_connections_remove(sn_net *net, uint64_t number) {
  sn_connection **link = &net->connections, *found;

  sn_platform_mutex_lock(net->lock);
  while (*link && (*link)->number != number)
    link = &(*link)->next;
  found = *link;
  if (found) *link = found->next;
  sn_platform_mutex_unlock(net->lock);
  sn_connection_free(net, found);
}

bool sn_connections_count(sn_net *net, sn_connection *to, size_t bytes) {
  bool fits;

  sn_platform_mutex_lock(net->lock);
  fits = bytes <= BACKLOG_BYTES - to->waiting;
  if (fits) to->waiting += bytes;
  sn_platform_mutex_unlock(net->lock);
  return fits;
}
