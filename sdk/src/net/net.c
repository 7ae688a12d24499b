/*
 * The transport's vtable. All of it runs on the thread of the client's loop
 * and does no more than pass on what the two threads are to do.
 */
#include "net/net.h"

#include "base/fail.h"
#include "base/memory.h"
#include "net/connections.h"
#include "net/requests.h"
#include "net/socket.h"

#include <string.h>

static sn_net *net_of(seen_transport *transport) {
  return (sn_net *)transport;
}

static int start_socket(sn_net *net, seen_error *error) {
  return net->socket ? SEEN_OK : sn_socket_start(net, &net->socket, error);
}

static int start_requests(sn_net *net, seen_error *error) {
  return net->requests ? SEEN_OK
                       : sn_requests_start(net, &net->requests, error);
}

static void pass_on(sn_net *net, seen_link link, sn_command *command) {
  if (link == SEEN_LINK_SOCKET)
    sn_socket_command(net->socket, command);
  else
    sn_requests_command(net->requests, command);
}

static int check_dial(sn_net *net, const seen_dial *dial, seen_error *error) {
  if (dial->size != sizeof *dial)
    return sn_fail(error, SEEN_EINVAL, "dial: its size is not set");
  if (dial->link != SEEN_LINK_SOCKET && dial->link != SEEN_LINK_POLL)
    return sn_fail(error, SEEN_EINVAL, "dial: no such link");
  if (dial->token && !sn_site_takes_token(dial->token))
    return sn_fail(error, SEEN_EINVAL, "dial: no token");
  if (sn_connections_find(net, dial->connection))
    return sn_fail(error, SEEN_EINVAL, "dial: connection %u is there already",
                   dial->connection);
  return SEEN_OK;
}

static int give_up_dial(sn_net *net, sn_connection *made, sn_command *command,
                        seen_error *error) {
  sn_connection_free(net, made);
  sn_command_free(net->memory, command);
  return sn_fail_memory(error);
}

static int dial(seen_transport *transport, const seen_dial *dial,
                seen_error *error) {
  sn_net *net = net_of(transport);
  int status = check_dial(net, dial, error);
  sn_connection *made;
  sn_command *command;

  if (status) return status;
  made = sn_connection_new(net, dial);
  command =
      sn_command_new(net->memory, SN_COMMAND_DIAL, dial->connection, NULL, 0);
  if (!made || !command ||
      !sn_command_add(net->memory, command, dial->token, NULL))
    return give_up_dial(net, made, command, error);
  command->timeout_ms = dial->timeout_ms;
  status = dial->link == SEEN_LINK_SOCKET ? start_socket(net, error)
                                          : start_requests(net, error);
  if (status == SEEN_ENOMEM) return give_up_dial(net, made, command, error);
  sn_connections_add(net, made);
  if (status == SEEN_OK) {
    pass_on(net, dial->link, command);
    return SEEN_OK;
  }
  sn_connections_end(net, command->last, SEEN_ENDED_LOST, 0, "no thread");
  command->last = NULL;
  sn_command_free(net->memory, command);
  return status;
}

/* Whether there is a thread that a command about it can go to. */
static bool is_carried(const sn_net *net, const sn_connection *by) {
  if (!by) return false;
  return by->link == SEEN_LINK_SOCKET ? net->socket != NULL
                                      : net->requests != NULL;
}

static int write_frame(seen_transport *transport, uint64_t connection,
                       const char *text, size_t length, seen_error *error) {
  sn_net *net = net_of(transport);
  sn_connection *to = sn_connections_find(net, connection);
  sn_command *command;

  if (length > SEEN_FRAME_MAX)
    return sn_fail(error, SEEN_EINVAL, "write: %u bytes are too many",
                   (uint64_t)length);
  if (!is_carried(net, to)) return SEEN_OK;
  command =
      sn_command_new(net->memory, SN_COMMAND_WRITE, connection, text, length);
  if (!command) return sn_fail_memory(error);
  if (sn_connections_count(net, to, length)) {
    pass_on(net, to->link, command);
    return SEEN_OK;
  }
  sn_command_free(net->memory, command);
  return sn_fail(error, SEEN_EFULL, "write: too much waits already");
}

static void ping(seen_transport *transport, uint64_t connection) {
  sn_net *net = net_of(transport);
  const sn_connection *of = sn_connections_find(net, connection);
  sn_command *command = NULL;

  if (is_carried(net, of))
    command = sn_command_new(net->memory, SN_COMMAND_PING, connection, NULL, 0);
  if (command) pass_on(net, of->link, command);
}

static void hang_up(seen_transport *transport, uint64_t connection,
                    uint32_t code) {
  sn_net *net = net_of(transport);
  sn_connection *of = sn_connections_find(net, connection);
  sn_command *command;

  if (!is_carried(net, of) || !of->closed) return;
  command = of->closed;
  of->closed = NULL;
  command->code = code;
  pass_on(net, of->link, command);
}

