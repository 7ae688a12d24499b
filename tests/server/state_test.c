/* state.c and what it turns: commits, queues, rates, pages, connections. */
#include "server/faulty.h"
#include "server/stage.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int begin(void **state) {
  stage *self = malloc(sizeof *self);
  stage_begin_memory(self);
  *state = self;
  return 0;
}

static int end(void **state) {
  stage_end(*state);
  free(*state);
  return 0;
}

static void send_text(stage *self, player *from, const char *conv, int n) {
  stage_do(self, from,
           "{\"t\":\"send\",\"op\":\"%s-%s-%d\",\"conv\":\"%s\",\"body\":"
           "\"message %d\"}",
           conv, from->name, n, conv, n);
}

static void create(stage *self, player *from, const char *conv,
                   const char *users) {
  stage_do(self, from,
           "{\"t\":\"create\",\"op\":\"c-%s\",\"conv\":\"%s\",\"users\":[%s]}",
           conv, conv, users);
}

static void read_to(stage *self, player *from, const char *conv, int seq) {
  stage_do(self, from,
           "{\"t\":\"read\",\"items\":[{\"conv\":\"%s\",\"epoch\":0,\"seq\":%d}"
           "]}",
           conv, seq);
}

static double row_number(stage *self, player *from, const char *conv,
                         const char *path) {
  cJSON *row = stage_row(self, from, conv);
  double number = stage_number(row, path);
  cJSON_Delete(row);
  return number;
}

static void test_state__nothing_leaves_before_its_commit(void **state) {
  stage *self = *state;
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  create(self, a, "g", "\"bob\"");
  stage_turn(self);
  stage_put(self, a, "{\"t\":\"send\",\"op\":\"m\",\"conv\":\"g\"}");
  assert_false(connection_has_next(a->connection));
  assert_false(connection_has_next(b->connection));
  assert_null(server_next_waiting(self->server));
  stage_turn(self);
  assert_int_equal(stage_count(b, "message"), 1);
}

static void test_state__dirty_rows_wait_for_the_commit_too(void **state) {
  stage *self = *state;
  size_t length;
  player *a1 = stage_connect(self, "a1", "ann", false);
  player *a2 = stage_connect(self, "a2", "ann", false);
  create(self, a1, "g", "\"bob\"");
  send_text(self, a1, "g", 1);
  stage_drop(a2);
  stage_put(self, a1,
            "{\"t\":\"read\",\"items\":[{\"conv\":\"g\",\"epoch\":0,\"seq\":1}"
            "]}");
  assert_null(connection_next(a2->connection, &length));
  stage_turn(self);
  assert_int_equal(stage_count(a2, "position"), 1);
}

/* One story; each frame is sent again until it is not `error storage`. */
static unsigned tell_story(stage *self) {
  static const char *const frames[] = {
      "{\"t\":\"create\",\"op\":\"o1\",\"conv\":\"g\",\"users\":[\"bob\","
      "\"cyd\"]"
      "}",
      "{\"t\":\"send\",\"op\":\"o2\",\"conv\":\"g\",\"mentions\":[\"bob\"]}",
      "{\"t\":\"send\",\"op\":\"o3\",\"conv\":\"g\",\"mentions\":\"all\"}",
      "{\"t\":\"send\",\"op\":\"o4\",\"conv\":\"g\",\"kind\":\"recall\","
      "\"target\":2}",
      "{\"t\":\"read\",\"items\":[{\"conv\":\"g\",\"epoch\":0,\"seq\":3}]}",
      "{\"t\":\"mark_unread\",\"op\":\"o5\",\"conv\":\"g\",\"expected\":{"
      "\"epoch\":0,\"seq\":3},\"target\":1}",
      "{\"t\":\"add\",\"op\":\"o6\",\"conv\":\"g\",\"users\":[\"dan\"]}",
      "{\"t\":\"remove\",\"op\":\"o7\",\"conv\":\"g\",\"users\":[\"cyd\"]}",
      "{\"t\":\"settings\",\"receipts\":false}",
      "{\"t\":\"admin\",\"op\":\"o8\",\"act\":\"takedown\",\"conv\":\"g\","
      "\"seq\":1}",
      "{\"t\":\"admin\",\"op\":\"o9\",\"act\":\"purge\",\"conv\":\"g\",\"seq\":"
      "1"
      "}",
      "{\"t\":\"admin\",\"op\":\"o10\",\"act\":\"disable\",\"user\":\"dan\"}",
      "{\"t\":\"set\",\"conv\":\"g\",\"muted\":true}",
      "{\"t\":\"read_all\",\"as_of\":9999}",
      "{\"t\":\"subscribe\",\"conv\":\"g\",\"from\":1,\"to\":9}",
      "{\"t\":\"history\",\"conv\":\"g\",\"limit\":9}",
      "{\"t\":\"sync\",\"version\":0}",
  };
  unsigned failures = 0;
  player *a = stage_connect(self, "a", "ann", true);
  while (stage_count(a, "error")) {
    const char *why;
    assert_int_equal(connection_closing(a->connection, &why), CLOSE_STORAGE);
    stage_close(self, a);
    stage_drop(a);
    failures++;
    a = stage_connect(self, "a", "ann", true);
  }
  for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
    for (;;) {
      cJSON *answer = stage_ask(self, a, "%s", frames[i]);
      bool failed = !strcmp(stage_text(answer, "code"), "storage");
      if (!failed) assert_string_not_equal(stage_text(answer, "t"), "error");
      cJSON_Delete(answer);
      if (!failed) break;
      assert_false(self->commits);
      failures++;
    }
  }
  return failures;
}

