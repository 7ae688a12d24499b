/*
 * Large conversations: what is written and sent does not follow the number of
 * members, and a count costs microseconds.
 */
#define _POSIX_C_SOURCE 200809L

#include "audience.h"
#include "conversations.h"
#include "server/faulty.h"
#include "server/stage.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Members m0, m1 …; m0 is an admin. */
static void put_members(storage *into, const char *conv, seen_kind kind,
                        uint64_t members, uint64_t last_seq) {
  stored_conversation row = {conv, kind, 0, last_seq, 0, 1, 0};
  assert_int_equal(into->begin(into->self), SEEN_OK);
  assert_int_equal(into->put_conversation(into->self, &row), SEEN_OK);
  for (uint64_t i = 0; i < members; i++) {
    char user[32];
    snprintf(user, sizeof user, "m%" PRIu64, i);
    stored_member row_of = {.conv = conv,
                            .user = user,
                            .role = i ? ROLE_MEMBER : ROLE_ADMIN,
                            .join_seq = 1,
                            .leave_seq = SEEN_SEQ_MAX,
                            .receipt = last_seq ? i % last_seq : 0,
                            .delivered = last_seq ? i % last_seq : 0,
                            .excluded = "",
                            .past = "",
                            .mentions = "",
                            .version = 1};
    assert_int_equal(into->put_member(into->self, &row_of), SEEN_OK);
  }
  assert_int_equal(into->commit(into->self, 1), SEEN_OK);
}

static void send_one(stage *self, player *from, const char *conv, int n) {
  stage_do(self, from,
           "{\"t\":\"send\",\"op\":\"%s-%d\",\"conv\":\"%s\",\"mentions\":"
           "\"all\"}",
           conv, n, conv);
}

static uint64_t writes_of_a_send(uint64_t members) {
  static stage self;
  storage inner;
  faulty over;
  storage_memory_open(&inner, "b1");
  put_members(&inner, "g", SEEN_KIND_LARGE, members, 0);
  faulty_begin(&over, inner);
  stage_begin(&self, over.storage, NULL);
  player *a = stage_connect(&self, "a", "m0", false);
  send_one(&self, a, "g", 1);
  uint64_t before = over.writes;
  send_one(&self, a, "g", 2);
  /* cppcheck-suppress duplicateExpression; the storage counts its calls */
  uint64_t writes = over.writes - before;
  stage_end(&self);
  return writes;
}

static void test_scale__a_send_writes_as_much_to_2_as_to_20000(void **state) {
  (void)state;
  uint64_t writes = writes_of_a_send(2);
  assert_int_equal(writes, 3); /* message, last_seq, op */
  assert_int_equal(writes_of_a_send(20000), writes);
}

static void read_by_report(stage *self, connection *from, unsigned n,
                           unsigned seq) {
  char frame[200];
  int length = snprintf(frame, sizeof frame,
                        "{\"t\":\"read\",\"id\":%u,\"items\":[{\"conv\":\"g\","
                        "\"epoch\":0,\"seq\":%u}]}",
                        n + 10, seq);
  server_frame(self->server, from, frame, (size_t)length, self->now);
}

