/*
 * WebSockets: the upgrade, frames in, frames out, silence, closing. A frame
 * that comes in parts is joined up to the limit. What is to be closed is
 * closed after what waits for it has left.
 */
#include "front_parts.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void link_in(front *self, socket_peer *peer) {
  peer->next = self->sockets;
  if (peer->next != NULL) peer->next->previous = peer;
  self->sockets = peer;
}

static void link_out(front *self, socket_peer *peer) {
  socket_peer **due = &self->due;

  if (peer->next != NULL) peer->next->previous = peer->previous;
  if (peer->previous != NULL)
    peer->previous->next = peer->next;
  else
    self->sockets = peer->next;
  if (!peer->is_due) return;
  while (*due != peer)
    due = &(*due)->next_due;
  *due = peer->next_due;
}

void socket_is_due(front *self, socket_peer *peer) {
  if (peer->is_due) return;
  peer->is_due = true;
  peer->next_due = self->due;
  self->due = peer;
}

void socket_close(front *self, socket_peer *peer, int code,
                  const char *reason) {
  if (peer->code != 0) return;
  peer->code = code;
  snprintf(peer->reason, sizeof peer->reason, "%s",
           reason != NULL ? reason : "");
  socket_is_due(self, peer);
}

/* NULL, or the status line and the error that the upgrade is refused with. */
static const char *refusal(front *self, struct lws *wsi, const char **code) {
  char path[64], protocols[128];

  if (lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI) <= 0 ||
      strcmp(path, "/v1/socket") != 0) {
    *code = "not_found";
    return "404 Not Found";
  }
  if (lws_hdr_copy(wsi, protocols, sizeof protocols, WSI_TOKEN_PROTOCOL) <= 0 ||
      !front_is_listed(protocols, "seen.v1")) {
    *code = "unsupported";
    return "400 Bad Request";
  }
  if (!front_origin_allowed(self, wsi)) {
    *code = "forbidden";
    return "403 Forbidden";
  }
  return NULL;
}

/*
 * Before the upgrade libwebsockets does not know the version of HTTP yet, and
 * a WebSocket client takes no answer but HTTP/1.1: it is written by hand.
 */
int socket_confirm(front *self, struct lws *wsi, char *upgrade) {
  unsigned char *text = self->out + LWS_PRE;
  const char *code, *status;
  int length;

  if (strcasecmp(upgrade, "websocket") != 0) {
    /* HTTP/2 is offered, by Java for one: without a name that libwebsockets
     * knows it goes on with HTTP/1.1, as who does not want it may. */
    *upgrade = '\0';
    return 0;
  }
  status = refusal(self, wsi, &code);
  if (status == NULL) return 0;
  self->counts.refused++;
  length = snprintf(
      (char *)text, 512,
      "HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
      "Content-Length: %zu\r\nConnection: close\r\n\r\n"
      "{\"t\":\"error\",\"code\":\"%s\"}",
      status, strlen("{\"t\":\"error\",\"code\":\"\"}") + strlen(code), code);
  lws_write(wsi, text, (size_t)length, LWS_WRITE_HTTP);
  return -1;
}

static void open_connection(front *self, socket_peer *peer) {
  char token[FRONT_TOKEN_BYTES];
  identity who;
  bool has_token = front_bearer(peer->wsi, token, sizeof token);

  if (has_token && !token_check(self->key, token, self->now, &who)) {
    socket_close(self, peer, CLOSE_UNAUTHORIZED, "bring a new token");
    return;
  }
  front_takes(self);
  peer->connection =
      server_connect(self->server, has_token ? &who : NULL, NULL, self->now);
  if (peer->connection == NULL)
    socket_close(self, peer, CLOSE_STORAGE, "no memory");
  else
    connection_set_owner(peer->connection, peer);
}

static int established(front *self, socket_peer *peer, struct lws *wsi) {
  memset(peer, 0, sizeof *peer);
  peer->wsi = wsi;
  peer->opened_at = peer->heard_at = self->now;
  link_in(self, peer);
  open_connection(self, peer);
  return 0;
}

/* One whole frame for the state part. */
static void take(front *self, socket_peer *peer, const void *text,
                 size_t length) {
  const char *reason = NULL;
  int code;

  front_takes(self);
  code = server_frame(self->server, peer->connection, text, length, self->now);
  socket_is_due(self, peer);
  if (code == 0) return;
  connection_closing(peer->connection, &reason);
  socket_close(self, peer, code, reason);
}

static bool join(front *self, socket_peer *peer, const void *part,
                 size_t length) {
  size_t limit = self->config->limits.frame_bytes;

  if (peer->joined == NULL) peer->joined = malloc(limit);
  if (peer->joined == NULL) {
    socket_close(self, peer, CLOSE_STORAGE, "no memory");
    return false;
  }
  memcpy(peer->joined + peer->joined_length, part, length);
  peer->joined_length += length;
  return true;
}

static void hold(socket_peer *peer) {
  if (peer->is_held || !connection_is_full(peer->connection)) return;
  peer->is_held = true;
  lws_rx_flow_control(peer->wsi, 0);
}

