/*
 * The thread of the sockets: it does what it is told, gives the word to
 * libwebsockets, and sees after each turn what has become of each connection.
 */
#include "net/socket.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/connections.h"
#include "net/talk.h"

#include <string.h>

enum {
  PART_BYTES = 16384,  /* of a frame at a time */
  SOCKETS = 64,        /* at once, in its tables */
  NEVER_S = 30 * 86400 /* its own time-outs, which are not used */
};

typedef struct making {
  sn_socket *of;
  struct lws_context *context;
} making;

static void on_route(void *self) {
  sn_socket_wake(self);
}

static void dial(sn_socket *self, sn_command *command) {
  sn_net *net = self->net;
  sn_talk *made = sn_allocate_zero(net->memory, sizeof *made);

  if (!made) {
    sn_connections_end(net, command->last, SEEN_ENDED_LOST, 0, "out of memory");
    command->last = NULL;
    return;
  }
  made->of = self;
  made->number = command->number;
  made->open = command->open;
  made->last = command->last;
  made->token = command->token;
  command->open = command->last = NULL;
  command->token = NULL;
  made->next = self->talks;
  self->talks = made;
  if (command->timeout_ms > 0) sn_talk_alarm(made, command->timeout_ms);
  if (sn_route_begin(&net->site, &net->proxy, on_route, self, &made->route))
    sn_talk_end(made, SEEN_ENDED_LOST, 0, "no memory or no thread");
}

static sn_talk *find(sn_socket *self, uint64_t number) {
  sn_talk *at = self->talks;

  while (at && (at->number != number || !at->last))
    at = at->next;
  return at;
}

/* True: the command is kept. */
static bool keep_frame(sn_talk *self, sn_command *frame) {
  if (self->phase != SN_OPEN || self->is_closing) {
    sn_connections_sent(self->of->net, self->number, frame->length);
    return false;
  }
  frame->next = NULL;
  if (self->first)
    self->end->next = frame;
  else
    self->first = frame;
  self->end = frame;
  lws_callback_on_writable(self->wsi);
  return true;
}

static void close_politely(sn_talk *self, uint32_t code) {
  if (self->is_closing) return;
  self->is_closing = true;
  self->close_code = code;
  if (self->phase == SN_OPEN && self->wsi) {
    lws_callback_on_writable(self->wsi);
    sn_talk_alarm(self, SN_CLOSE_MS);
  } else {
    sn_talk_end(self, SEEN_ENDED_LOCAL, 0, "closed");
    sn_talk_kill(self);
  }
}

static void obey(sn_socket *self, sn_command *command) {
  sn_talk *to = NULL;
  bool kept = false;

  if (command->kind == SN_COMMAND_DIAL)
    dial(self, command);
  else
    to = find(self, command->number);
  if (to && command->kind == SN_COMMAND_WRITE) kept = keep_frame(to, command);
  if (to && command->kind == SN_COMMAND_CLOSE)
    close_politely(to, command->code);
  if (to && command->kind == SN_COMMAND_PING && to->phase == SN_OPEN &&
      to->wsi) {
    to->wants_ping = true;
    lws_callback_on_writable(to->wsi);
  }
  if (!kept) sn_command_free(self->net->memory, command);
}

static const lws_retry_bo_t no_pings;

static void try_address(sn_talk *self, const sn_way *way) {
  const sn_net *net = self->of->net;
  struct lws_client_connect_info info;
  char path[4096];
  sn_text text;

  sn_text_fixed(&text, path, sizeof path);
  sn_text_format(&text, "%s/v1/socket", net->site.path);
  memset(&info, 0, sizeof info);
  info.context = self->of->context;
  info.address = way->addresses[self->address++].text;
  info.port = way->port;
  info.host = net->site.authority;
  info.path = path;
  info.protocol = "seen.v1";
  info.alpn = "http/1.1";
  info.ssl_connection = LCCSCF_HTTP_NO_FOLLOW_REDIRECT;
  if (net->site.tls) info.ssl_connection |= LCCSCF_USE_SSL;
  info.userdata = self;
  info.pwsi = &self->wsi;
  info.retry_and_idle_policy = &no_pings;
  self->phase = SN_CONNECTING;
  self->wsi = lws_client_connect_via_info(&info);
}

/* What no callback may have said. */
static void look_after(sn_talk *self) {
  sn_way *way = self->route ? sn_route_found(self->route) : NULL;

  if (self->wsi || !self->last || (self->phase == SN_ROUTING && !way)) return;
  if (self->phase == SN_OPEN)
    sn_talk_end(self, SEEN_ENDED_LOST, 0, "it broke");
  else if (self->phase > SN_CONNECTING)
    sn_talk_failed(self, NULL);
  else if (way && way->failed)
    sn_talk_end(self, way->failed, way->code,
                way->failed == SEEN_ENDED_PROXY
                    ? "no way through the proxy"
                    : "the server's name is not known");
  else if (way && self->address < way->count)
    try_address(self, way);
  else
    sn_talk_end(self, SEEN_ENDED_CONNECT, 0, "nobody is there");
}

