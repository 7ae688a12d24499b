/* Clients by libwebsockets. What came waits in an array until it is taken. */
#include "peer.h"

#include <libwebsockets.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_BYTES = 1 << 20, DIAL_MS = 30000 };

struct peer {
  net *of;
  peer *next;
  struct lws *wsi;
  char name[64];
  char *token;
  bool is_open, is_gone, wants_close;
  int code;
  unsigned char *out; /* what is to be sent, with room before it */
  size_t out_length, out_sent;
  int parts, part;
  char *in; /* a frame that is not whole yet */
  size_t in_length;
  cJSON **frames;
  size_t count;
};

struct net {
  const options *how;
  struct lws_context *context;
  peer *peers;
  lws_sorted_usec_list_t alarm;
  bool rang;
};

/* It rings before libwebsockets waits for sockets: that has to end at once. */
static void on_alarm(lws_sorted_usec_list_t *alarm) {
  net *self = lws_container_of(alarm, net, alarm);

  self->rang = true;
  lws_cancel_service(self->context);
}

static void start_clock(net *self, int ms) {
  self->rang = false;
  lws_sul_schedule(self->context, 0, &self->alarm, on_alarm,
                   ms > 0 ? (lws_usec_t)ms * LWS_US_PER_MS : 1);
}

static void turn(net *self) {
  lws_service(self->context, 0);
}

void net_wait(net *self, int ms) {
  start_clock(self, ms);
  while (!self->rang)
    turn(self);
}

static int add_token(const peer *self, struct lws *wsi, unsigned char **at,
                     unsigned char *end) {
  char text[4200];
  int length;

  if (self->token == NULL) return 0;
  length = snprintf(text, sizeof text, "Bearer %s", self->token);
  return lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_AUTHORIZATION,
                                      (unsigned char *)text, length, at, end);
}

static void keep(peer *self) {
  cJSON *frame = cJSON_ParseWithLength(self->in, self->in_length);
  cJSON **more;

  self->in_length = 0;
  if (frame == NULL) return;
  more = realloc(self->frames, (self->count + 1) * sizeof *more);
  if (more == NULL) abort();
  self->frames = more;
  self->frames[self->count++] = frame;
}

static void received(peer *self, const void *part, size_t length) {
  if (self->in == NULL) self->in = malloc(FRAME_BYTES);
  if (self->in == NULL || self->in_length + length > FRAME_BYTES) return;
  memcpy(self->in + self->in_length, part, length);
  self->in_length += length;
  if (lws_is_final_fragment(self->wsi) &&
      lws_remaining_packet_payload(self->wsi) == 0)
    keep(self);
}

/* The next fragment of what is to be sent. */
static int write_part(peer *self) {
  size_t left = self->out_length - self->out_sent, length;
  int kind = self->part == 0 ? LWS_WRITE_TEXT : LWS_WRITE_CONTINUATION;
  bool last = self->part + 1 == self->parts;
  unsigned char *text;
  int written;

  length = last ? left : self->out_length / (size_t)self->parts;
  text = malloc(LWS_PRE + length);
  if (text == NULL) return -1;
  memcpy(text + LWS_PRE, self->out + self->out_sent, length);
  if (!last) kind |= LWS_WRITE_NO_FIN;
  written = lws_write(self->wsi, text + LWS_PRE, length,
                      (enum lws_write_protocol)kind);
  free(text);
  self->out_sent += length;
  self->part++;
  if (written >= 0 && !last) lws_callback_on_writable(self->wsi);
  return written < 0 ? -1 : 0;
}

static int writable(peer *self) {
  if (self->part < self->parts) return write_part(self);
  return self->wants_close ? -1 : 0;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason,
                    void *user, void *in, size_t length) {
  peer *self = user;
  const unsigned char *bytes = in;

  switch (reason) {
  case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
    return add_token(self, wsi, in, *(unsigned char **)in + length);
  case LWS_CALLBACK_CLIENT_ESTABLISHED: self->is_open = true; return 0;
  case LWS_CALLBACK_CLIENT_RECEIVE: received(self, in, length); return 0;
  case LWS_CALLBACK_CLIENT_WRITEABLE: return writable(self);
  case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
    self->code = length >= 2 ? bytes[0] << 8 | bytes[1] : 1005;
    return 0;
  case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
  case LWS_CALLBACK_CLIENT_CLOSED:
    if (self != NULL) self->is_gone = true;
    return 0;
  default: return 0;
  }
}

static const struct lws_protocols protocols[] = {
    {"seen.v1", on_event, 0, 65536, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0}};

static const lws_retry_bo_t no_retry;