static char *rows_text(stage *self) {
  stage_restart(self);
  player *b = stage_connect(self, "b", "bob", false);
  player *a = stage_connect(self, "a", "ann", false);
  cJSON *both = cJSON_CreateArray();
  cJSON_AddItemToArray(both, stage_row(self, a, "g"));
  cJSON_AddItemToArray(both, stage_row(self, b, "g"));
  char *text = cJSON_PrintUnformatted(both);
  cJSON_Delete(both);
  return text;
}

static char *tell_with_fault(storage inner, uint64_t fails_at,
                             unsigned *failures, uint64_t *calls) {
  static stage self;
  faulty over;
  faulty_begin(&over, inner);
  stage_begin(&self, over.storage, NULL);
  over.calls = 0;
  over.fails_at = fails_at;
  *failures = tell_story(&self);
  *calls = over.calls;
  over.fails_at = 0;
  char *text = rows_text(&self);
  stage_end(&self);
  return text;
}

/* Every call of the storage fails once: the turn never was. */
static void sweep(int (*open_storage)(storage *)) {
  unsigned failures;
  uint64_t calls, ignored;
  storage over;
  assert_int_equal(open_storage(&over), SEEN_OK);
  char *expected = tell_with_fault(over, 0, &failures, &calls);
  assert_int_equal(failures, 0);
  assert_true(calls > 60);
  for (uint64_t at = 1; at <= calls; at++) {
    assert_int_equal(open_storage(&over), SEEN_OK);
    char *found = tell_with_fault(over, at, &failures, &ignored);
    assert_int_equal(failures, 1);
    assert_string_equal(found, expected);
    free(found);
  }
  free(expected);
}

static int open_memory(storage *self) {
  return storage_memory_open(self, "b1");
}

static int open_sqlite(storage *self) {
  return storage_sqlite_open(self, ":memory:", "b1", NULL);
}

static void test_state__a_storage_that_fails_changes_nothing(void **state) {
  (void)state;
  sweep(open_memory);
}

static void test_state__nor_does_a_database_that_fails(void **state) {
  (void)state;
  sweep(open_sqlite);
}

static void test_state__what_was_answered_survives_a_restart(void **state) {
  stage *self = *state;
  player *a = stage_connect(self, "a", "ann", false);
  create(self, a, "g", "\"bob\"");
  for (int i = 1; i <= 5; i++)
    send_text(self, a, "g", i);
  player *b = stage_connect(self, "b", "bob", false);
  read_to(self, b, "g", 3);
  cJSON *before = stage_row(self, b, "g");
  stage_restart(self);
  b = stage_connect(self, "b", "bob", false);
  cJSON *after = stage_row(self, b, "g");
  assert_true(cJSON_Compare(before, after, true));
  assert_int_equal(stage_number(after, "unread"), 2);
  cJSON_Delete(before);
  cJSON_Delete(after);
}