static int request(seen_transport *transport, const seen_http_request *asked,
                   seen_error *error) {
  sn_net *net = net_of(transport);
  sn_command *command;
  int status;

  if (asked->size != sizeof *asked || !sn_site_takes_path(asked->path))
    return sn_fail(error, SEEN_EINVAL, "request: no path");
  if (asked->token && !sn_site_takes_token(asked->token))
    return sn_fail(error, SEEN_EINVAL, "request: no token");
  command = sn_command_new(net->memory, SN_COMMAND_REQUEST, asked->request,
                           asked->body, asked->body ? asked->length : 0);
  if (!command ||
      !sn_command_add(net->memory, command, asked->token, asked->path)) {
    sn_command_free(net->memory, command);
    return sn_fail_memory(error);
  }
  command->has_body = asked->body != NULL;
  command->timeout_ms = asked->timeout_ms;
  status = start_requests(net, error);
  if (status == SEEN_OK) {
    sn_requests_command(net->requests, command);
    return SEEN_OK;
  }
  if (status != SEEN_ENOMEM) {
    command->last->said.ended = SEEN_ENDED_LOST;
    sn_arrivals_push(&net->events, command->last);
    command->last = NULL;
  }
  sn_command_free(net->memory, command);
  return status;
}

static void cancel(seen_transport *transport, uint64_t number) {
  sn_net *net = net_of(transport);
  sn_command *command;

  if (!net->requests) return;
  command = sn_command_new(net->memory, SN_COMMAND_CANCEL, number, NULL, 0);
  if (command) sn_requests_command(net->requests, command);
}

static bool next(seen_transport *transport, seen_transport_event *event) {
  sn_net *net = net_of(transport);
  bool drained, any = sn_arrivals_next(&net->events, event, &drained);

  if (drained && net->socket) sn_socket_wake(net->socket);
  if (drained && net->requests) sn_requests_wake(net->requests);
  if (any && event->type == SEEN_TRANSPORT_ENDED)
    sn_connections_remove(net, event->number);
  return any;
}

static void free_net(seen_transport *transport) {
  sn_net *net = transport ? net_of(transport) : NULL;
  const seen_allocator *memory;

  if (!net) return;
  memory = net->memory;
  sn_socket_stop(net->socket);
  sn_requests_stop(net->requests);
  while (net->connections)
    sn_connections_remove(net, net->connections->number);
  if (net->events.lock) sn_arrivals_close(&net->events);
  sn_platform_mutex_free(memory, net->lock);
  sn_site_free(memory, &net->site);
  sn_release(memory, net->ca_file);
  memset(&net->proxy, 0, sizeof net->proxy); /* there is a password in it */
  sn_release(memory, net);
}

static const seen_transport vtable = {sizeof(seen_transport),
                                      dial,
                                      write_frame,
                                      ping,
                                      hang_up,
                                      request,
                                      cancel,
                                      next,
                                      free_net};

static int read_ca_file(sn_net *net, const char *path, seen_error *error) {
  int status;

  if (!path) return SEEN_OK;
  status = sn_trust_check_file(net->memory, path, error);
  if (status) return status;
  net->ca_file = sn_copy_text(net->memory, path, strlen(path));
  return net->ca_file ? SEEN_OK : sn_fail_memory(error);
}

static int read_key(sn_net *net, const char *base64, seen_error *error) {
  if (!base64) return SEEN_OK;
  net->is_pinned = sn_trust_read_key(base64, &net->key);
  return net->is_pinned ? SEEN_OK
                        : sn_fail(error, SEEN_EINVAL,
                                  "pinned_key: no base64 of a SHA-256");
}

static int fill(sn_net *net, const seen_net_options *options,
                seen_error *error) {
  int status;

  net->transport = vtable;
  net->log.hook = options->log;
  net->log.user_data = options->log_user_data;
  net->log.level = options->log_level;
  net->poll_ms = options->poll_ms;
  net->lock = sn_platform_mutex_new(net->memory);
  if (!net->lock || sn_arrivals_open(net->memory, options->wake,
                                     options->user_data, &net->events))
    return sn_fail_memory(error);
  status = sn_site_read(net->memory, options->url, &net->site, error);
  if (!status) status = sn_proxy_read(options->proxy, &net->proxy, error);
  if (!status) status = read_key(net, options->pinned_key, error);
  if (!status) status = read_ca_file(net, options->ca_file, error);
  return status;
}

int seen_net_open(const seen_net_options *options, seen_transport **out,
                  seen_error *error) {
  const seen_allocator *memory;
  sn_net *net;
  int status;

  *out = NULL;
  if (options->size != sizeof *options || !options->url || !options->wake)
    return sn_fail(error, SEEN_EINVAL, "options: size, url and wake are due");
  memory = options->allocator ? options->allocator : seen_allocator_default();
  net = sn_allocate_zero(memory, sizeof *net);
  if (!net) return sn_fail_memory(error);
  net->memory = memory;
  status = fill(net, options, error);
  if (status == SEEN_OK)
    *out = &net->transport;
  else
    free_net(&net->transport);
  return status;
}
