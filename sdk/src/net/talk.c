/* From the first byte of a connection to the last word about it. */
#include "net/talk.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "net/connections.h"

#include <string.h>

enum { KEY_BYTES = 8192 /* of a public key */ };

static const seen_allocator *memory_of(const sn_talk *self) {
  return self->of->net->memory;
}

static void drop_frames(sn_talk *self) {
  sn_command *next;

  for (sn_command *at = self->first; at; at = next) {
    next = at->next;
    sn_connections_sent(self->of->net, self->number, at->length);
    sn_command_free(memory_of(self), at);
  }
  self->first = self->end = NULL;
}

void sn_talk_end(sn_talk *self, seen_ended why, uint32_t code,
                 const char *words) {
  sn_arrival *last = self->last;

  if (!last) return;
  self->last = NULL;
  drop_frames(self);
  sn_route_leave(self->route);
  self->route = NULL;
  sn_connections_end(self->of->net, last, why, code, words);
}

/* One that is open is shut below libwebsockets, which would wait for what it
 * has not sent yet. */
void sn_talk_kill(sn_talk *self) {
  if (self->wsi && self->phase < SN_OPEN)
    lws_set_timeout(self->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
  if (self->wsi) sn_platform_tcp_shut(lws_get_socket_fd(self->wsi));
}

static void on_alarm(lws_sorted_usec_list_t *alarm) {
  sn_talk *self = lws_container_of(alarm, sn_talk, alarm);

  if (self->is_closing)
    sn_talk_end(self, SEEN_ENDED_LOCAL, 0, "closed");
  else
    sn_talk_end(self, SEEN_ENDED_TIMEOUT, 0, "not open in time");
  sn_talk_kill(self);
}

void sn_talk_alarm(sn_talk *self, uint32_t ms) {
  lws_sul_schedule(self->of->context, 0, &self->alarm, on_alarm,
                   (lws_usec_t)ms * LWS_US_PER_MS);
}

/* What is sent before the upgrade, and only to the server that is meant. */

static bool is_pinned_server(const sn_talk *self, struct lws *wsi) {
  const sn_net *net = self->of->net;
  union {
    union lws_tls_cert_info_results results;
    char room[KEY_BYTES];
  } info;

  if (!net->is_pinned) return true;
  return !lws_tls_peer_cert_info(
             wsi, LWS_TLS_CERT_INFO_OPAQUE_PUBLIC_KEY, &info.results,
             sizeof info - sizeof info.results + sizeof info.results.ns.name) &&
         sn_trust_is_key(&net->key, info.results.ns.name,
                         (size_t)info.results.ns.len);
}

static int add_headers(sn_talk *self, struct lws *wsi, unsigned char **at,
                       unsigned char *limit) {
  static const char bearer[] = "Bearer ";
  char text[SN_HEADER_BYTES];
  size_t length;

  if (self->of->net->site.tls && !is_pinned_server(self, wsi)) {
    self->is_distrusted = true;
    return -1;
  }
  self->phase = SN_UPGRADING;
  if (!self->token) return 0;
  length = strlen(self->token);
  memcpy(text, bearer, sizeof bearer - 1);
  memcpy(text + sizeof bearer - 1, self->token, length);
  return lws_add_http_header_by_token(
      wsi, WSI_TOKEN_HTTP_AUTHORIZATION, (unsigned char *)text,
      (int)(sizeof bearer - 1 + length), at, limit);
}

/* A tunnel takes the place of the connection to the proxy that was made. */
static void connected(sn_talk *self, struct lws *wsi) {
  sn_way *way = self->route ? sn_route_found(self->route) : NULL;

  self->phase = self->of->net->site.tls ? SN_SECURING : SN_UPGRADING;
  if (!way || way->tunnel == SN_NO_TCP) return;
  if (!sn_platform_tcp_move(way->tunnel, lws_get_socket_fd(wsi)))
    sn_platform_tcp_shut(lws_get_socket_fd(wsi));
  way->tunnel = SN_NO_TCP;
}

static void upgraded(sn_talk *self) {
  lws_sul_cancel(&self->alarm);
  self->phase = SN_OPEN;
  sn_route_leave(self->route);
  self->route = NULL;
  if (self->last && self->open) {
    sn_arrivals_push(&self->of->net->events, self->open);
    self->open = NULL;
  }
}

/* Seconds, as everybody writes it; a date is left to the back-off. */
static uint64_t retry_after(struct lws *wsi) {
  char text[12];
  uint64_t seconds = 0;

  if (lws_hdr_copy(wsi, text, sizeof text, WSI_TOKEN_HTTP_RETRY_AFTER) <= 0)
    return 0;
  for (const char *at = text; *at; at++) {
    if (*at < '0' || *at > '9') return 0;
    seconds = seconds * 10 + (uint64_t)(*at - '0');
  }
  return seconds * 1000;
}

static void answered(sn_talk *self, struct lws *wsi) {
  self->status = lws_http_client_http_response(wsi);
  if (self->last) self->last->said.retry_ms = retry_after(wsi);
}

void sn_talk_failed(sn_talk *self, const char *words) {
  bool is_no_http =
      words && (!strncmp(words, "HS:", 3) || !strncmp(words, "problems", 8));

  if (self->is_distrusted)
    sn_talk_end(self, SEEN_ENDED_TLS, 0,
                "the certificate is not to be trusted");
  else if (self->status != 0 && self->status != 101)
    sn_talk_end(self, SEEN_ENDED_HTTP, self->status, "no upgrade");
  else if (self->status == 101 || is_no_http)
    sn_talk_end(self, SEEN_ENDED_PROTOCOL, 0, "no WebSocket");
  else
    sn_talk_end(self, SEEN_ENDED_LOST, 0, "it broke before it was open");
}

/* Ends it for what came; its socket follows when it can be written to. */
static void refuse(sn_talk *self, seen_ended why, uint32_t code,
                   const char *words) {
  self->is_closing = true;
  self->close_code = code;
  self->in_length = 0;
  sn_talk_alarm(self, SN_CLOSE_MS);
  sn_talk_end(self, why, 0, words);
  lws_callback_on_writable(self->wsi);
}

static void take_frame(sn_talk *self) {
  sn_net *net = self->of->net;
  sn_arrival *arrival;

  if (!sn_utf8_valid(self->in, self->in_length)) {
    refuse(self, SEEN_ENDED_PROTOCOL, 1007, "a frame that is no UTF-8");
    return;
  }
  arrival = sn_arrival_new(net->memory, SEEN_TRANSPORT_FRAME, self->number,
                           self->in_length);
  if (!arrival) {
    refuse(self, SEEN_ENDED_LOST, 1011, "out of memory");
    return;
  }
  sn_arrival_write(arrival, self->in, self->in_length);
  self->in_length = 0;
  sn_arrivals_push(&net->events, arrival);
  if (sn_arrivals_full(&net->events)) {
    self->is_stalled = true;
    lws_rx_flow_control(self->wsi, 0);
  }
}

static void received(sn_talk *self, const void *part, size_t length) {
  if (!self->last || self->is_closing) return;
  if (lws_frame_is_binary(self->wsi)) {
    refuse(self, SEEN_ENDED_PROTOCOL, 1003, "a binary frame");
  } else if (self->in_length + length > SEEN_FRAME_MAX) {
    refuse(self, SEEN_ENDED_PROTOCOL, 1009, "a frame that is too large");
  } else if (SN_RESERVE(memory_of(self), &self->in, &self->in_capacity,
                        self->in_length + length + 1)) {
    refuse(self, SEEN_ENDED_LOST, 1011, "out of memory");
  } else {
    if (length > 0) memcpy(self->in + self->in_length, part, length);
    self->in_length += length;
    if (lws_is_final_fragment(self->wsi)) take_frame(self);
  }
}

static void ponged(sn_talk *self) {
  sn_arrival *event = NULL;

  if (self->last && !self->is_closing)
    event =
        sn_arrival_new(memory_of(self), SEEN_TRANSPORT_ALIVE, self->number, 0);
  if (event) sn_arrivals_push(&self->of->net->events, event);
}

static int send_bytes(sn_talk *self, const char *text, size_t length,
                      enum lws_write_protocol kind) {
  sn_socket *of = self->of;

  if (SN_RESERVE(of->net->memory, &of->out, &of->out_capacity,
                 LWS_PRE + length + 1)) {
    sn_talk_end(self, SEEN_ENDED_LOST, 0, "out of memory");
    return -1;
  }
  if (length > 0) memcpy(of->out + LWS_PRE, text, length);
  return lws_write(self->wsi, of->out + LWS_PRE, length, kind) < 0 ? -1 : 0;
}

static int send_frame(sn_talk *self) {
  sn_command *frame = self->first;
  int status = send_bytes(self, frame->text, frame->length, LWS_WRITE_TEXT);

  if (self->first != frame) return -1; /* it has ended */
  self->first = frame->next;
  if (!self->first) self->end = NULL;
  sn_connections_sent(self->of->net, self->number, frame->length);
  sn_command_free(memory_of(self), frame);
  return status;
}

/* An empty ping has no answer that is told. */
static int send_ping(sn_talk *self) {
  self->wants_ping = false;
  return send_bytes(self, "seen", 4, LWS_WRITE_PING);
}

static int writable(sn_talk *self, struct lws *wsi) {
  int status = 0;

  if (self->wants_ping)
    status = send_ping(self);
  else if (self->first)
    status = send_frame(self);
  if (status) return status;
  if (self->wants_ping || self->first) {
    lws_callback_on_writable(wsi);
  } else if (self->is_closing) {
    if (self->close_code >= 1000)
      lws_close_reason(wsi, (enum lws_close_status)self->close_code, NULL, 0);
    return -1;
  }
  return 0;
}

static void closed_by_peer(sn_talk *self, const unsigned char *in,
                           size_t length) {
  uint32_t code = length >= 2 ? (uint32_t)(in[0] << 8 | in[1]) : 1005;

  sn_talk_alarm(self, SN_CLOSE_MS);
  if (self->is_closing)
    sn_talk_end(self, SEEN_ENDED_LOCAL, 0, "closed");
  else
    sn_talk_end(self, SEEN_ENDED_PEER, code, "closed by the server");
}

/*
 * That what came is no WebSocket is not told, but then the connection below
 * still stands. Below TLS it is not known.
 */
static void closed(sn_talk *self, struct lws *wsi) {
  if (self->is_closing)
    sn_talk_end(self, SEEN_ENDED_LOCAL, 0, "closed");
  else if (!self->of->net->site.tls &&
           !sn_platform_tcp_is_over(lws_get_socket_fd(wsi)))
    sn_talk_end(self, SEEN_ENDED_PROTOCOL, 0, "what came is no WebSocket");
  else
    sn_talk_end(self, SEEN_ENDED_LOST, 0, "it broke");
}

int sn_talk_event(struct lws *wsi, enum lws_callback_reasons reason, void *user,
                  void *in, size_t length) {
  sn_talk *self = user;

  if (!self) return 0; /* one of the library's own */
  switch (reason) {
  case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
    self = lws_wsi_user(wsi); /* `user` is OpenSSL's */
    if (length == 0) self->is_distrusted = true;
    return 0;
  case LWS_CALLBACK_WSI_CREATE: connected(self, wsi); return 0;
  case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
    return add_headers(self, wsi, in, *(unsigned char **)in + length);
  case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP: answered(self, wsi); return 0;
  case LWS_CALLBACK_CLIENT_ESTABLISHED: upgraded(self); return 0;
  case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
    if (self->phase > SN_CONNECTING) sn_talk_failed(self, in);
    return 0;
  case LWS_CALLBACK_CLIENT_RECEIVE: received(self, in, length); return 0;
  case LWS_CALLBACK_CLIENT_RECEIVE_PONG: ponged(self); return 0;
  case LWS_CALLBACK_CLIENT_WRITEABLE: return writable(self, wsi);
  case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
    closed_by_peer(self, in, length);
    return 0;
  case LWS_CALLBACK_CLIENT_CLOSED: closed(self, wsi); return 0;
  case LWS_CALLBACK_WSI_DESTROY: self->wsi = NULL; return 0;
  default: return 0;
  }
}

void sn_talk_free(sn_talk *self) {
  const seen_allocator *memory = memory_of(self);

  drop_frames(self);
  sn_route_leave(self->route);
  if (self->token) memset(self->token, 0, strlen(self->token));
  sn_release(memory, self->token);
  sn_release(memory, self->open);
  sn_release(memory, self->last);
  sn_release(memory, self->in);
  sn_release(memory, self);
}
