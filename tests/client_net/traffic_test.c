/*
 * What a client costs, over sockets and with all its times at a hundredth:
 * frames and bytes of a fling, of an hour of a busy log with a person who
 * reads along, of 500 conversations marked read, and of nothing. Report frames
 * keep to burst + 2 a second in any window (V4), closes apart.
 */
#include "support/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libwebsockets.h>

#include "client_net/tap.h"
#include "support/proxy.h"
#include "support/random.h"
#include "support/server.h"

enum {
  BURST = 4,
  PER_SECOND = 200,
  SLACK_MS = 25, /* that a thread may be late: a busy machine */
  HOUR_MS = 36000,
  PING_MS = 250,
  BOUND_MS = 120000, /* of every wait */
  ROWS = 500
};

/* A device behind a proxy that counts bytes and does nothing to them. */
typedef struct device {
  test_host *host;
  tap *tap;
  test_proxy *proxy;
  char url[64];
  char token[TEST_TOKEN_MAX];
} device;

typedef struct scene {
  test_server server;
  device reader, writer;
} scene;

static const char *const settings[] = {"--reports-per-second",
                                       "10000",
                                       "--reports-burst",
                                       "10000",
                                       "--requests-per-second",
                                       "20000",
                                       "--requests-burst",
                                       "20000",
                                       "--window-ms",
                                       "10",
                                       NULL};

static void set_times(seen_client_options *options) {
  options->policy.dwell_ms = 2;
  options->policy.debounce_ms = 5;
  options->policy.max_wait_ms = 10;
  options->policy.fetch_wait_ms = 10;
  options->policy.persist_ms = 2;
  options->policy.reports_per_second = PER_SECOND;
  options->policy.burst = BURST;
  options->policy.seed = 0;
  options->ping_ms = PING_MS;
  options->dead_ms = 10000; /* not of the network: of a busy machine */
  options->backoff_min_ms = 10;
  options->backoff_max_ms = 600;
}

static void open_device(scene *s, device *d, const char *user) {
  memset(d, 0, sizeof *d);
  d->proxy = test_proxy_start(s->server.port);
  snprintf(d->url, sizeof d->url, "http://127.0.0.1:%u",
           (unsigned)test_proxy_port(d->proxy));
  test_server_token(&s->server, user, 3600, d->token);
  d->tap = tap_start(d->url);
  d->host = host_start_alone();
  set_times(&d->host->options);
  d->host->options.policy.user = user;
  d->host->options.token = d->token;
  d->host->options.transport = &d->tap->transport;
  host_open(d->host);
  tap_serves(d->tap, d->host->client);
  assert_int_equal(seen_client_start(d->host->client, NULL), SEEN_OK);
}

static void close_device(device *d) {
  host_end(d->host);
  tap_end(d->tap);
  test_proxy_stop(d->proxy);
}

/* Hears what there is, until it is that late. */
static void pass_until(scene *s, uint64_t at) {
  sn_signal pause;
  assert_int_equal(sn_platform_signal_open(&pause, NULL), SEEN_OK);
  for (uint64_t now = sn_platform_clock(); now < at;
       now = sn_platform_clock()) {
    (void)sn_platform_signal_wait(&pause,
                                  at - now > 5 ? 5 : (uint32_t)(at - now));
    (void)seen_client_dispatch(s->reader.host->client);
    if (s->writer.host) (void)seen_client_dispatch(s->writer.host->client);
  }
  sn_platform_signal_close(&pause);
}

static void pass(scene *s, uint64_t ms) {
  pass_until(s, sn_platform_clock() + ms);
}

static bool has_rows(const device *d, size_t rows) {
  return seen_client_count(d->host->client) == rows;
}

static void await_rows(scene *s, const device *d, size_t rows) {
  uint64_t end = sn_platform_clock() + BOUND_MS;
  while (!has_rows(d, rows)) {
    assert_true(sn_platform_clock() < end);
    pass(s, 5);
  }
}

/* All is read, and the server knows. */
static void await_all_read(scene *s) {
  uint64_t end = sn_platform_clock() + BOUND_MS;
  seen_state rows[ROWS];
  bool done = false;
  while (!done) {
    size_t count = seen_client_page(s->reader.host->client, 0, ROWS, rows);
    done = count > 0;
    for (size_t i = 0; i < count; i++)
      done &= !rows[i].pending && !rows[i].unread;
    assert_true(sn_platform_clock() < end);
    pass(s, 5);
  }
}

/* What left the tap arrives on the wire, a little later, and nothing else does
 * but heads and pings. */
static void check_bytes(scene *s, device *d) {
  uint64_t end = sn_platform_clock() + BOUND_MS, least = tap_now(d->tap).bytes;
  uint64_t heads, went;
  tap_sums sums;
  while (test_proxy_traffic(d->proxy).to_server < least) {
    assert_true(sn_platform_clock() < end);
    pass(s, 5);
  }
  went = test_proxy_traffic(d->proxy).to_server;
  sums = tap_now(d->tap);
  heads = 14 * (sums.frames + sums.pings) + 8 * sums.pings;
  assert_true(went <= sums.bytes + heads + 2000 * sums.dials);
}

