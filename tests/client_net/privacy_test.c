/*
 * Receipts switched off and on, at the sample server: who reads is private
 * from the moment on at which the server has said so, and own devices hear of
 * it all the same (S7).
 */
#include "support/host.h"

#include <stdio.h>
#include <string.h>

#include <libwebsockets.h>

#include "client_net/recount.h"
#include "support/folder.h"
#include "support/server.h"

typedef struct scene {
  test_server server;
  char url[64];
  char anns[TEST_TOKEN_MAX], bobs[TEST_TOKEN_MAX];
  bool show; /* the host's setting of ann's devices */
  test_host *phone, *desk, *bob;
} scene;

static const char *const settings[] = {
    "--window-ms", "20", "--lists-per-second", "1000", "--lists-burst",
    "1000",        NULL};

/* Reports wait until they are asked for, so that there is time to switch. */
static test_host *open_device(scene *s, const char *user, const char *device) {
  bool ann = strcmp(user, "ann") == 0;
  test_host *t = host_start_alone();
  t->options.policy.user = user;
  t->options.policy.device = device;
  t->options.policy.seed = 0;
  t->options.policy.debounce_ms = 600000;
  t->options.policy.max_wait_ms = 600000;
  t->options.policy.receipts = s->show || !ann;
  t->options.url = s->url;
  t->options.token = ann ? s->anns : s->bobs;
  if (strcmp(device, "phone") == 0) {
    snprintf(t->path, sizeof t->path, "%s",
             test_folder_file(&s->server.folder, "phone.db"));
    t->options.path = t->path;
  }
  host_open(t);
  assert_int_equal(seen_client_start(t->client, NULL), SEEN_OK);
  return t;
}

#define wait_until(s, wanted) wait_at(s, wanted, #wanted, __LINE__)

static void wait_at(scene *s, bool (*wanted)(scene *s), const char *name,
                    int line) {
  uint64_t end = sn_platform_clock() + HOST_MS;
  sn_signal pause;
  assert_int_equal(sn_platform_signal_open(&pause, NULL), SEEN_OK);
  while (!wanted(s)) {
    if (sn_platform_clock() > end) fail_msg("line %d: not %s", line, name);
    (void)sn_platform_signal_wait(&pause, 5);
    (void)seen_client_dispatch(s->phone->client);
    (void)seen_client_dispatch(s->desk->client);
    (void)seen_client_dispatch(s->bob->client);
  }
  sn_platform_signal_close(&pause);
}

static bool all_are_there(scene *s) {
  return seen_client_count(s->phone->client) == 1 &&
         seen_client_count(s->desk->client) == 1 &&
         seen_client_count(s->bob->client) == 1;
}

static bool all_is_answered(scene *s) {
  return seen_client_live(s->phone->client) == 2 &&
         seen_client_live(s->bob->client) == 2;
}

static void begin(scene *s, bool show) {
  static const char *const ann = "ann";
  const seen_creation creation = {.size = sizeof creation,
                                  .kind = SEEN_KIND_GROUP,
                                  .users = &ann,
                                  .user_count = 1};
  uint64_t request;
  memset(s, 0, sizeof *s);
  s->show = show;
  test_server_start(&s->server, settings);
  snprintf(s->url, sizeof s->url, "http://127.0.0.1:%u",
           (unsigned)s->server.port);
  test_server_token(&s->server, "ann", 600, s->anns);
  test_server_token(&s->server, "bob", 600, s->bobs);
  s->bob = open_device(s, "bob", "bobs");
  s->phone = open_device(s, "ann", "phone");
  s->desk = open_device(s, "ann", "desk");
  assert_int_equal(
      seen_client_create(s->bob->client, "g", &creation, &request, NULL),
      SEEN_OK);
  wait_until(s, all_are_there);
}

static void end(scene *s) {
  host_end(s->phone);
  host_end(s->desk);
  host_end(s->bob);
  test_server_remove(&s->server);
}

static void send_one(scene *s, test_host *from) {
  const seen_post post = {.size = sizeof post, .body = "hello"};
  uint64_t request;
  assert_int_equal(seen_client_send(from->client, "g", &post, &request, NULL),
                   SEEN_OK);
  wait_until(s, all_is_answered);
}

