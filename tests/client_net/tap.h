/*
 * The transport that ships, with a tap on it: what a client writes is counted,
 * report frames by the millisecond.
 */
#ifndef TESTS_CLIENT_NET_TAP_H
#define TESTS_CLIENT_NET_TAP_H

#include <seen/client.h>

#include "base/platform.h"

enum { TAP_REPORTS = 1 << 14 };

/* What was counted. */
typedef struct tap_sums {
  size_t dials;
  size_t frames; /* of any type */
  uint64_t bytes;
  size_t reports; /* frames of these */
  uint64_t report_bytes;
  size_t pings;
} tap_sums;

typedef struct tap {
  seen_transport transport; /* first; the client's from then on */
  seen_transport *inner;
  sn_mutex *mutex; /* over the rest */
  seen_client *client;
  tap_sums sums;
  uint64_t reports[TAP_REPORTS]; /* when each left */
} tap;

/* Asserts that it can be; tap_end() comes when the client is freed. */
tap *tap_start(const char *url);
void tap_end(tap *of);

/* Whose loop it wakes: before the client is started. */
void tap_serves(tap *of, seen_client *client);

/*
 * In any window at most burst + per_second of frames; `slack_ms` is what a
 * thread may be late. Asserted.
 */
void tap_keeps_to(tap *of, uint64_t burst, uint64_t per_second,
                  uint64_t slack_ms);

tap_sums tap_now(tap *of);

#endif