/* 10,000 of 20,000 read within a second; subscribers are told in windows. */
static void
test_scale__what_is_sent_follows_subscribers_and_windows(void **state) {
  enum { MEMBERS = 20000, READERS = 10000, SUBSCRIBERS = 3, WINDOWS = 2 };
  static stage self;
  static const char hello[] = "{\"t\":\"hello\",\"id\":1,\"device\":\"d\"}";
  storage over;
  (void)state;
  storage_memory_open(&over, "b1");
  put_members(&over, "g", SEEN_KIND_LARGE, MEMBERS, 0);
  stage_begin(&self, over, NULL);
  player *senders[SUBSCRIBERS];
  for (int i = 0; i < SUBSCRIBERS; i++) {
    char name[32];
    snprintf(name, sizeof name, "s%d", i);
    senders[i] = stage_connect(&self, name, "m0", false);
  }
  for (int i = 1; i <= 5; i++)
    send_one(&self, senders[0], "g", i);
  for (int i = 0; i < SUBSCRIBERS; i++)
    stage_do(&self, senders[i],
             "{\"t\":\"subscribe\",\"conv\":\"g\",\"from\":1,\"to\":5}");
  connection **readers = malloc(READERS * sizeof(connection *));
  for (unsigned i = 0; i < READERS; i++) {
    identity who = {.admin = false};
    snprintf(who.user, sizeof who.user, "m%u", i + 1);
    readers[i] = server_connect(self.server, &who, NULL, self.now);
    server_frame(self.server, readers[i], hello, sizeof hello - 1, self.now);
  }
  stage_turn(&self);
  for (int i = 0; i < SUBSCRIBERS; i++)
    stage_drop(senders[i]);
  uint64_t pushes = server_metrics(self.server)->pushes;
  for (unsigned i = 0; i < READERS; i++) {
    read_by_report(&self, readers[i], i, 5);
    if (i % 10 == 9) stage_wait(&self, 1);
  }
  stage_wait(&self, 1000);
  uint64_t told = server_metrics(self.server)->pushes - pushes;
  assert_true(told >= SUBSCRIBERS);
  assert_true(told <= (uint64_t)SUBSCRIBERS * (WINDOWS + 1));
  for (int i = 0; i < SUBSCRIBERS; i++) {
    size_t count = stage_count(senders[i], "receipts");
    assert_true(count <= WINDOWS + 1);
    while (--count)
      cJSON_Delete(stage_take(senders[i], "receipts", 0));
    cJSON *last = stage_take(senders[i], "receipts", 0);
    assert_int_equal(stage_number(last, "rows.4.1"), READERS);
    assert_int_equal(stage_number(last, "rows.4.2"), MEMBERS - 1);
    cJSON_Delete(last);
  }
  free(readers);
  stage_end(&self);
}

/* How long one takes is server_bench's to say. */
static void test_scale__counts_at_100000_members_are_exact(void **state) {
  enum { MEMBERS = 100000, COUNTS = 2000, LAST = 100000 };
  static stage self;
  storage over;
  uint64_t seed = stage_seed();
  (void)state;
  storage_memory_open(&over, "b1");
  put_members(&over, "g", SEEN_KIND_LARGE, MEMBERS, LAST);
  stage_begin(&self, over, NULL);
  conversation *conv = conversations_find(self.server, "g");
  const member *sender = conversations_member(conv, "m0");
  for (int i = 0; i < COUNTS; i++) {
    uint64_t seq = 1 + stage_random(&seed, LAST);
    counts found = audience_count(conv, seq, sender);
    assert_int_equal(found.audience, MEMBERS - 1);
    assert_int_equal(found.read, MEMBERS - seq);
  }
  stage_end(&self);
}

static void test_scale__what_is_not_used_leaves_the_cache(void **state) {
  static stage self;
  storage over;
  (void)state;
  storage_memory_open(&over, "b1");
  put_members(&over, "g", SEEN_KIND_LARGE, 5000, 0);
  put_members(&over, "h", SEEN_KIND_LARGE, 5000, 0);
  limits small;
  limits_init(&small);
  small.cache_entries = 6000;
  stage_begin(&self, over, &small);
  player *a = stage_connect(&self, "a", "m0", false);
  for (int i = 1; i <= 4; i++) {
    send_one(&self, a, i % 2 ? "g" : "h", i);
    assert_true(server_metrics(self.server)->conversations_loaded <= 1);
  }
  assert_true(server_metrics(self.server)->conversations_evicted >= 3);
  cJSON *row = stage_row(&self, a, "g");
  assert_int_equal(stage_number(row, "last_seq"), 2);
  cJSON_Delete(row);
  stage_end(&self);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scale__a_send_writes_as_much_to_2_as_to_20000),
      cmocka_unit_test(
          test_scale__what_is_sent_follows_subscribers_and_windows),
      cmocka_unit_test(test_scale__counts_at_100000_members_are_exact),
      cmocka_unit_test(test_scale__what_is_not_used_leaves_the_cache),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
