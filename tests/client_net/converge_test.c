/*
 * Devices of one user at the sample server, over real sockets: what one reads
 * the others show, and a new one shows the same.
 */
#include "support/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libwebsockets.h>

#include "support/folder.h"
#include "support/random.h"
#include "support/server.h"

enum { DEVICES = 3, CONVS = 4 };

typedef struct world {
  test_server server;
  char url[64];
  char tokens[2][TEST_TOKEN_MAX]; /* of ann, who reads, and bob, who writes */
  test_host *ann[DEVICES];
  test_host *bob;
} world;

static test_host *open_device(world *w, const char *user, const char *device) {
  test_host *t = host_start_alone();
  t->options.policy.user = user;
  t->options.policy.device = device;
  t->options.policy.seed = 0;
  t->options.url = w->url;
  t->options.token = w->tokens[strcmp(user, "ann") != 0];
  host_open(t);
  assert_int_equal(seen_client_start(t->client, NULL), SEEN_OK);
  return t;
}

static const char *conv_name(size_t i) {
  static const char *const names[CONVS] = {"c0", "c1", "c2", "c3"};
  return names[i];
}

#define wait_until(w, wanted) wait_at(w, wanted, #wanted, __LINE__)

static void wait_at(world *w, bool (*wanted)(world *w), const char *name,
                    int line) {
  uint64_t end = sn_platform_clock() + HOST_MS;
  sn_signal pause;
  assert_int_equal(sn_platform_signal_open(&pause, NULL), SEEN_OK);
  while (!wanted(w)) {
    if (sn_platform_clock() > end) fail_msg("line %d: not %s", line, name);
    (void)sn_platform_signal_wait(&pause, 5);
    (void)seen_client_dispatch(w->bob->client);
    for (size_t i = 0; i < DEVICES; i++)
      if (w->ann[i]) (void)seen_client_dispatch(w->ann[i]->client);
  }
  sn_platform_signal_close(&pause);
}

static bool all_have_rows(world *w) {
  for (size_t i = 0; i < DEVICES; i++)
    if (w->ann[i] && seen_client_count(w->ann[i]->client) != CONVS)
      return false;
  return seen_client_count(w->bob->client) == CONVS;
}

static void make_rows(world *w) {
  static const char *const ann = "ann";
  const seen_creation creation = {
      .size = sizeof creation, .users = &ann, .user_count = 1};
  uint64_t request;
  for (size_t i = 0; i < CONVS; i++)
    assert_int_equal(seen_client_create(w->bob->client, conv_name(i), &creation,
                                        &request, NULL),
                     SEEN_OK);
  wait_until(w, all_have_rows);
}

static void begin(world *w) {
  memset(w, 0, sizeof *w);
  test_server_start(&w->server, NULL);
  snprintf(w->url, sizeof w->url, "http://127.0.0.1:%u",
           (unsigned)w->server.port);
  test_server_token(&w->server, "ann", 600, w->tokens[0]);
  test_server_token(&w->server, "bob", 600, w->tokens[1]);
  w->bob = open_device(w, "bob", "desk");
  w->ann[0] = open_device(w, "ann", "phone");
  w->ann[1] = open_device(w, "ann", "desk");
  make_rows(w);
}

static void end(world *w) {
  for (size_t i = 0; i < DEVICES; i++)
    if (w->ann[i]) host_end(w->ann[i]);
  host_end(w->bob);
  test_server_remove(&w->server);
}

/* What a person sees: everything but what only this device knows. */
static bool same(const seen_state *a, const seen_state *b) {
  return a->unread == b->unread && a->read_seq == b->read_seq &&
         a->last_seq == b->last_seq && a->mentions == b->mentions &&
         a->marked_unread == b->marked_unread && a->muted == b->muted &&
         a->pinned == b->pinned && !a->pending && !b->pending;
}

static bool all_show_the_same(world *w) {
  for (size_t c = 0; c < CONVS; c++) {
    seen_state first = {.size = sizeof first};
    if (seen_client_state(w->ann[0]->client, conv_name(c), &first))
      return false;
    for (size_t i = 1; i < DEVICES; i++) {
      seen_state other = {.size = sizeof other};
      if (!w->ann[i]) continue;
      if (seen_client_state(w->ann[i]->client, conv_name(c), &other) ||
          !same(&first, &other))
        return false;
    }
  }
  return true;
}

static bool bob_heard_of_all(world *w) {
  return seen_client_live(w->bob->client) == 2; /* no request is out */
}

static void act(test_host *t, test_random *random) {
  seen_client *client = t->client;
  const char *conv = conv_name((size_t)test_random_below(random, CONVS));
  uint64_t seq = 1 + test_random_below(random, 30);
  switch (test_random_below(random, 9)) {
  case 0: (void)seen_client_mark_unread(client, conv, 0); break;
  case 1: (void)seen_client_mark_unread(client, conv, seq); break;
  case 2: (void)seen_client_mute(client, conv, seq % 2); break;
  case 3: (void)seen_client_pin(client, conv, seq % 2); break;
  case 4: (void)seen_client_clear_mentions(client, conv); break;
  case 5: (void)seen_client_network_changed(client); break;
  case 6: (void)seen_client_mark_all_read(client); break;
  default: (void)seen_client_mark_read(client, conv, seq);
  }
}