/* So many report frames may have left since then (V4). */
static uint64_t allowed_since(uint64_t began) {
  return BURST + 1 + PER_SECOND * (sn_platform_clock() - began) / 1000;
}

static void say(const char *what, device *d) {
  tap_sums sums = tap_now(d->tap);
  test_traffic wire = test_proxy_traffic(d->proxy);
  print_message("# %s: %u report frames of %u bytes, %u frames in all, %u "
                "bytes out and %u in\n",
                what, (unsigned)sums.reports, (unsigned)sums.report_bytes,
                (unsigned)sums.frames, (unsigned)wire.to_server,
                (unsigned)wire.to_client);
}

/* A log of so many messages of others, and one of the reader at its begin. */
static void write_log(const char *path, unsigned count) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "{\"t\":0,\"kind\":\"text\",\"from\":\"u1\",\"chars\":5}\n");
  for (unsigned i = 1; i < count; i++)
    fprintf(file, "{\"t\":%u,\"kind\":\"text\",\"from\":\"u%u\",\"chars\":9}\n",
            i, 2 + i % 3);
  assert_int_equal(fclose(file), 0);
}

/* 10,000 messages in 0.2 s, none of them on screen for long; and then a
 * thousand times a look at what is read. */
static void test_traffic__a_fling_is_one_report(void **state) {
  scene s = {.writer = {.host = NULL}};
  seen_client *client;
  const char *log;
  uint64_t began;
  tap_sums sums;
  (void)state;
  test_server_start(&s.server, settings);
  test_server_end(&s.server);
  log = test_folder_file(&s.server.folder, "fling.jsonl");
  write_log(log, 10000);
  test_server_import(&s.server, log, "c");
  test_server_again(&s.server, settings);
  open_device(&s, &s.reader, "u1");
  await_rows(&s, &s.reader, 1);
  client = s.reader.host->client;
  assert_int_equal(host_unread(s.reader.host), 9999);

  assert_int_equal(seen_client_opened(client, "c"), SEEN_OK);
  began = sn_platform_clock();
  for (uint64_t at = 8; at <= 10000; at += 8)
    assert_int_equal(seen_client_visible(client, "c", at - 7, at), SEEN_OK);
  await_all_read(&s);
  sums = tap_now(s.reader.tap);
  assert_in_range(sums.reports, 1, allowed_since(began));
  tap_keeps_to(s.reader.tap, BURST, PER_SECOND, SLACK_MS);
  say("a fling", &s.reader);

  sums = tap_now(s.reader.tap);
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(seen_client_visible(client, "c", 9991, 10000), SEEN_OK);
    assert_int_equal(seen_client_closed(client, "c"), SEEN_OK);
    assert_int_equal(seen_client_opened(client, "c"), SEEN_OK);
  }
  pass(&s, 200);
  assert_int_equal(tap_now(s.reader.tap).reports, sums.reports);
  check_bytes(&s, &s.reader);
  close_device(&s.reader);
  test_server_remove(&s.server);
}

static void make_rows(scene *s, size_t count) {
  static const char *const ann = "ann";
  const seen_creation creation = {.size = sizeof creation,
                                  .kind = SEEN_KIND_GROUP,
                                  .users = &ann,
                                  .user_count = 1};
  uint64_t request;
  char id[16];
  test_server_start(&s->server, settings);
  open_device(s, &s->reader, "ann");
  open_device(s, &s->writer, "bob");
  for (size_t i = 0; i < count; i++) {
    snprintf(id, sizeof id, "c%u", (unsigned)i);
    assert_int_equal(seen_client_create(s->writer.host->client, id, &creation,
                                        &request, NULL),
                     SEEN_OK);
  }
  await_rows(s, &s->reader, count);
  await_rows(s, &s->writer, count);
}

static void finish(scene *s) {
  close_device(&s->reader);
  close_device(&s->writer);
  test_server_remove(&s->server);
}

static void post(scene *s, const char *conv, size_t chars, bool counts) {
  char body[600];
  seen_post said = {.size = sizeof said, .body = body};
  uint64_t request;
  int status;
  chars = chars < sizeof body ? chars : sizeof body - 1;
  memset(body, 'x', chars);
  body[chars] = '\0';
  if (!counts) said.countable = SEEN_COUNTABLE_NO;
  do {
    status =
        seen_client_send(s->writer.host->client, conv, &said, &request, NULL);
    if (status == SEEN_EFULL) pass(s, 5);
  } while (status == SEEN_EFULL);
  assert_int_equal(status, SEEN_OK);
}

