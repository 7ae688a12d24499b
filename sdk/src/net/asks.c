/*
 * By libcurl's multi interface, of which only curl_multi_wakeup() is called by
 * another thread. Names are looked up by threads of libcurl's own, for which it
 * does not wait when a request is given up (CURLOPT_QUICK_EXIT).
 */
#include "net/asks.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

#include <curl/curl.h>

#define NEVER_MS 2000000000L /* 0 would be a default */

enum { ANSWER_MAX = 1 << 22 /* bytes of a body */ };

static size_t on_body(char *bytes, size_t size, size_t count, void *argument) {
  sn_ask *ask = argument;
  size_t length = size * count;

  ask->is_too_long = length > ANSWER_MAX - ask->length;
  if (ask->is_too_long) return 0;
  if (SN_RESERVE(ask->memory, &ask->text, &ask->capacity,
                 ask->length + length + 1))
    return 0;
  memcpy(ask->text + ask->length, bytes, length);
  ask->length += length;
  ask->text[ask->length] = '\0';
  return length;
}

static void set_trust(const sn_asks *self, CURL *easy) {
  const sn_net *net = self->net;

  if (net->ca_file) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, net->ca_file);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
  }
  if (*self->pinned)
    curl_easy_setopt(easy, CURLOPT_PINNEDPUBLICKEY, self->pinned);
  /* Always given, else the environment's proxy is taken. */
  curl_easy_setopt(easy, CURLOPT_PROXY, self->proxy);
  curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (*net->proxy.user) {
    curl_easy_setopt(easy, CURLOPT_PROXYUSERPWD, net->proxy.user);
    curl_easy_setopt(easy, CURLOPT_PROXYAUTH, CURLAUTH_BASIC);
  }
}

static bool add_header(sn_ask *ask, const char *text) {
  struct curl_slist *grown = curl_slist_append(ask->headers, text);

  if (grown) ask->headers = grown;
  return grown != NULL;
}

static bool add_headers(sn_ask *ask, const char *token) {
  sn_text text;
  bool good = true;

  if (token) {
    sn_text_growing(&text, ask->memory);
    sn_text_format(&text, "Authorization: Bearer %s", token);
    good = text.status == SEEN_OK && add_header(ask, text.bytes);
    if (text.bytes) memset(text.bytes, 0, text.length);
    sn_text_free(&text);
  }
  if (good && ask->body)
    good = add_header(ask, "Content-Type: application/json") &&
           add_header(ask, "Expect:");
  curl_easy_setopt(ask->easy, CURLOPT_HTTPHEADER, ask->headers);
  return good;
}

static void set_request(const sn_asks *self, sn_ask *ask, uint32_t timeout_ms) {
  CURL *easy = ask->easy;

  curl_easy_setopt(easy, CURLOPT_URL, ask->url);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   timeout_ms > 0 ? (long)timeout_ms : NEVER_MS);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, ask);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, ask);
  if (ask->body) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, ask->body);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     (curl_off_t)ask->body_length);
  }
  set_trust(self, easy);
}

static bool write_url(const sn_net *net, sn_ask *ask, const char *path) {
  sn_text text;

  sn_text_growing(&text, ask->memory);
  sn_text_format(&text, net->site.tls ? "https://%s%s%s" : "http://%s%s%s",
                 net->site.authority, net->site.path, path);
  ask->url = text.bytes;
  return text.status == SEEN_OK;
}

static void free_ask(sn_ask *ask) {
  const seen_allocator *memory = ask->memory;

  if (ask->easy) curl_easy_cleanup(ask->easy);
  curl_slist_free_all(ask->headers);
  sn_command_free(memory, ask->command);
  sn_release(memory, ask->url);
  sn_release(memory, ask->body);
  sn_release(memory, ask->text);
  sn_release(memory, ask);
}

sn_ask *sn_ask_begin(sn_asks *self, const char *token, const char *path,
                     char *body, size_t length, uint32_t timeout_ms,
                     void (*done)(sn_ask *ask), void *owner) {
  const seen_allocator *memory = self->net->memory;
  sn_ask *ask = sn_allocate_zero(memory, sizeof *ask);

  if (!ask) {
    sn_release(memory, body);
    return NULL;
  }
  ask->memory = memory;
  ask->body = body;
  ask->body_length = length;
  ask->done = done;
  ask->owner = owner;
  ask->easy = curl_easy_init();
  if (!ask->easy || !write_url(self->net, ask, path) ||
      !add_headers(ask, token)) {
    free_ask(ask);
    return NULL;
  }
  set_request(self, ask, timeout_ms);
  if (curl_multi_add_handle(self->multi, ask->easy) != CURLM_OK) {
    free_ask(ask);
    return NULL;
  }
  ask->next = self->first;
  self->first = ask;
  return ask;
}

