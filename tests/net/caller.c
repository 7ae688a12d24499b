#include "net/caller.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

test_server caller_server;
char caller_token[TEST_TOKEN_MAX];

int caller_set_up(void **state) {
  (void)state;
  test_server_start(&caller_server, NULL);
  test_server_token(&caller_server, "ann", 3600, caller_token);
  return 0;
}

int caller_tear_down(void **state) {
  (void)state;
  test_server_remove(&caller_server);
  return 0;
}

uint32_t caller_soon_ms(void) {
  const char *scale = getenv("SEEN_SCALE");
  return scale && strcmp(scale, "1") != 0 ? 45000 : 8000;
}

static void wake(void *argument) {
  sn_platform_signal_raise(argument);
}

void caller_open_at(caller *self, const char *url,
                    const seen_net_options *options) {
  seen_error error = SEEN_ERROR_INIT;
  seen_net_options used;
  memset(self, 0, sizeof *self);
  assert_int_equal(sn_platform_signal_open(&self->woken, NULL), SEEN_OK);
  seen_net_options_init(&used);
  if (options) used = *options;
  used.url = url;
  used.wake = wake;
  used.user_data = &self->woken;
  if (seen_net_open(&used, &self->transport, &error))
    fail_msg("%s", error.message);
}

void caller_open(caller *self, const char *scheme, const char *name,
                 uint16_t port, const seen_net_options *options) {
  char url[300];
  snprintf(url, sizeof url, "%s://%s:%u", scheme, name, (unsigned)port);
  caller_open_at(self, url, options);
}

void caller_close(caller *self) {
  self->transport->free(self->transport);
  sn_platform_signal_close(&self->woken);
}

bool caller_next(caller *self, uint32_t most_ms) {
  uint64_t end = sn_platform_clock() + most_ms;
  while (!self->transport->next(self->transport, &self->event)) {
    uint64_t now = sn_platform_clock();
    if (now >= end) return false;
    sn_platform_signal_wait(&self->woken, (uint32_t)(end - now));
  }
  return true;
}

void caller_expect(caller *self, seen_transport_event_type type,
                   uint64_t number) {
  assert_true(caller_next(self, CALLER_MS));
  if (self->event.type == SEEN_TRANSPORT_ENDED && type != self->event.type)
    fail_msg("ended: %s (%d, code %u)", self->event.text,
             (int)self->event.ended, (unsigned)self->event.code);
  assert_int_equal(self->event.type, type);
  assert_int_equal(self->event.number, number);
}

void caller_expect_end(caller *self, uint64_t number, seen_ended why,
                       uint32_t code) {
  do
    assert_true(caller_next(self, CALLER_MS));
  while (self->event.type != SEEN_TRANSPORT_ENDED ||
         self->event.number != number);
  if (self->event.ended != why || self->event.code != code)
    fail_msg("ended: %s (%d, code %u)", self->event.text,
             (int)self->event.ended, (unsigned)self->event.code);
}

void caller_expect_answer(caller *self, uint64_t number, uint32_t status,
                          seen_ended why) {
  caller_expect(self, SEEN_TRANSPORT_ANSWER, number);
  assert_int_equal(self->event.ended, why);
  assert_int_equal(self->event.status, status);
}

void caller_expect_none(caller *self, uint32_t ms) {
  assert_false(caller_next(self, ms));
}

void caller_dial(caller *self, uint64_t number, seen_link link,
                 const char *token, uint32_t timeout_ms) {
  seen_dial dial;
  memset(&dial, 0, sizeof dial);
  dial.size = sizeof dial;
  dial.connection = number;
  dial.link = link;
  dial.token = token;
  dial.timeout_ms = timeout_ms;
  assert_int_equal(self->transport->dial(self->transport, &dial, NULL),
                   SEEN_OK);
}

void caller_dial_open(caller *self, uint64_t number, const char *token) {
  caller_dial(self, number, SEEN_LINK_SOCKET, token, CALLER_MS);
  caller_expect(self, SEEN_TRANSPORT_OPEN, number);
}

void caller_write(caller *self, uint64_t number, const char *text) {
  assert_int_equal(
      self->transport->write(self->transport, number, text, strlen(text), NULL),
      SEEN_OK);
}

void caller_request(caller *self, uint64_t number, const char *token,
                    const char *path, const char *body, uint32_t timeout_ms) {
  seen_http_request request;
  memset(&request, 0, sizeof request);
  request.size = sizeof request;
  request.request = number;
  request.path = path;
  request.token = token;
  request.body = body;
  request.length = body ? strlen(body) : 0;
  request.timeout_ms = timeout_ms;
  assert_int_equal(self->transport->request(self->transport, &request, NULL),
                   SEEN_OK);
}
