/*
 * Connections. libwebsockets tells of a dial that failed by a callback, by
 * returning NULL, or both: whichever is first counts.
 */
#include "net.h"

#include "memory.h"

#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { WHY_BYTES = 512, FRAME_BYTES = 1 << 20, SPARE_FILES = 64 };

typedef struct outgoing {
  struct outgoing *next;
  enum lws_write_protocol kind;
  size_t length;
  unsigned char bytes[]; /* LWS_PRE of room, then the frame */
} outgoing;

struct wire {
  net *of;
  wire *next;
  struct lws *wsi;
  size_t actor;
  char *token; /* NULL: none */
  outgoing *first, *last;
  char *in; /* a frame that is not whole yet */
  size_t in_length;
  bool is_open, is_closing, is_gone;
};

struct net {
  net_server at;
  net_hooks hooks;
  struct lws_context *context;
  lws_sorted_usec_list_t alarm;
  bool has_rung;
  wire *wires;
  void (*ready)(void *of);
  void *ready_of;
};

/* It rings before libwebsockets waits for sockets: that has to end at once. */
static void on_alarm(lws_sorted_usec_list_t *alarm) {
  net *self = lws_container_of(alarm, net, alarm);

  self->has_rung = true;
  lws_cancel_service(self->context);
}

void net_alarm(net *self, uint64_t in_ns) {
  lws_usec_t us = (lws_usec_t)(in_ns / 1000);

  self->has_rung = false;
  lws_sul_schedule(self->context, 0, &self->alarm, on_alarm, us > 0 ? us : 1);
}

bool net_has_rung(const net *self) {
  return self->has_rung;
}

bool net_turn(net *self) {
  return lws_service(self->context, 0) >= 0;
}

struct lws_context *net_context(net *self) {
  return self->context;
}

static void lose(wire *self, int code, const char *why) {
  if (self->is_gone) return;
  self->is_gone = true;
  self->wsi = NULL;
  if (!self->is_closing)
    self->of->hooks.gone(self->of->hooks.self, self->actor, code, why);
}

static int add_token(const wire *self, struct lws *wsi, unsigned char **at,
                     unsigned char *end) {
  char text[4200];
  int length;

  if (self->token == NULL) return 0;
  length = snprintf(text, sizeof text, "Bearer %s", self->token);
  return lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_AUTHORIZATION,
                                      (unsigned char *)text, length, at, end);
}

static void received(wire *self, struct lws *wsi, const char *part,
                     size_t length) {
  const net_hooks *hooks = &self->of->hooks;
  bool whole =
      lws_is_final_fragment(wsi) && lws_remaining_packet_payload(wsi) == 0;

  if (self->is_closing) return;
  if (whole && self->in_length == 0) {
    hooks->frame(hooks->self, self->actor, part, length);
    return;
  }
  if (self->in_length + length > FRAME_BYTES) {
    hooks->gone(hooks->self, self->actor, 0, "a frame over 1 MiB came");
    return;
  }
  self->in = must_resize(self->in, self->in_length + length, 1);
  memcpy(self->in + self->in_length, part, length);
  self->in_length += length;
  if (!whole) return;
  hooks->frame(hooks->self, self->actor, self->in, self->in_length);
  free(self->in);
  self->in = NULL;
  self->in_length = 0;
}

/* As much as the socket takes; -1 closes it. */
static int writable(wire *self, struct lws *wsi) {
  if (self->is_closing) return -1;
  while (self->first != NULL && !lws_partial_buffered(wsi)) {
    outgoing *frame = self->first;
    int written =
        lws_write(wsi, frame->bytes + LWS_PRE, frame->length, frame->kind);

    self->first = frame->next;
    free(frame);
    if (written < 0) return -1;
  }
  if (self->first != NULL) lws_callback_on_writable(wsi);
  return 0;
}

static void closed_by_server(wire *self, const unsigned char *bytes,
                             size_t length) {
  int code = length >= 2 ? bytes[0] << 8 | bytes[1] : 1005;
  char why[160];

  if (length >= 2)
    snprintf(why, sizeof why, "the server closed with %d %.*s", code,
             (int)(length - 2), bytes + 2);
  else
    snprintf(why, sizeof why, "the server closed");
  lose(self, code, why);
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason,
                    void *user, void *in, size_t length) {
  wire *self = user;
  net *of = lws_context_user(lws_get_context(wsi));

  switch (reason) {
  case LWS_CALLBACK_RAW_RX_FILE: of->ready(of->ready_of); return 0;
  case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
    return add_token(self, wsi, in, *(unsigned char **)in + length);
  case LWS_CALLBACK_CLIENT_ESTABLISHED:
    self->is_open = true;
    lws_callback_on_writable(wsi);
    return 0;
  case LWS_CALLBACK_CLIENT_RECEIVE: received(self, wsi, in, length); return 0;
  case LWS_CALLBACK_CLIENT_WRITEABLE: return writable(self, wsi);
  case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
    closed_by_server(self, in, length);
    return 0;
  case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
    if (self != NULL)
      lose(self, 0, in != NULL ? in : "the connection could not be made");
    return 0;
  case LWS_CALLBACK_CLIENT_CLOSED:
    if (self != NULL) lose(self, 0, "the connection was closed");
    return 0;
  default: return 0;
  }
}