static void unlist(sn_asks *self, const sn_ask *ask) {
  sn_ask **link = &self->first;

  while (*link != ask)
    link = &(*link)->next;
  *link = ask->next;
  curl_multi_remove_handle(self->multi, ask->easy);
}

void sn_ask_drop(sn_asks *self, sn_ask *ask) {
  unlist(self, ask);
  free_ask(ask);
}

static seen_ended reason_of(CURLcode code, const sn_ask *ask) {
  if (ask->code >= 300) return SEEN_ENDED_PROXY;
  if (ask->is_too_long) return SEEN_ENDED_PROTOCOL;
  switch (code) {
  case CURLE_COULDNT_RESOLVE_PROXY:
  case CURLE_PROXY: return SEEN_ENDED_PROXY;
  case CURLE_COULDNT_RESOLVE_HOST: return SEEN_ENDED_RESOLVE;
  case CURLE_COULDNT_CONNECT: return SEEN_ENDED_CONNECT;
  case CURLE_OPERATION_TIMEDOUT: return SEEN_ENDED_TIMEOUT;
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
  case CURLE_SSL_ISSUER_ERROR:
  case CURLE_SSL_CACERT_BADFILE: return SEEN_ENDED_TLS;
  case CURLE_UNSUPPORTED_PROTOCOL:
  case CURLE_WEIRD_SERVER_REPLY: return SEEN_ENDED_PROTOCOL;
  default: return SEEN_ENDED_LOST;
  }
}

static void read_answer(sn_ask *ask, CURLcode code) {
  curl_off_t seconds = 0;
  long number = 0;

  curl_easy_getinfo(ask->easy, CURLINFO_HTTP_CONNECTCODE, &number);
  ask->code = (uint32_t)number;
  if (code != CURLE_OK) {
    ask->failed = reason_of(code, ask);
    if (ask->failed != SEEN_ENDED_PROXY) ask->code = 0;
    return;
  }
  ask->code = 0;
  curl_easy_getinfo(ask->easy, CURLINFO_RESPONSE_CODE, &number);
  ask->status = (uint32_t)number;
  if (ask->status == 0) ask->failed = SEEN_ENDED_PROTOCOL; /* HTTP/0.9 */
  curl_easy_getinfo(ask->easy, CURLINFO_RETRY_AFTER, &seconds);
  if (seconds > 0) ask->retry_ms = (uint64_t)seconds * 1000;
}

static void finish_answers(sn_asks *self) {
  CURLMsg *message;
  int left;

  while ((message = curl_multi_info_read(self->multi, &left)) != NULL) {
    CURLcode code = message->data.result;
    char *found = NULL;
    sn_ask *ask;

    if (message->msg != CURLMSG_DONE) continue;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &found);
    ask = (sn_ask *)(void *)found;
    read_answer(ask, code);
    unlist(self, ask);
    ask->done(ask);
    free_ask(ask);
  }
}

void sn_asks_turn(sn_asks *self) {
  int running;

  curl_multi_perform(self->multi, &running);
  finish_answers(self);
}

void sn_asks_rest(sn_asks *self, uint32_t most_ms) {
  curl_multi_poll(self->multi, NULL, 0, (int)most_ms, NULL);
}

void sn_asks_wake(sn_asks *self) {
  curl_multi_wakeup(self->multi);
}

void sn_asks_drop(sn_asks *self) {
  while (self->first)
    sn_ask_drop(self, self->first);
}

static void write_settings(sn_asks *self) {
  const sn_net *net = self->net;
  sn_text text;

  sn_text_fixed(&text, self->proxy, sizeof self->proxy);
  if (net->proxy.port)
    sn_text_format(
        &text, strchr(net->proxy.host, ':') ? "http://[%s]:%u" : "http://%s:%u",
        net->proxy.host, (uint64_t)net->proxy.port);
  sn_text_fixed(&text, self->pinned, sizeof self->pinned);
  if (net->is_pinned) sn_text_format(&text, "sha256//%s", net->key.base64);
}

/*
 * libcurl counts how often it was prepared. It is not undone: a host that
 * left it to libcurl to prepare itself would lose what it stands on.
 */
int sn_asks_open(const sn_net *net, sn_asks *out, seen_error *error) {
  memset(out, 0, sizeof *out);
  out->net = net;
  write_settings(out);
  if (!curl_global_init(CURL_GLOBAL_DEFAULT)) out->multi = curl_multi_init();
  return out->multi ? SEEN_OK : sn_fail_memory(error);
}

void sn_asks_close(sn_asks *self) {
  if (self->multi) curl_multi_cleanup(self->multi);
}