static void
test_state__too_fast_is_answered_late_and_nothing_is_lost(void **state) {
  static stage self;
  limits slow;
  storage over;
  (void)state;
  limits_init(&slow);
  slow.reports_burst = 2;
  slow.reports_per_second = 1;
  slow.reports_parked = 5;
  storage_memory_open(&over, "b1");
  stage_begin(&self, over, &slow);
  player *a = stage_connect(&self, "a", "ann", false);
  player *b = stage_connect(&self, "b", "bob", false);
  create(&self, a, "g", "\"bob\"");
  for (int i = 1; i <= 9; i++)
    send_text(&self, a, "g", i);
  for (int i = 1; i <= 9; i++)
    stage_send(
        &self, b,
        "{\"t\":\"read\",\"id\":%d,\"items\":[{\"conv\":\"g\",\"epoch\":0,"
        "\"seq\":%d}]}",
        100 + i, i);
  /* Two at once, five wait, two are over the bound. */
  assert_int_equal(stage_count(b, "ack"), 4);
  cJSON *refused = stage_take(b, "ack", 109);
  assert_string_equal(stage_text(refused, "items.0.code"), "rate_limited");
  assert_true(stage_number(refused, "items.0.retry_ms") > 0);
  cJSON_Delete(refused);
  assert_int_equal(row_number(&self, b, "g", "read.seq"), 2);
  stage_wait(&self, 1100);
  assert_int_equal(stage_count(b, "ack"), 3 + 5);
  assert_int_equal(row_number(&self, b, "g", "read.seq"), 7);
  assert_int_equal(server_metrics(self.server)->reports_merged, 4);
  stage_end(&self);
}

static void
test_state__what_waited_is_taken_when_the_connection_goes(void **state) {
  static stage self;
  limits slow;
  storage over;
  (void)state;
  limits_init(&slow);
  slow.reports_burst = 1;
  slow.reports_per_second = 1;
  storage_memory_open(&over, "b1");
  stage_begin(&self, over, &slow);
  player *a = stage_connect(&self, "a", "ann", false);
  create(&self, a, "g", "");
  for (int i = 1; i <= 3; i++)
    send_text(&self, a, "g", i);
  for (int i = 1; i <= 3; i++)
    stage_send(&self, a,
               "{\"t\":\"read\",\"items\":[{\"conv\":\"g\",\"epoch\":0,\"seq\":"
               "%d}]}",
               i);
  stage_close(&self, a);
  a = stage_connect(&self, "a", "ann", false);
  assert_int_equal(row_number(&self, a, "g", "read.seq"), 3);
  stage_end(&self);
}

static void test_state__other_frames_over_the_rate_are_refused(void **state) {
  static stage self;
  limits slow;
  storage over;
  (void)state;
  limits_init(&slow);
  slow.requests_burst = 2;
  slow.requests_per_second = 1;
  storage_memory_open(&over, "b1");
  stage_begin(&self, over, &slow);
  player *a = stage_connect(&self, "a", "ann", false);
  create(&self, a, "g", "");
  stage_do(&self, a, "{\"t\":\"sync\",\"version\":0}");
  cJSON *mark = stage_ask(&self, a,
                          "{\"t\":\"mark_unread\",\"op\":\"x\",\"conv\":\"g\","
                          "\"expected\":{\"epoch\":0,\"seq\":1},\"target\":0}");
  assert_string_equal(stage_text(mark, "items.0.code"), "rate_limited");
  cJSON_Delete(mark);
  cJSON *other = stage_ask(&self, a, "{\"t\":\"read_all\",\"as_of\":1}");
  assert_string_equal(stage_text(other, "code"), "rate_limited");
  assert_int_equal(stage_number(other, "retry_ms"), 1000);
  cJSON_Delete(other);
  stage_wait(&self, 1000);
  stage_do(&self, a, "{\"t\":\"sync\",\"version\":0}");
  stage_end(&self);
}

/* A connection whose frames nobody takes. */
static connection *open_slow(stage *self, const char *user, uint64_t now) {
  static const char hello[] = "{\"t\":\"hello\",\"id\":1,\"device\":\"slow\"}";
  identity who = {.admin = false};
  snprintf(who.user, sizeof who.user, "%s", user);
  connection *slow = server_connect(self->server, &who, NULL, now);
  server_frame(self->server, slow, hello, sizeof hello - 1, now);
  stage_turn(self);
  return slow;
}