net *net_open(const options *how) {
  struct lws_context_creation_info info;
  net *self = calloc(1, sizeof *self);

  if (self == NULL) return NULL;
  memset(&info, 0, sizeof info);
  info.port = CONTEXT_PORT_NO_LISTEN;
  info.protocols = protocols;
  info.user = self;
  info.retry_and_idle_policy = &no_retry;
  if (how->tls) info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
  lws_set_log_level(0, NULL);
  self->how = how;
  self->context = lws_create_context(&info);
  if (self->context != NULL) return self;
  free(self);
  return NULL;
}

static void peer_free(peer *self) {
  peer_drop(self);
  free(self->frames);
  free(self->token);
  free(self->out);
  free(self->in);
  free(self);
}

void net_close(net *self) {
  peer *next;

  if (self == NULL) return;
  for (peer *at = self->peers; at != NULL; at = next) {
    next = at->next;
    peer_close(at);
  }
  lws_context_destroy(self->context);
  free(self);
}

static void dial(peer *self) {
  const options *how = self->of->how;
  struct lws_client_connect_info info;

  memset(&info, 0, sizeof info);
  info.context = self->of->context;
  info.address = how->host;
  info.port = how->port;
  info.path = "/v1/socket";
  info.host = how->host;
  info.protocol = "seen.v1";
  info.userdata = self;
  info.pwsi = &self->wsi;
  info.retry_and_idle_policy = &no_retry;
  if (how->tls) info.ssl_connection = LCCSCF_USE_SSL;
  if (how->insecure)
    info.ssl_connection |=
        LCCSCF_ALLOW_SELFSIGNED | LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK;
  if (lws_client_connect_via_info(&info) == NULL) self->is_gone = true;
}

peer *peer_open(net *of, const char *name, const char *token) {
  peer *self = calloc(1, sizeof *self);

  if (self == NULL) abort();
  self->of = of;
  self->next = of->peers;
  of->peers = self;
  snprintf(self->name, sizeof self->name, "%s", name);
  if (token != NULL) {
    self->token = malloc(strlen(token) + 1);
    if (self->token == NULL) abort();
    strcpy(self->token, token);
  }
  dial(self);
  start_clock(of, DIAL_MS);
  while (!self->is_open && !self->is_gone && !of->rang)
    turn(of);
  return self;
}

void peer_close(peer *self) {
  peer **link = &self->of->peers;

  self->wants_close = true;
  if (!self->is_gone && self->is_open) lws_callback_on_writable(self->wsi);
  start_clock(self->of, 1000);
  while (!self->is_gone && !self->of->rang)
    turn(self->of);
  if (!self->is_gone) {
    lws_set_timeout(self->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
  }
  while (*link != self)
    link = &(*link)->next;
  *link = self->next;
  peer_free(self);
}

bool peer_is_open(const peer *self) {
  return self->is_open && !self->is_gone;
}

const char *peer_name(const peer *self) {
  return self->name;
}

bool peer_send(peer *self, const void *text, size_t length, int parts) {
  unsigned char *copy;

  if (self->is_gone || !self->is_open) return false;
  copy = realloc(self->out, length + 1);
  if (copy == NULL) abort();
  memcpy(copy, text, length);
  self->out = copy;
  self->out_length = length;
  self->out_sent = 0;
  self->parts = parts;
  self->part = 0;
  lws_callback_on_writable(self->wsi);
  start_clock(self->of, 3000);
  while (self->part < self->parts && !self->is_gone && !self->of->rang)
    turn(self->of);
  return self->part == self->parts;
}

/* Where the first frame that fits stands; `count`: none came in time. */
static size_t find(peer *self, peer_fits fits, const void *wanted, int ms) {
  size_t seen = 0;

  start_clock(self->of, ms);
  for (;;) {
    for (; seen < self->count; seen++)
      if (fits(self->frames[seen], wanted)) return seen;
    if (self->is_gone || self->of->rang) return self->count;
    turn(self->of);
  }
}

bool peer_has(peer *self, peer_fits fits, const void *wanted, int ms) {
  return find(self, fits, wanted, ms) < self->count;
}

cJSON *peer_take(peer *self, peer_fits fits, const void *wanted, int ms) {
  size_t at = find(self, fits, wanted, ms);
  cJSON *found;

  if (at == self->count) return NULL;
  found = self->frames[at];
  memmove(self->frames + at, self->frames + at + 1,
          (self->count - at - 1) * sizeof *self->frames);
  self->count--;
  return found;
}

void peer_drop(peer *self) {
  for (size_t i = 0; i < self->count; i++)
    cJSON_Delete(self->frames[i]);
  self->count = 0;
}

int peer_code(peer *self, int ms) {
  start_clock(self->of, ms);
  while (!self->is_gone && !self->of->rang)
    turn(self->of);
  return self->code;
}