/* True: there is more to do at once. */
static bool sweep(sn_socket *self) {
  sn_talk **link = &self->talks, *at;
  bool again = false;

  while ((at = *link) != NULL) {
    look_after(at);
    if (at->is_stalled && at->wsi && !sn_arrivals_full(&self->net->events)) {
      at->is_stalled = false;
      lws_rx_flow_control(at->wsi, 1);
    }
    again = again || (!at->wsi && at->last && at->phase == SN_CONNECTING);
    if (at->wsi || at->last) {
      link = &at->next;
    } else {
      *link = at->next;
      lws_sul_cancel(&at->alarm);
      sn_talk_free(at);
    }
  }
  return again;
}

static const struct lws_protocols protocols[] = {
    {"seen.v1", sn_talk_event, 0, PART_BYTES, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0}};

/* Which takes SIGPIPE away from the process, so the host's is kept. */
static void make_context(void *argument) {
  making *made = argument;
  const sn_net *net = made->of->net;
  struct lws_context_creation_info info;

  memset(&info, 0, sizeof info);
  info.port = CONTEXT_PORT_NO_LISTEN;
  info.protocols = protocols;
  info.fd_limit_per_thread = SOCKETS;
  info.pt_serv_buf_size = SN_HEADER_BYTES;
  info.max_http_header_data = SN_HEADER_BYTES;
  info.timeout_secs = NEVER_S;
  info.connect_timeout_secs = NEVER_S;
  info.retry_and_idle_policy = &no_pings;
  info.http_proxy_address = "none:0"; /* nor that of the environment */
  info.user = made->of;
  if (net->site.tls) info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
  if (net->site.tls && net->ca_file) {
    info.client_ssl_ca_filepath = net->ca_file;
    info.options |= LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
  }
  made->context = lws_create_context(&info);
}

/* Without a context each connection ends as it is dialled. */
static void refuse_all(sn_socket *self) {
  sn_command *next;

  for (sn_command *at = sn_commands_take(&self->commands); at; at = next) {
    next = at->next;
    if (at->last)
      sn_connections_end(self->net, at->last, SEEN_ENDED_LOST, 0, "no sockets");
    at->last = NULL;
    sn_command_free(self->net->memory, at);
  }
}

static void turn(sn_socket *self) {
  sn_command *next;

  for (sn_command *at = sn_commands_take(&self->commands); at; at = next) {
    next = at->next;
    obey(self, at);
  }
  while (sweep(self)) {
  }
  lws_service(self->context, 0);
}

static void publish(sn_socket *self, struct lws_context *context) {
  sn_platform_mutex_lock(self->commands.lock);
  self->context = context;
  self->is_broken = context == NULL;
  sn_platform_mutex_unlock(self->commands.lock);
}

/* Nothing is told any more. */
static void finish(sn_socket *self) {
  struct lws_context *context = self->context;
  sn_talk *next;

  for (sn_talk *at = self->talks; at; at = at->next) {
    sn_release(self->net->memory, at->last);
    at->last = NULL;
    lws_sul_cancel(&at->alarm);
  }
  publish(self, NULL);
  lws_context_destroy(context);
  for (sn_talk *at = self->talks; at; at = next) {
    next = at->next;
    sn_talk_free(at);
  }
}

static void *run(void *argument) {
  sn_socket *self = argument;
  making made = {self, NULL};

  sn_platform_keep_sigpipe(make_context, &made);
  publish(self, made.context);
  if (!made.context) {
    refuse_all(self);
    return NULL;
  }
  while (!sn_commands_stopped(&self->commands))
    turn(self);
  finish(self);
  return NULL;
}

void sn_socket_wake(sn_socket *self) {
  sn_platform_mutex_lock(self->commands.lock);
  if (self->context) lws_cancel_service(self->context);
  sn_platform_mutex_unlock(self->commands.lock);
}

void sn_socket_command(sn_socket *self, sn_command *command) {
  bool is_broken;

  sn_commands_push(&self->commands, command);
  sn_socket_wake(self);
  sn_platform_mutex_lock(self->commands.lock);
  is_broken = self->is_broken;
  sn_platform_mutex_unlock(self->commands.lock);
  if (is_broken) refuse_all(self);
}

int sn_socket_start(sn_net *net, sn_socket **out, seen_error *error) {
  sn_socket *self = sn_allocate_zero(net->memory, sizeof *self);
  int status = SEEN_ENOMEM;

  *out = NULL;
  if (!self) return sn_fail_memory(error);
  self->net = net;
  if (sn_commands_open(net->memory, &self->commands) == SEEN_OK)
    status = sn_platform_thread(run, self, &self->thread, error);
  else
    sn_fail_memory(error);
  if (status == SEEN_OK) {
    *out = self;
    return SEEN_OK;
  }
  sn_commands_close(&self->commands);
  sn_release(net->memory, self);
  return status;
}

void sn_socket_stop(sn_socket *self) {
  const seen_allocator *memory;

  if (!self) return;
  memory = self->net->memory;
  sn_commands_stop(&self->commands);
  sn_socket_wake(self);
  sn_platform_join(self->thread);
  sn_commands_close(&self->commands);
  sn_release(memory, self->out);
  sn_release(memory, self);
}