static size_t count_frames(connection *of, const char *type, cJSON **last) {
  const char *frame;
  size_t length, count = 0;
  while ((frame = connection_next(of, &length))) {
    cJSON *parsed = cJSON_Parse(frame);
    bool is = !strcmp(stage_text(parsed, "t"), type);
    count += is;
    if (last && is) {
      cJSON_Delete(*last);
      *last = parsed;
    } else {
      cJSON_Delete(parsed);
    }
  }
  return count;
}

static void
test_state__a_slow_connection_gets_one_row_in_place_of_messages(void **state) {
  stage *self = *state;
  cJSON *row = NULL;
  self->limits.queue_bytes = 2000;
  stage_restart(self);
  player *a = stage_connect(self, "a", "ann", false);
  create(self, a, "g", "\"bob\"");
  connection *slow = open_slow(self, "bob", self->now);
  for (int i = 1; i <= 300; i++)
    send_text(self, a, "g", i);
  assert_int_equal(count_frames(slow, "changes", &row), 2);
  assert_int_equal(stage_number(row, "conversations.0.last_seq"), 300);
  assert_int_equal(stage_number(row, "conversations.0.unread"), 300);
  cJSON_Delete(row);
  server_disconnect(self->server, slow, self->now);
}

static void
test_state__past_its_bound_a_slow_connection_is_resynced(void **state) {
  static const char sync[] = "{\"t\":\"sync\",\"id\":9,\"version\":0}";
  stage *self = *state;
  cJSON *page = NULL;
  self->limits.queue_bytes = 1000;
  self->limits.dirty_rows = 10;
  stage_restart(self);
  player *a = stage_connect(self, "a", "ann", false);
  connection *slow = open_slow(self, "bob", self->now);
  for (int i = 0; i < 20; i++) {
    char conv[16];
    snprintf(conv, sizeof conv, "g%d", i);
    create(self, a, conv, "\"bob\"");
    send_text(self, a, conv, 1);
  }
  assert_int_equal(count_frames(slow, "resync", NULL), 1);
  send_text(self, a, "g1", 2);
  assert_false(connection_has_next(slow));
  server_frame(self->server, slow, sync, sizeof sync - 1, self->now);
  stage_turn(self);
  assert_int_equal(count_frames(slow, "changes", &page), 1);
  assert_int_equal(cJSON_GetArraySize(stage_at(page, "conversations")), 20);
  cJSON_Delete(page);
  send_text(self, a, "g1", 3);
  assert_int_equal(count_frames(slow, "message", NULL), 1);
  server_disconnect(self->server, slow, self->now);
}

static void test_state__pages_go_on_from_their_version(void **state) {
  stage *self = *state;
  enum { CONVERSATIONS = 450 };
  bool seen[CONVERSATIONS] = {false};
  int pages = 0, rows = 0;
  double version = 0;
  player *a = stage_connect(self, "a", "ann", false);
  for (int i = 0; i < CONVERSATIONS; i++) {
    char conv[16];
    snprintf(conv, sizeof conv, "g%d", i);
    create(self, a, conv, "\"bob\"");
  }
  for (bool more = true; more; pages++) {
    cJSON *page =
        stage_ask(self, a, "{\"t\":\"sync\",\"version\":%.0f}", version);
    const cJSON *row;
    cJSON_ArrayForEach(row, stage_at(page, "conversations")) {
      seen[atoi(stage_text(row, "id") + 1)] = true;
      rows++;
    }
    more = cJSON_IsTrue(stage_at(page, "more"));
    assert_true(stage_number(page, "version") > version);
    version = stage_number(page, "version");
    cJSON_Delete(page);
  }
  assert_true(pages >= 3);
  assert_int_equal(rows, CONVERSATIONS);
  for (int i = 0; i < CONVERSATIONS; i++)
    assert_true(seen[i]);
  assert_int_equal(version, (double)server_version(self->server));
}