static void switch_receipts(scene *s, bool on) {
  uint64_t request;
  assert_int_equal(seen_client_receipts(s->phone->client, on, &request, NULL),
                   SEEN_OK);
  wait_until(s, all_is_answered);
}

static bool phone_has_unread(scene *s) {
  return host_unread(s->phone) == 1;
}

static bool phone_has_none(scene *s) {
  return host_unread(s->phone) == 0;
}

/* What was looked at is reported now. */
static void report(scene *s) {
  wait_until(s, phone_has_none);
  assert_int_equal(seen_client_flush(s->phone->client, HOST_MS, NULL), SEEN_OK);
}

static bool desk_is_read(scene *s) {
  return host_unread(s->desk) == 0;
}

/* By looking: the report is still to come when this returns. */
static void look_at_newest(scene *s) {
  uint64_t seq;
  wait_until(s, phone_has_unread);
  seq = host_state(s->phone, "g").last_seq;
  assert_int_equal(seen_client_opened(s->phone->client, "g"), SEEN_OK);
  assert_int_equal(seen_client_visible(s->phone->client, "g", seq, seq),
                   SEEN_OK);
}

/* How many bob is told of, by his device and by the server. */
static uint64_t readers_of(scene *s, uint64_t seq) {
  seen_receipt shown = {.size = sizeof shown};
  uint64_t read = 99;
  char path[80];
  sn_json *answer;
  snprintf(path, sizeof path, "/im/messages/g:%u/read-receipts", (unsigned)seq);
  answer = recount_get(s->server.port, s->bobs, path);
  assert_non_null(answer);
  assert_true(sn_json_number(sn_json_member(answer, "read"), &read));
  sn_json_free(answer);
  assert_int_equal(seen_client_receipt(s->bob->client, "g", seq, &shown),
                   SEEN_OK);
  return shown.read + read;
}

static bool bob_sees_the_third_read(scene *s) {
  return readers_of(s, 3) == 2; /* once each */
}

static bool bob_has_the_fourth(scene *s) {
  return host_state(s->bob, "g").last_seq == 4;
}

static bool ann_sees_hers_read(scene *s) {
  seen_receipt shown = {.size = sizeof shown};
  return !seen_client_receipt(s->phone->client, "g", 4, &shown) &&
         shown.read == 1;
}

static void keep_it_private(scene *s) {
  send_one(s, s->bob);
  look_at_newest(s);
  switch_receipts(s, false); /* C209: before the report is due */
  report(s);
  wait_until(s, desk_is_read); /* C210 */
  assert_int_equal(readers_of(s, 1), 0);

  host_end(s->phone); /* and by another process of that device */
  s->phone = open_device(s, "ann", "phone");
  send_one(s, s->bob);
  look_at_newest(s);
  report(s);
  assert_int_equal(readers_of(s, 2), 0);

  switch_receipts(s, true); /* C213: nothing of before is told */
  send_one(s, s->bob);
  (void)seen_client_closed(s->phone->client, "g");
  look_at_newest(s);
  report(s);
  wait_until(s, bob_sees_the_third_read);
  assert_int_equal(readers_of(s, 1), 0);
  assert_int_equal(readers_of(s, 2), 0);
}

/* C212: whether one tells has nothing to do with whether one sees. */
static void see_others(scene *s) {
  switch_receipts(s, false);
  send_one(s, s->phone);
  wait_until(s, bob_has_the_fourth);
  assert_int_equal(seen_client_mark_read(s->bob->client, "g", 4), SEEN_OK);
  wait_until(s, ann_sees_hers_read);
}

static void test_privacy__where_others_receipts_are_shown(void **state) {
  scene s;
  (void)state;
  begin(&s, true);
  keep_it_private(&s);
  see_others(&s);
  end(&s);
}

static void test_privacy__where_others_receipts_are_not_shown(void **state) {
  scene s;
  (void)state;
  begin(&s, false);
  keep_it_private(&s);
  see_others(&s); /* the host's setting: no number differs */
  end(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_privacy__where_others_receipts_are_shown),
      cmocka_unit_test(test_privacy__where_others_receipts_are_not_shown),
  };
  /* Its log is the process's, and written by all its contexts at once. */
  lws_set_log_level(0, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