static const struct lws_protocols protocols[] = {
    {"seen.v1", on_event, 0, 65536, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0}};

static const lws_retry_bo_t no_retry;

/*
 * The limit of files is set to what is needed, up or down: libwebsockets sizes
 * its tables by it, and finds a socket in them at once. A smaller number in its
 * option `fd_limit_per_thread` would make it search them.
 */
static bool fit_files(size_t sockets, char *why) {
  struct rlimit files;

  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return true;
  if (files.rlim_max != RLIM_INFINITY && files.rlim_max < sockets) {
    snprintf(why, WHY_BYTES, "%zu files are needed, the system gives %llu",
             sockets, (unsigned long long)files.rlim_max);
    return false;
  }
  files.rlim_cur = sockets;
  setrlimit(RLIMIT_NOFILE, &files);
  return true;
}

net *net_open(const net_server *at, const net_hooks *hooks, size_t sockets,
              char *why) {
  struct lws_context_creation_info given;
  net *self;

  if (!fit_files(sockets + SPARE_FILES, why)) return NULL;
  self = must_allocate(1, sizeof *self);
  self->at = *at;
  self->hooks = *hooks;
  memset(&given, 0, sizeof given);
  given.port = CONTEXT_PORT_NO_LISTEN;
  given.protocols = protocols;
  given.user = self;
  given.retry_and_idle_policy = &no_retry;
  if (at->tls) given.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
  lws_set_log_level(0, NULL);
  self->context = lws_create_context(&given);
  if (self->context != NULL) return self;
  snprintf(why, WHY_BYTES, "libwebsockets can't be started");
  free(self);
  return NULL;
}

bool net_watch(net *self, int file, void (*ready)(void *of), void *of) {
  lws_sock_file_fd_type which;

  memset(&which, 0, sizeof which);
  which.filefd = file;
  self->ready = ready;
  self->ready_of = of;
  return lws_adopt_descriptor_vhost(
             lws_get_vhost_by_name(self->context, "default"),
             LWS_ADOPT_RAW_FILE_DESC, which, "seen.v1", NULL) != NULL;
}

static void wire_free(wire *self) {
  outgoing *next;

  for (outgoing *at = self->first; at != NULL; at = next) {
    next = at->next;
    free(at);
  }
  free(self->token);
  free(self->in);
  free(self);
}

/* Closing them is asked for, so that nobody is told. */
void net_close(net *self) {
  wire *next;

  if (self == NULL) return;
  for (wire *at = self->wires; at != NULL; at = at->next)
    at->is_closing = true;
  lws_context_destroy(self->context);
  for (wire *at = self->wires; at != NULL; at = next) {
    next = at->next;
    wire_free(at);
  }
  free(self);
}

static void dial(wire *self) {
  const net_server *at = &self->of->at;
  struct lws_client_connect_info to;

  memset(&to, 0, sizeof to);
  to.context = self->of->context;
  to.address = at->host;
  to.port = at->port;
  to.path = "/v1/socket";
  to.host = at->host;
  to.protocol = "seen.v1";
  to.userdata = self;
  to.pwsi = &self->wsi;
  to.retry_and_idle_policy = &no_retry;
  if (at->tls) to.ssl_connection = LCCSCF_USE_SSL;
  if (at->insecure)
    to.ssl_connection |=
        LCCSCF_ALLOW_SELFSIGNED | LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK;
  if (lws_client_connect_via_info(&to) == NULL)
    lose(self, 0, "the connection could not be made");
}

wire *net_dial(net *self, size_t actor, const char *token) {
  wire *made = must_allocate(1, sizeof *made);

  made->of = self;
  made->actor = actor;
  if (token != NULL) made->token = must_copy_text(token);
  made->next = self->wires;
  self->wires = made;
  dial(made);
  return made;
}

bool wire_is_open(const wire *self) {
  return self->is_open && !self->is_gone;
}

bool wire_is_gone(const wire *self) {
  return self->is_gone;
}

bool wire_is_idle(const wire *self) {
  return self->first == NULL;
}

static void add(wire *self, const char *text, size_t length, int kind) {
  outgoing *frame;

  if (self->is_gone || self->is_closing) return;
  frame = must_allocate(1, sizeof *frame + LWS_PRE + length);
  frame->kind = (enum lws_write_protocol)kind;
  frame->length = length;
  memcpy(frame->bytes + LWS_PRE, text, length);
  if (self->first == NULL)
    self->first = frame;
  else
    self->last->next = frame;
  self->last = frame;
  if (self->is_open) lws_callback_on_writable(self->wsi);
}

void wire_say_part(wire *self, const char *text, size_t length, bool is_first,
                   bool is_last) {
  int kind = is_first ? LWS_WRITE_TEXT : LWS_WRITE_CONTINUATION;

  add(self, text, length, is_last ? kind : kind | LWS_WRITE_NO_FIN);
}

void wire_say(wire *self, const char *text, size_t length) {
  add(self, text, length, LWS_WRITE_TEXT);
}

void wire_close(wire *self) {
  self->is_closing = true;
  if (self->is_open && !self->is_gone) lws_callback_on_writable(self->wsi);
}

void wire_cut(wire *self) {
  self->is_closing = true;
  if (!self->is_gone && self->wsi != NULL)
    lws_set_timeout(self->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
}