static void test_state__an_answer_too_large_comes_in_parts(void **state) {
  stage *self = *state;
  char items[20000] = "";
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  create(self, a, "g", "\"bob\"");
  for (int i = 1; i <= 250; i++) {
    stage_do(self, b,
             "{\"t\":\"send\",\"op\":\"m%d\",\"conv\":\"g\",\"mentions\":"
             "\"all\"}",
             i);
    stage_do(self, b,
             "{\"t\":\"send\",\"op\":\"r%d\",\"conv\":\"g\",\"kind\":"
             "\"reaction\"}",
             i);
  }
  stage_drop(a);
  for (int i = 0; i < 100; i++)
    snprintf(items + strlen(items), 64,
             "%s{\"conv\":\"g\",\"epoch\":0,\"seq\":"
             "%d,\"keep\":true}",
             i ? "," : "", i);
  uint64_t id = stage_send(self, a, "{\"t\":\"read\",\"items\":[%s]}", items);
  size_t parts = stage_count(a, "ack");
  int answered = 0;
  assert_true(parts > 2);
  for (size_t i = 0; i < parts; i++) {
    cJSON *part = stage_take(a, "ack", id);
    assert_int_equal(cJSON_IsTrue(stage_at(part, "more")), i + 1 < parts);
    answered += cJSON_GetArraySize(stage_at(part, "items"));
    cJSON_Delete(part);
  }
  assert_int_equal(answered, 100);
}

static int put_raw(stage *self, connection *to, const char *bytes,
                   size_t length) {
  return server_frame(self->server, to, bytes, length, self->now);
}

static int close_code(stage *self, const char *bytes, size_t length,
                      bool greeted) {
  identity who = {.user = "eve"};
  connection *of = greeted
                       ? open_slow(self, "eve", self->now)
                       : server_connect(self->server, &who, NULL, self->now);
  int code = put_raw(self, of, bytes, length);
  const char *reason = NULL;
  assert_int_equal(connection_closing(of, &reason), code);
  assert_int_equal(reason != NULL, code != 0);
  server_disconnect(self->server, of, self->now);
  stage_turn(self);
  return code;
}

static void test_state__malformed_frames_close_with_their_code(void **state) {
  stage *self = *state;
  static char large[70000];
  memset(large, ' ', sizeof large);
  memcpy(large, "{\"t\":\"sync\",\"id\":1,\"version\":0}", 31);
  assert_int_equal(close_code(self, large, sizeof large, true),
                   CLOSE_TOO_LARGE);
  assert_int_equal(close_code(self, large, 65536, true), 0);
  assert_int_equal(close_code(self, "{", 1, true), CLOSE_MALFORMED);
  assert_int_equal(close_code(self, "[]", 2, true), CLOSE_MALFORMED);
  assert_int_equal(close_code(self, "", 0, true), CLOSE_MALFORMED);
  assert_int_equal(close_code(self, "{\"t\":\"\xff\"}", 9, true),
                   CLOSE_MALFORMED);
  assert_int_equal(close_code(self, "{}", 2, true), 0);
  assert_int_equal(close_code(self, "{}", 2, false), CLOSE_POLICY);
  assert_int_equal(close_code(self, large, 31, false), CLOSE_POLICY);
}

static bool only_ann(void *user_data, const char *token, identity *who) {
  (void)user_data;
  *who = (identity){.expires_at = STAGE_START + 5000};
  strcpy(who->user, "ann");
  return !strcmp(token, "good");
}

static void test_state__a_token_comes_in_hello_and_runs_out(void **state) {
  static const uint8_t key[32] = {0};
  const hooks with = {.authenticate = only_ann};
  stage *self = *state;
  int status;
  server_close(self->server);
  self->server = server_open(&self->storage, &self->limits, &with, key,
                             self->now, &status);
  connection *of = server_connect(self->server, NULL, NULL, self->now);
  const char *reason;
  static const char good[] =
      "{\"t\":\"hello\",\"id\":1,\"device\":\"d\",\"token\":\"good\"}";
  static const char bad[] =
      "{\"t\":\"hello\",\"id\":1,\"device\":\"d\",\"token\":\"bad\"}";
  put_raw(self, of, good, sizeof good - 1);
  stage_turn(self);
  assert_string_equal(connection_user(of), "ann");
  assert_int_equal(connection_closing(of, &reason), 0);
  connection *other = server_connect(self->server, NULL, NULL, self->now);
  assert_int_equal(put_raw(self, other, bad, sizeof bad - 1),
                   CLOSE_UNAUTHORIZED);
  stage_turn(self);
  assert_int_equal(count_frames(other, "error", NULL), 1);
  stage_wait(self, 6000);
  assert_int_equal(connection_closing(of, &reason), CLOSE_UNAUTHORIZED);
  connection *late = server_connect(self->server, NULL, NULL, self->now);
  assert_int_equal(put_raw(self, late, good, sizeof good - 1),
                   CLOSE_UNAUTHORIZED);
}

