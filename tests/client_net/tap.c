#include "client_net/tap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void wake(void *user_data) {
  tap *of = user_data;
  sn_platform_mutex_lock(of->mutex);
  if (of->client) seen_client_wake(of->client);
  sn_platform_mutex_unlock(of->mutex);
}

static int dial_out(seen_transport *transport, const seen_dial *dial,
                    seen_error *error) {
  tap *of = (tap *)(void *)transport;
  sn_platform_mutex_lock(of->mutex);
  of->sums.dials++;
  sn_platform_mutex_unlock(of->mutex);
  return of->inner->dial(of->inner, dial, error);
}

static int write_out(seen_transport *transport, uint64_t connection,
                     const char *text, size_t length, seen_error *error) {
  tap *of = (tap *)(void *)transport;
  sn_platform_mutex_lock(of->mutex);
  of->sums.frames++;
  of->sums.bytes += length;
  if (strstr(text, "\"t\":\"read\"")) {
    if (of->sums.reports < TAP_REPORTS)
      of->reports[of->sums.reports] = sn_platform_clock();
    of->sums.reports++;
    of->sums.report_bytes += length;
  }
  sn_platform_mutex_unlock(of->mutex);
  return of->inner->write(of->inner, connection, text, length, error);
}

static void ping_out(seen_transport *transport, uint64_t connection) {
  tap *of = (tap *)(void *)transport;
  sn_platform_mutex_lock(of->mutex);
  of->sums.pings++;
  sn_platform_mutex_unlock(of->mutex);
  of->inner->ping(of->inner, connection);
}

static void close_out(seen_transport *transport, uint64_t connection,
                      uint32_t code) {
  tap *of = (tap *)(void *)transport;
  of->inner->close(of->inner, connection, code);
}

static int request_out(seen_transport *transport,
                       const seen_http_request *request, seen_error *error) {
  tap *of = (tap *)(void *)transport;
  return of->inner->request(of->inner, request, error);
}

static void cancel_out(seen_transport *transport, uint64_t request) {
  tap *of = (tap *)(void *)transport;
  of->inner->cancel(of->inner, request);
}

static bool next_in(seen_transport *transport, seen_transport_event *event) {
  tap *of = (tap *)(void *)transport;
  return of->inner->next(of->inner, event);
}

static void free_inner(seen_transport *transport) {
  tap *of = (tap *)(void *)transport;
  if (!of) return;
  of->inner->free(of->inner);
  of->inner = NULL;
}

tap *tap_start(const char *url) {
  tap *of = calloc(1, sizeof *of);
  seen_net_options options;
  assert_non_null(of);
  of->mutex = sn_platform_mutex_new(seen_allocator_default());
  assert_non_null(of->mutex);
  of->transport = (seen_transport){.size = sizeof of->transport,
                                   .dial = dial_out,
                                   .write = write_out,
                                   .ping = ping_out,
                                   .close = close_out,
                                   .request = request_out,
                                   .cancel = cancel_out,
                                   .next = next_in,
                                   .free = free_inner};
  seen_net_options_init(&options);
  options.url = url;
  options.wake = wake;
  options.user_data = of;
  assert_int_equal(seen_net_open(&options, &of->inner, NULL), SEEN_OK);
  return of;
}

void tap_end(tap *of) {
  assert_null(of->inner); /* the client has freed it */
  sn_platform_mutex_free(seen_allocator_default(), of->mutex);
  free(of);
}

void tap_serves(tap *of, seen_client *client) {
  sn_platform_mutex_lock(of->mutex);
  of->client = client;
  sn_platform_mutex_unlock(of->mutex);
}

void tap_keeps_to(tap *of, uint64_t burst, uint64_t per_second,
                  uint64_t slack_ms) {
  sn_platform_mutex_lock(of->mutex);
  assert_true(of->sums.reports <= TAP_REPORTS);
  for (size_t i = 0; i < of->sums.reports; i++)
    for (size_t k = i; k < of->sums.reports; k++) {
      uint64_t window = of->reports[k] - of->reports[i] + slack_ms;
      if (k - i + 1 > burst + per_second * window / 1000)
        fail_msg("%u report frames in %u ms", (unsigned)(k - i + 1),
                 (unsigned)(of->reports[k] - of->reports[i]));
    }
  sn_platform_mutex_unlock(of->mutex);
}

tap_sums tap_now(tap *of) {
  tap_sums sums;
  sn_platform_mutex_lock(of->mutex);
  sums = of->sums;
  sn_platform_mutex_unlock(of->mutex);
  return sums;
}
