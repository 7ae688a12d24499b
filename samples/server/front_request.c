/*
 * HTTP: a request is collected and asked of the state part; its answer, which
 * front_answer.c has after the commit of its turn, is written.
 */
#include "front_parts.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>

static void refuse(front *self, request *about, int status, const char *code,
                   const char *message) {
  request_answer(self, about, http_error(status, code, message, 0));
}

/* Everything but what a watcher asks needs a token. */
static bool is_public(const request *about) {
  return strcmp(about->path, "/healthz") == 0 ||
         strcmp(about->path, "/metrics") == 0;
}

static bool authenticate(front *self, request *about) {
  char token[FRONT_TOKEN_BYTES];

  return front_bearer(about->wsi, token, sizeof token) &&
         token_check(self->key, token, self->now, &about->who);
}

/* The method and the path, without the query. */
static bool read_path(request *about, const char *uri, size_t length) {
  char *start = NULL;
  int size = 0, method = lws_http_get_uri_and_method(about->wsi, &start, &size);

  about->is_post = method == LWSHUMETH_POST;
  about->is_head = method == LWSHUMETH_HEAD;
  about->has_body = method != LWSHUMETH_GET && method != LWSHUMETH_HEAD;
  if (length >= sizeof about->path || (about->has_body && !about->is_post))
    return false;
  memcpy(about->path, uri, length);
  about->path[length] = '\0';
  return true;
}

/* 0, or the status with which what is said of the body is refused. */
static int wrong_length(struct lws *wsi) {
  char length[24];
  int size =
      lws_hdr_copy(wsi, length, sizeof length, WSI_TOKEN_HTTP_CONTENT_LENGTH);

  /* With both, this end and a proxy may differ about where it ends. */
  if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH) == 0 ||
      lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) != 0)
    return 411;
  return size > 0 && strspn(length, "0123456789") == (size_t)size ? 0 : 400;
}

static int begin(front *self, request *about, struct lws *wsi, const char *uri,
                 size_t length) {
  int wrong = wrong_length(wsi);

  request_forget(self, about);
  about->owner.is_request = true;
  about->wsi = wsi;
  if (!read_path(about, uri, length))
    refuse(self, about, 404, "not_found", "no such path or method");
  else if (!front_origin_allowed(self, wsi))
    refuse(self, about, 403, "forbidden", "this Origin is not allowed");
  else if (strcmp(about->path, "/v1/socket") == 0)
    refuse(self, about, 400, "unsupported", "a WebSocket begins here");
  else if (!is_public(about) && !authenticate(self, about))
    refuse(self, about, 401, "unauthorized", "bring a new token");
  else if (about->is_post && wrong != 0)
    refuse(self, about, wrong, "invalid", "Content-Length is needed, alone");
  else if (!about->is_post)
    route(self, about);
  else
    /* The query has to be read while the headers are there. */
    route_query(about);
  return 0;
}

static int collect(front *self, request *about, const void *part,
                   size_t length) {
  size_t limit = self->config->limits.frame_bytes;

  if (about->is_answered || length == 0) return 0;
  self->counts.bytes_in += length;
  if (about->body_length + length > limit) {
    refuse(self, about, 413, "invalid", "the body is over the limit");
    return 0;
  }
  if (about->body == NULL) about->body = malloc(limit + 1);
  if (about->body == NULL) return -1;
  memcpy(about->body + about->body_length, part, length);
  about->body_length += length;
  about->body[about->body_length] = '\0';
  return 0;
}

static int complete(front *self, request *about) {
  about->is_complete = true;
  if (!about->is_answered) route(self, about);
  return 0;
}

static int write_headers(request *about) {
  unsigned char buffer[LWS_PRE + 1024], *at = buffer + LWS_PRE,
                                        *end = buffer + sizeof buffer - 1;
  const char *type =
      about->is_plain ? "text/plain; version=0.0.4" : "application/json";

  if (lws_add_http_common_headers(about->wsi, (unsigned)about->response.status,
                                  type, about->response.length, &at, end))
    return -1;
  return lws_finalize_write_http_header(about->wsi, buffer + LWS_PRE, &at, end);
}

static bool write_body(front *self, request *about) {
  const response *with = &about->response;
  unsigned char *text;
  int written;

  if (about->is_head) return true;
  text = malloc(LWS_PRE + with->length + 1);
  if (text == NULL) return false;
  if (with->length > 0) memcpy(text + LWS_PRE, with->body, with->length);
  written =
      lws_write(about->wsi, text + LWS_PRE, with->length, LWS_WRITE_HTTP_FINAL);
  free(text);
  self->counts.bytes_out += with->length;
  return written >= 0;
}

static int respond(front *self, request *about) {
  const response *with = &about->response;
  struct lws *wsi = about->wsi;
  bool unread = about->has_body && !about->is_complete;

  if (!about->is_answered || about->is_listed) return 0;
  about->is_answered = false;
  self->counts.requests[with->status / 100 % 6]++;
  if (write_headers(about) != 0 || !write_body(self, about)) return -1;
  /* What is left of a refused body is not waited for. */
  if (unread) return -1;
  return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

int front_request_callback(struct lws *wsi, enum lws_callback_reasons reason,
                           void *user, void *in, size_t length) {
  front *self = front_of(wsi);
  request *about = user;

  self->now = clock_now();
  switch (reason) {
  case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
    return front_may_connect(self) ? 0 : 1;
  case LWS_CALLBACK_WSI_CREATE: front_connected(self); return 0;
  case LWS_CALLBACK_WSI_DESTROY: front_disconnected(self); return 0;
  case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return socket_confirm(self, wsi, in);
  case LWS_CALLBACK_HTTP: return begin(self, about, wsi, in, length);
  case LWS_CALLBACK_HTTP_BODY: return collect(self, about, in, length);
  case LWS_CALLBACK_HTTP_BODY_COMPLETION: return complete(self, about);
  case LWS_CALLBACK_HTTP_WRITEABLE: return respond(self, about);
  case LWS_CALLBACK_TIMER:
    /* As an alarm of the loop: before the wait, which has to end. */
    lws_cancel_service(self->context);
    return request_end_poll(self, about);
  case LWS_CALLBACK_USER: /* the server ends */
    return about != NULL ? request_end_poll(self, about) : 0;
  case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
  case LWS_CALLBACK_CLOSED_HTTP:
    if (about != NULL) request_forget(self, about);
    return 0;
  default: return 0;
  }
}