static void test_state__who_is_disabled_is_closed_and_stays_out(void **state) {
  stage *self = *state;
  const char *reason;
  player *root = stage_connect(self, "r", "root", true);
  player *a = stage_connect(self, "a", "ann", false);
  stage_do(
      self, root,
      "{\"t\":\"admin\",\"op\":\"o1\",\"act\":\"disable\",\"user\":\"ann\"}");
  assert_int_equal(connection_closing(a->connection, &reason), CLOSE_DISABLED);
  stage_close(self, a);
  a = stage_connect(self, "a2", "ann", false);
  assert_int_equal(connection_closing(a->connection, &reason), CLOSE_DISABLED);
  stage_close(self, a);
  stage_do(
      self, root,
      "{\"t\":\"admin\",\"op\":\"o2\",\"act\":\"enable\",\"user\":\"ann\"}");
  a = stage_connect(self, "a3", "ann", false);
  assert_int_equal(connection_closing(a->connection, &reason), 0);
}

static connection *post(stage *self, const char *user, const char *name,
                        const char *body, int *status) {
  connection *of;
  identity who = {.admin = false};
  strcpy(who.user, user);
  response came = http_frames(self->server, &who, name, "fresh-1", body,
                              strlen(body), &of, self->now);
  *status = came.status;
  response_free(&came);
  return of;
}

static void test_state__frames_and_poll_are_a_connection(void **state) {
  stage *self = *state;
  identity ann = {.user = "ann"};
  int status;
  player *b = stage_connect(self, "b", "bob", false);
  create(self, b, "g", "\"ann\"");
  assert_null(post(self, "ann", NULL, "[{\"t\":\"sync\",\"id\":1}]", &status));
  assert_int_equal(status, 400);
  connection *of = post(self, "ann", NULL,
                        "[{\"t\":\"hello\",\"id\":1,\"device\":\"web\"},"
                        "{\"t\":\"fetch\",\"id\":2,\"convs\":[\"g\"]}]",
                        &status);
  assert_non_null(of);
  assert_true(server_commit(self->server, self->now));
  response came = http_gather(self->server, of, self->now);
  cJSON *frames = cJSON_ParseWithLength(came.body, came.length);
  assert_int_equal(cJSON_GetArraySize(frames), 3);
  assert_string_equal(stage_text(frames, "0.connection"), "fresh-1");
  assert_string_equal(stage_text(frames, "2.conversations.0.id"), "g");
  cJSON_Delete(frames);
  response_free(&came);
  assert_ptr_equal(http_poll(self->server, &ann, "fresh-1", self->now), of);
  assert_false(connection_has_next(of));
  send_text(self, b, "g", 1);
  assert_true(connection_has_next(of));
  assert_null(
      post(self, "bob", "fresh-1", "[{\"t\":\"sync\",\"id\":1}]", &status));
  assert_int_equal(status, 404);
  assert_ptr_equal(post(self, "ann", "fresh-1",
                        "[{\"t\":\"read\",\"id\":3,\"items\":[{\"conv\":\"g\","
                        "\"epoch\":0,\"seq\":1}]}]",
                        &status),
                   of);
  stage_wait(self, self->limits.poll_idle_ms + 2000);
  assert_null(http_poll(self->server, &ann, "fresh-1", self->now));
}

static void test_state__peers_merge_within_a_window(void **state) {
  stage *self = *state;
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  create(self, a, "g", "\"bob\",\"cyd\"");
  for (int i = 1; i <= 40; i++)
    send_text(self, a, "g", i);
  stage_drop(a);
  for (int i = 1; i <= 40; i++) {
    read_to(self, b, "g", i);
    stage_wait(self, 50);
  }
  stage_wait(self, 1000);
  size_t count = stage_count(a, "peer");
  assert_true(count >= 2 && count <= 4);
  for (size_t i = 1; i < count; i++)
    cJSON_Delete(stage_take(a, "peer", 0));
  cJSON *last = stage_take(a, "peer", 0);
  assert_int_equal(stage_number(last, "items.0.read_seq"), 40);
  cJSON_Delete(last);
  assert_int_equal(stage_count(b, "peer"), 0);
}