static uint64_t number_behind(const char *line, const char *name) {
  const char *at = strstr(line, name);
  return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static void look_at_the_end(scene *s) {
  seen_state state = {.size = sizeof state};
  seen_client *client = s->reader.host->client;
  if (seen_client_state(client, "c0", &state) || !state.last_seq) return;
  assert_int_equal(
      seen_client_visible(client, "c0",
                          state.last_seq > 9 ? state.last_seq - 9 : 1,
                          state.last_seq),
      SEEN_OK);
}

/* The log, at a hundredth of its time. Returns how many messages. */
static size_t play_log(scene *s, uint64_t ms) {
  FILE *log = fopen(SEEN_ROOT "/samples/data/log050.jsonl", "r");
  uint64_t began = sn_platform_clock();
  size_t count = 0;
  char line[512];
  assert_non_null(log);
  while (fgets(line, sizeof line, log)) {
    uint64_t at = number_behind(line, "\"t\":") / 100;
    if (at >= ms) break;
    while (sn_platform_clock() < began + at) {
      uint64_t next = sn_platform_clock() + 5;
      pass_until(s, next < began + at ? next : began + at);
      look_at_the_end(s);
    }
    post(s, "c0", (size_t)number_behind(line, "\"chars\":"),
         strstr(line, "\"text\"") != NULL);
    count++;
  }
  fclose(log);
  return count;
}

static bool has_all(scene *s, size_t count) {
  return host_state(s->reader.host, "c0").last_seq == count;
}

static void await_all(scene *s, size_t count) {
  uint64_t end = sn_platform_clock() + BOUND_MS;
  while (!has_all(s, count)) {
    assert_true(sn_platform_clock() < end);
    pass(s, 5);
  }
}

/* No frame has left for a while. */
static void await_quiet(scene *s) {
  uint64_t end = sn_platform_clock() + BOUND_MS;
  size_t before;
  do {
    assert_true(sn_platform_clock() < end);
    before = tap_now(s->reader.tap).frames;
    pass(s, 200);
  } while (tap_now(s->reader.tap).frames != before);
}

/* Nothing happens, for that long and until there is a ping: of a link that is
 * quiet nothing else is heard. */
static void stay_quiet(scene *s, uint64_t ms) {
  uint64_t began = sn_platform_clock(), end = began + BOUND_MS;
  tap_sums before = tap_now(s->reader.tap), after;
  pass(s, ms);
  while ((after = tap_now(s->reader.tap)).pings == before.pings) {
    assert_true(sn_platform_clock() < end);
    pass(s, 5);
  }
  assert_int_equal(after.frames, before.frames);
  assert_in_range(after.pings - before.pings, 1,
                  (sn_platform_clock() - began) / PING_MS + 1);
}

static void test_traffic__an_hour_of_a_busy_log_read_along(void **state) {
  uint64_t ms = HOUR_MS / (20 / test_scaled(20));
  size_t count;
  scene s;
  (void)state;
  make_rows(&s, 1);
  assert_int_equal(seen_client_opened(s.reader.host->client, "c0"), SEEN_OK);
  count = play_log(&s, ms);
  await_all(&s, count);
  look_at_the_end(&s);
  await_all_read(&s);
  assert_true(has_all(&s, count));
  assert_in_range(tap_now(s.reader.tap).reports, 1, count);
  tap_keeps_to(s.reader.tap, BURST, PER_SECOND, SLACK_MS);
  say("an hour of a busy log", &s.reader);
  print_message("# in which there were %u messages\n", (unsigned)count);

  await_quiet(&s);
  stay_quiet(&s, ms / 6); /* for a sixth of an hour */
  check_bytes(&s, &s.reader);
  finish(&s);
}

static void test_traffic__500_conversations_marked_read(void **state) {
  uint64_t end, began, most;
  scene s;
  char id[16];
  (void)state;
  make_rows(&s, ROWS);
  for (size_t i = 0; i < ROWS; i++) {
    snprintf(id, sizeof id, "c%u", (unsigned)i);
    post(&s, id, 20, true);
  }
  end = sn_platform_clock() + BOUND_MS;
  while (host_unread(s.reader.host) < ROWS) {
    assert_true(sn_platform_clock() < end);
    pass(&s, 5);
  }
  assert_int_equal(tap_now(s.reader.tap).reports, 0);
  began = sn_platform_clock();
  for (size_t i = 0; i < ROWS; i++) {
    snprintf(id, sizeof id, "c%u", (unsigned)i);
    assert_int_equal(seen_client_mark_read(s.reader.host->client, id, 0),
                     SEEN_OK);
  }
  await_all_read(&s);
  tap_keeps_to(s.reader.tap, BURST, PER_SECOND, SLACK_MS);
  most = allowed_since(began);
  assert_in_range(tap_now(s.reader.tap).reports, 5, most > 60 ? most : 60);
  say("500 marked read", &s.reader);
  check_bytes(&s, &s.reader);
  finish(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_traffic__a_fling_is_one_report),
      cmocka_unit_test(test_traffic__500_conversations_marked_read),
      cmocka_unit_test(test_traffic__an_hour_of_a_busy_log_read_along),
  };
  /* Its log is the process's, and written by all its contexts at once. */
  lws_set_log_level(0, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