static void write_one(world *w, test_random *random) {
  static const char *const ann = "ann";
  const seen_post post = {.size = sizeof post,
                          .body = "hello",
                          .mentions = &ann,
                          .mention_count =
                              (size_t)test_random_below(random, 2)};
  uint64_t request;
  (void)seen_client_send(w->bob->client,
                         conv_name((size_t)test_random_below(random, CONVS)),
                         &post, &request, NULL);
}

static void live(world *w, test_random *random, int acts) {
  for (int i = 0; i < acts; i++) {
    switch (test_random_below(random, 3)) {
    case 0: write_one(w, random); break;
    case 1: act(w->ann[0], random); break;
    default: act(w->ann[1], random);
    }
    (void)seen_client_dispatch(w->bob->client);
  }
}

static bool ann_heard_of_all(world *w) {
  for (size_t c = 0; c < CONVS; c++)
    for (size_t i = 0; i < DEVICES; i++)
      if (w->ann[i] && host_state(w->ann[i], conv_name(c)).last_seq !=
                           host_state(w->bob, conv_name(c)).last_seq)
        return false;
  return true;
}

static void test_converge__what_one_reads_the_other_shows(void **state) {
  test_random random = {test_fresh_seed()};
  world w;
  (void)state;
  begin(&w);
  for (uint64_t n = test_scaled(20); n > 0; n--) {
    live(&w, &random, 60);
    wait_until(&w, bob_heard_of_all);
    wait_until(&w, ann_heard_of_all);
    wait_until(&w, all_show_the_same);
  }
  w.ann[2] = open_device(&w, "ann", "tablet");
  wait_until(&w, all_have_rows);
  wait_until(&w, all_show_the_same); /* and so says the server */
  end(&w);
}

static bool ann_has_read(world *w) {
  return host_unread(w->ann[1]) == 0;
}

static void test_converge__a_killed_server_is_found_again(void **state) {
  test_random random = {test_fresh_seed()};
  world w;
  (void)state;
  begin(&w);
  live(&w, &random, 60);
  wait_until(&w, bob_heard_of_all);
  wait_until(&w, ann_heard_of_all); /* and can read all that there is */
  wait_until(&w, all_show_the_same);
  test_server_kill(&w.server);
  for (size_t c = 0; c < CONVS; c++)
    assert_int_equal(seen_client_mark_read(w.ann[0]->client, conv_name(c), 0),
                     SEEN_OK);
  test_server_again(&w.server, NULL);
  wait_until(&w, ann_has_read);
  wait_until(&w, all_show_the_same);
  end(&w);
}

static bool bob_sees_it_read(world *w) {
  seen_receipt receipt = {.size = sizeof receipt};
  return !seen_client_receipt(w->bob->client, "c0", 1, &receipt) &&
         receipt.state == SEEN_RECEIPT_READ && receipt.read == 1;
}

static bool ann_has_one(world *w) {
  return host_unread(w->ann[0]) == 1;
}

static void test_converge__a_flush_is_told_to_the_sender(void **state) {
  const seen_post post = {.size = sizeof post, .body = "hello"};
  uint64_t request;
  world w;
  (void)state;
  begin(&w);
  assert_int_equal(seen_client_send(w.bob->client, "c0", &post, &request, NULL),
                   SEEN_OK);
  wait_until(&w, ann_has_one);
  assert_int_equal(seen_client_opened(w.ann[0]->client, "c0"), SEEN_OK);
  assert_int_equal(seen_client_mark_read(w.ann[0]->client, "c0", 1), SEEN_OK);
  assert_int_equal(seen_client_flush(w.ann[0]->client, HOST_MS, NULL), SEEN_OK);
  wait_until(&w, bob_sees_it_read);
  end(&w);
}

static void test_converge__asleep_it_reports_when_it_wakes(void **state) {
  world w;
  (void)state;
  begin(&w);
  assert_int_equal(seen_client_suspend(w.ann[0]->client, HOST_MS, NULL),
                   SEEN_OK);
  assert_int_equal(seen_client_mute(w.ann[0]->client, "c1", true), SEEN_OK);
  assert_int_equal(seen_client_resume(w.ann[0]->client, NULL), SEEN_OK);
  wait_until(&w, all_show_the_same);
  assert_true(host_state(w.ann[1], "c1").muted);
  end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_converge__what_one_reads_the_other_shows),
      cmocka_unit_test(test_converge__a_killed_server_is_found_again),
      cmocka_unit_test(test_converge__a_flush_is_told_to_the_sender),
      cmocka_unit_test(test_converge__asleep_it_reports_when_it_wakes),
  };
  /* Its log is the process's, and written by all its contexts at once. */
  lws_set_log_level(0, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