static void received(front *self, socket_peer *peer, const void *part,
                     size_t length) {
  bool whole = lws_is_final_fragment(peer->wsi) != 0 &&
               lws_remaining_packet_payload(peer->wsi) == 0;

  peer->heard_at = self->now;
  peer->is_pinged = false;
  self->counts.bytes_in += length;
  if (peer->code != 0 || peer->is_ending) return;
  if (lws_frame_is_binary(peer->wsi)) {
    socket_close(self, peer, CLOSE_MALFORMED, "a frame is text");
  } else if (peer->joined_length + length > self->config->limits.frame_bytes) {
    socket_close(self, peer, CLOSE_TOO_LARGE, "frame over the limit");
  } else if (whole && peer->joined_length == 0) {
    take(self, peer, part, length);
  } else if (join(self, peer, part, length) && whole) {
    take(self, peer, peer->joined, peer->joined_length);
    free(peer->joined);
    peer->joined = NULL;
    peer->joined_length = 0;
  }
  if (peer->code == 0) hold(peer);
}

/* A frame at `at`, its head written by hand; how long it became. */
static size_t add_frame(unsigned char *at, const char *text, size_t length) {
  size_t head = 2;

  at[0] = 0x81; /* a text, whole */
  if (length < 126) {
    at[1] = (unsigned char)length;
  } else {
    at[1] = length < 65536 ? 126 : 127;
    for (size_t left = length < 65536 ? 2 : 8; left-- > 0; head++)
      at[head] = (unsigned char)((uint64_t)length >> (8 * left));
  }
  memcpy(at + head, text, length);
  return head + length;
}

/* Frames that leave together leave in one call of the system. */
static size_t gather(front *self, socket_peer *peer) {
  unsigned char *out = self->out + LWS_PRE;
  size_t used = 0, length;
  const char *text;

  while (used < FRONT_GATHER_BYTES &&
         (text = connection_next(peer->connection, &length)) != NULL)
    used += add_frame(out + used, text, length);
  return used;
}

/* What waits, as long as the kernel takes it; then libwebsockets calls. */
void socket_write(front *self, socket_peer *peer) {
  const char *reason;
  size_t used;
  int code;

  if (peer->is_ending) return;
  while (peer->connection != NULL && !lws_partial_buffered(peer->wsi) &&
         (used = gather(self, peer)) > 0) {
    /* On a socket this writes as it is: the heads are there. */
    if (lws_write(peer->wsi, self->out + LWS_PRE, used, LWS_WRITE_HTTP) < 0) {
      peer->is_ending = true;
      lws_set_timeout(peer->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
      return;
    }
    self->counts.bytes_out += used;
  }
  if (peer->connection != NULL) {
    code = connection_closing(peer->connection, &reason);
    if (code != 0 && peer->code == 0) {
      peer->code = code;
      snprintf(peer->reason, sizeof peer->reason, "%s", reason);
    }
    if (peer->is_held && !connection_is_full(peer->connection)) {
      peer->is_held = false;
      lws_rx_flow_control(peer->wsi, 1);
    }
  }
  if (peer->code != 0) lws_callback_on_writable(peer->wsi);
}

/* -1 closes, with the code that was set. */
static int writable(front *self, socket_peer *peer) {
  if (peer->is_ending) return 0;
  if (peer->code == 0 ||
      (peer->connection != NULL && connection_has_next(peer->connection))) {
    socket_is_due(self, peer);
    return 0;
  }
  peer->is_ending = true;
  lws_close_reason(peer->wsi, (enum lws_close_status)peer->code,
                   (unsigned char *)peer->reason, strlen(peer->reason));
  return -1;
}

static void closed(front *self, socket_peer *peer) {
  link_out(self, peer);
  free(peer->joined);
  peer->joined = NULL;
  if (peer->connection == NULL) return;
  front_takes(self);
  server_disconnect(self->server, peer->connection, self->now);
  peer->connection = NULL;
}

void socket_sweep(front *self, socket_peer *peer) {
  uint64_t silent = self->now - peer->heard_at;

  if (peer->is_ending || peer->code != 0) {
    /* It does not take what waits for it before the close. */
    if (silent >= self->config->give_up_ms)
      lws_set_timeout(peer->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
  } else if (*connection_user(peer->connection) == '\0' &&
             self->now - peer->opened_at >= self->config->hello_ms) {
    socket_close(self, peer, CLOSE_POLICY, "no hello");
  } else if (silent >= self->config->give_up_ms) {
    self->counts.closed_for_silence++;
    peer->is_ending = true;
    lws_set_timeout(peer->wsi, PENDING_TIMEOUT_WS_PONG_CHECK_GET_PONG,
                    LWS_TO_KILL_ASYNC);
  } else if (silent >= self->config->ping_ms && !peer->is_pinged &&
             !lws_partial_buffered(peer->wsi)) {
    /* Of an answer to an empty ping libwebsockets says nothing. */
    peer->is_pinged = true;
    memcpy(self->out + LWS_PRE, "seen", 4);
    lws_write(peer->wsi, self->out + LWS_PRE, 4, LWS_WRITE_PING);
  }
}

int front_socket_callback(struct lws *wsi, enum lws_callback_reasons reason,
                          void *user, void *in, size_t length) {
  front *self = front_of(wsi);
  socket_peer *peer = user;

  self->now = clock_now();
  switch (reason) {
  case LWS_CALLBACK_ESTABLISHED: return established(self, peer, wsi);
  case LWS_CALLBACK_RECEIVE: received(self, peer, in, length); return 0;
  case LWS_CALLBACK_RECEIVE_PONG:
    peer->heard_at = self->now;
    peer->is_pinged = false;
    return 0;
  case LWS_CALLBACK_SERVER_WRITEABLE: return writable(self, peer);
  case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE: peer->is_ending = true; return 0;
  case LWS_CALLBACK_CLOSED: closed(self, peer); return 0;
  default: return 0;
  }
}