static void test_state__of_open_mentions_the_newest_256_are_kept(void **state) {
  stage *self = *state;
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  create(self, a, "g", "\"bob\"");
  for (int i = 1; i <= 300; i++)
    stage_do(self, a,
             "{\"t\":\"send\",\"op\":\"m%d\",\"conv\":\"g\",\"mentions\":%s}",
             i, i % 2 ? "\"all\"" : "[\"bob\"]");
  cJSON *row = stage_row(self, b, "g");
  assert_int_equal(cJSON_GetArraySize(stage_at(row, "mentions")), 256);
  assert_int_equal(stage_number(row, "mentions.0.seq"), 45);
  cJSON_Delete(row);
  stage_do(self, b,
           "{\"t\":\"read\",\"items\":[{\"conv\":\"g\",\"epoch\":0,\"seq\":1,"
           "\"cleared\":[300,299]}]}");
  row = stage_row(self, b, "g");
  assert_int_equal(cJSON_GetArraySize(stage_at(row, "mentions")), 254);
  cJSON_Delete(row);
  stage_restart(self);
  b = stage_connect(self, "b", "bob", false);
  row = stage_row(self, b, "g");
  assert_int_equal(cJSON_GetArraySize(stage_at(row, "mentions")), 254);
  cJSON_Delete(row);
}

static void
test_state__a_roster_does_not_tell_what_was_read_while_off(void **state) {
  stage *self = *state;
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  create(self, a, "g", "\"bob\"");
  for (int i = 1; i <= 9; i++)
    send_text(self, a, "g", i);
  read_to(self, b, "g", 4);
  stage_do(self, b, "{\"t\":\"settings\",\"receipts\":false}");
  read_to(self, b, "g", 7);
  cJSON *row = stage_row(self, a, "g");
  char *text = cJSON_PrintUnformatted(stage_at(row, "roster"));
  assert_null(strstr(text, "bob"));
  free(text);
  cJSON_Delete(row);
  stage_do(self, b, "{\"t\":\"settings\",\"receipts\":true}");
  read_to(self, b, "g", 8);
  row = stage_row(self, a, "g");
  const cJSON *entry;
  int stretches = 0;
  cJSON_ArrayForEach(entry, stage_at(row, "roster")) {
    if (strcmp(stage_text(entry, "user"), "bob") != 0) continue;
    stretches++;
    if (stage_number(entry, "join") == 1) {
      assert_int_equal(stage_number(entry, "leave"), 4);
      assert_int_equal(stage_number(entry, "read_seq"), 4);
    } else {
      assert_int_equal(stage_number(entry, "join"), 10);
      assert_int_equal(stage_number(entry, "read_seq"), -1);
    }
  }
  assert_int_equal(stretches, 2);
  cJSON_Delete(row);
}

static void
test_state__everybody_is_asked_to_report_before_a_drain(void **state) {
  stage *self = *state;
  player *a = stage_connect(self, "a", "ann", false);
  player *b = stage_connect(self, "b", "bob", false);
  server_report_now(self->server);
  stage_turn(self);
  assert_int_equal(stage_count(a, "report_now"), 1);
  assert_int_equal(stage_count(b, "report_now"), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_state__nothing_leaves_before_its_commit),
      TEST(test_state__dirty_rows_wait_for_the_commit_too),
      cmocka_unit_test(test_state__a_storage_that_fails_changes_nothing),
      cmocka_unit_test(test_state__nor_does_a_database_that_fails),
      TEST(test_state__what_was_answered_survives_a_restart),
      cmocka_unit_test(
          test_state__too_fast_is_answered_late_and_nothing_is_lost),
      cmocka_unit_test(
          test_state__what_waited_is_taken_when_the_connection_goes),
      cmocka_unit_test(test_state__other_frames_over_the_rate_are_refused),
      TEST(test_state__a_slow_connection_gets_one_row_in_place_of_messages),
      TEST(test_state__past_its_bound_a_slow_connection_is_resynced),
      TEST(test_state__pages_go_on_from_their_version),
      TEST(test_state__an_answer_too_large_comes_in_parts),
      TEST(test_state__malformed_frames_close_with_their_code),
      TEST(test_state__a_token_comes_in_hello_and_runs_out),
      TEST(test_state__who_is_disabled_is_closed_and_stays_out),
      TEST(test_state__frames_and_poll_are_a_connection),
      TEST(test_state__peers_merge_within_a_window),
      TEST(test_state__of_open_mentions_the_newest_256_are_kept),
      TEST(test_state__a_roster_does_not_tell_what_was_read_while_off),
      TEST(test_state__everybody_is_asked_to_report_before_a_drain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
