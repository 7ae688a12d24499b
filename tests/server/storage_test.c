/* Both storages, by the same tests: what is written is read, or undone. */
#define _POSIX_C_SOURCE 200809L

#include "server/stage.h"
#include "storage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int open_memory(void **state) {
  storage *self = malloc(sizeof *self);
  storage_memory_open(self, "b1");
  *state = self;
  return 0;
}

static int open_sqlite(void **state) {
  storage *self = malloc(sizeof *self);
  *state = self;
  return storage_sqlite_open(self, ":memory:", "b1", NULL);
}

static int close_storage(void **state) {
  storage *self = *state;
  self->close(self->self);
  free(self);
  return 0;
}

#define OK(call) assert_int_equal((call), SEEN_OK)

static stored_member a_member(const char *conv, const char *user,
                              uint64_t version) {
  return (stored_member){.conv = conv,
                         .user = user,
                         .role = ROLE_ADMIN,
                         .read = {1, 2, 3},
                         .marked_at = 4,
                         .join_seq = 5,
                         .leave_seq = SEEN_SEQ_MAX,
                         .receipt = 6,
                         .delivered = 7,
                         .excluded = "p5-9",
                         .past = "1-2:1:1",
                         .settled = 8,
                         .mentions = "3 4",
                         .muted = true,
                         .removed = true,
                         .version = version};
}

static int copy_member(void *into, const stored_membership *found) {
  stored_membership *copy = into;
  assert_string_equal(found->member.conv, "g");
  assert_string_equal(found->member.user, "ann");
  assert_string_equal(found->member.excluded, "p5-9");
  assert_string_equal(found->member.past, "1-2:1:1");
  assert_string_equal(found->member.mentions, "3 4");
  *copy = *found;
  return SEEN_OK;
}

static void is_as_written(storage *self) {
  stored_membership found = {.receipts = false};
  OK(self->each_member(self->self, "g", &found, copy_member));
  assert_true(found.receipts);
  assert_false(found.disabled);
  assert_int_equal(found.member.role, ROLE_ADMIN);
  assert_int_equal(found.member.read.epoch, 1);
  assert_int_equal(found.member.read.seq, 2);
  assert_int_equal(found.member.read.high, 3);
  assert_int_equal(found.member.marked_at, 4);
  assert_int_equal(found.member.join_seq, 5);
  assert_int_equal(found.member.leave_seq, SEEN_SEQ_MAX);
  assert_int_equal(found.member.receipt, 6);
  assert_int_equal(found.member.delivered, 7);
  assert_int_equal(found.member.settled, 8);
  assert_true(found.member.muted);
  assert_false(found.member.pinned);
  assert_true(found.member.removed);
  assert_int_equal(found.member.version, 9);
}

static void test_storage__a_member_is_read_as_written(void **state) {
  storage *self = *state;
  stored_member row = a_member("g", "ann", 9);
  stored_membership found;
  OK(self->begin(self->self));
  OK(self->put_member(self->self, &row));
  OK(self->commit(self->self, 9));
  is_as_written(self);
  stored_user user = {"ann", false, true, 10};
  OK(self->begin(self->self));
  OK(self->put_user(self->self, &user));
  OK(self->commit(self->self, 10));
  OK(self->each_member(self->self, "g", &found, copy_member));
  assert_false(found.receipts);
  assert_true(found.disabled);
}

static void put_conversation(storage *self, const char *conv,
                             uint64_t version) {
  stored_conversation row = {
      conv, SEEN_KIND_LARGE, CONVERSATION_OPEN, 20, 3, version, 12345};
  OK(self->put_conversation(self->self, &row));
}

static int count_members(void *into, const stored_membership *found) {
  (void)found;
  ++*(int *)into;
  return SEEN_OK;
}

static void test_storage__a_member_written_again_is_the_same_row(void **s) {
  storage *self = *s;
  stored_member other = {.conv = "g",
                         .user = "ann",
                         .excluded = "",
                         .past = "",
                         .mentions = "",
                         .pinned = true};
  stored_member row = a_member("g", "ann", 9);
  int count = 0;
  OK(self->begin(self->self));
  OK(self->put_member(self->self, &other));
  OK(self->put_member(self->self, &row));
  OK(self->commit(self->self, 10));
  OK(self->each_member(self->self, "g", &count, count_members));
  assert_int_equal(count, 1);
  is_as_written(self);
}

static void test_storage__what_is_rolled_back_never_was(void **state) {
  storage *self = *state;
  stored_conversation found;
  stored_root root;
  stored_user user;
  OK(self->begin(self->self));
  put_conversation(self, "g", 5);
  OK(self->commit(self->self, 5));
  OK(self->begin(self->self));
  put_conversation(self, "g", 6);
  put_conversation(self, "h", 7);
  put_conversation(self, "g", 8);
  stored_user row = {"ann", false, false, 8};
  OK(self->put_user(self->self, &row));
  OK(self->get_conversation(self->self, "g", &found));
  assert_int_equal(found.version, 8);
  self->rollback(self->self);
  OK(self->get_conversation(self->self, "g", &found));
  assert_int_equal(found.version, 5);
  assert_int_equal(found.kind, SEEN_KIND_LARGE);
  assert_int_equal(found.flags, CONVERSATION_OPEN);
  assert_int_equal(found.last_seq, 20);
  assert_int_equal(found.floor, 3);
  assert_int_equal(found.updated_at, 12345);
  assert_int_equal(self->get_conversation(self->self, "h", &found),
                   SEEN_ENOTFOUND);
  assert_int_equal(self->get_user(self->self, "ann", &user), SEEN_ENOTFOUND);
  OK(self->get_root(self->self, &root));
  assert_int_equal(root.version, 5);
  assert_string_equal(root.incarnation, "b1");
}

static void assert_incarnation(storage *self, const char *name) {
  stored_root root;
  OK(self->get_root(self->self, &root));
  assert_string_equal(root.incarnation, name);
  assert_int_equal(root.version, 5);
}

static void test_storage__another_history_keeps_the_rows(void **state) {
  storage *self = *state;
  stored_conversation found;
  OK(self->begin(self->self));
  put_conversation(self, "g", 5);
  OK(self->commit(self->self, 5));
  OK(self->begin(self->self));
  OK(self->put_incarnation(self->self, "b2"));
  self->rollback(self->self);
  assert_incarnation(self, "b1");
  OK(self->begin(self->self));
  OK(self->put_incarnation(self->self, "b3"));
  OK(self->commit(self->self, 5));
  assert_incarnation(self, "b3");
  OK(self->get_conversation(self->self, "g", &found));
  assert_int_equal(found.version, 5);
}

typedef struct names {
  char text[200];
} names;

static int add_row(void *into, const stored_row *found) {
  names *list = into;
  size_t length = strlen(list->text);
  snprintf(list->text + length, sizeof list->text - length, "%s:%d ",
           found->conv, (int)found->version);
  return SEEN_OK;
}

static void test_storage__rows_come_by_version_also_those_left(void **state) {
  storage *self = *state;
  names list = {""};
  OK(self->begin(self->self));
  put_conversation(self, "a", 10);
  put_conversation(self, "b", 30);
  put_conversation(self, "c", 40);
  stored_member row = a_member("a", "ann", 20);
  OK(self->put_member(self->self, &row));
  row = a_member("b", "ann", 5);
  OK(self->put_member(self->self, &row));
  row = a_member("c", "ann", 25);
  row.leave_seq = 7;
  OK(self->put_member(self->self, &row));
  row = a_member("c", "bob", 50);
  OK(self->put_member(self->self, &row));
  OK(self->commit(self->self, 50));
  OK(self->each_row(self->self, "ann", 0, 10, &list, add_row));
  assert_string_equal(list.text, "a:20 c:25 b:30 ");
  list.text[0] = '\0';
  OK(self->each_row(self->self, "ann", 20, 1, &list, add_row));
  assert_string_equal(list.text, "c:25 ");
}

static int add_seq(void *into, const stored_message *found) {
  names *list = into;
  size_t length = strlen(list->text);
  snprintf(list->text + length, sizeof list->text - length, "%d ",
           (int)found->seq);
  return SEEN_OK;
}

static void put_message(storage *self, uint64_t seq, const char *from,
                        unsigned state, const char *mentions) {
  stored_message row = {"g",   seq, 100 + 10 * seq, from, SEEN_MESSAGE_TEXT,
                        state, 0,   mentions,       5,    "hello"};
  OK(self->put_message(self->self, &row));
}

static void test_storage__messages_by_each_of_their_indexes(void **state) {
  storage *self = *state;
  names dead = {""}, said = {""}, own = {""}, before = {""};
  stored_message found;
  uint64_t seq;
  OK(self->begin(self->self));
  put_message(self, 1, "ann", 0, NULL);
  put_message(self, 2, "bob", MESSAGE_UNCOUNTABLE, "@ann");
  put_message(self, 3, "ann", MESSAGE_HELD, "");
  put_message(self, 4, "bob", 0, NULL);
  OK(self->set_message(self->self, "g", 4, MESSAGE_TAKEN_DOWN, true));
  OK(self->commit(self->self, 140));
  OK(self->each_uncountable(self->self, "g", &dead, add_seq));
  assert_string_equal(dead.text, "2 3 4 ");
  OK(self->each_mention(self->self, "g", &said, add_seq));
  assert_string_equal(said.text, "2 3 ");
  OK(self->each_from(self->self, "g", "ann", &own, add_seq));
  assert_string_equal(own.text, "1 3 ");
  OK(self->each_before(self->self, "g", 4, 2, &before, add_seq));
  assert_string_equal(before.text, "3 2 ");
  before.text[0] = '\0';
  OK(self->each_before(self->self, "g", 0, 2, &before, add_seq));
  assert_string_equal(before.text, "");
  OK(self->get_message(self->self, "g", 4, &found));
  assert_string_equal(found.body, "");
  assert_string_equal(found.from, "bob");
  assert_int_equal(found.state, MESSAGE_TAKEN_DOWN);
  OK(self->seq_at(self->self, "g", 129, &seq));
  assert_int_equal(seq, 2);
  OK(self->seq_at(self->self, "g", 5, &seq));
  assert_int_equal(seq, 0);
  OK(self->begin(self->self));
  OK(self->purge(self->self, "g", 2));
  OK(self->commit(self->self, 141));
  assert_int_equal(self->get_message(self->self, "g", 2, &found),
                   SEEN_ENOTFOUND);
  before.text[0] = '\0';
  OK(self->each_before(self->self, "g", SEEN_SEQ_MAX, 9, &before, add_seq));
  assert_string_equal(before.text, "4 3 ");
}

static void put_op(storage *self, const char *op, const char *of, uint64_t at) {
  stored_op row = {"ann", op, of, "g", "conflict", 7, at};
  OK(self->put_op(self->self, &row));
}

static void test_storage__ops_of_marks_stay_others_expire(void **state) {
  storage *self = *state;
  stored_op found;
  OK(self->begin(self->self));
  put_op(self, "x1", "mark_unread", 10);
  put_op(self, "x2", "send", 10);
  put_op(self, "x3", "send", 30);
  OK(self->expire_ops(self->self, 20));
  OK(self->commit(self->self, 1));
  OK(self->get_op(self->self, "ann", "x1", &found));
  assert_string_equal(found.code, "conflict");
  assert_string_equal(found.of, "mark_unread");
  assert_string_equal(found.conv, "g");
  assert_int_equal(found.seq, 7);
  assert_int_equal(self->get_op(self->self, "ann", "x2", &found),
                   SEEN_ENOTFOUND);
  OK(self->get_op(self->self, "ann", "x3", &found));
  assert_int_equal(self->get_op(self->self, "bob", "x1", &found),
                   SEEN_ENOTFOUND);
}

static void remove_file(const char *path) {
  char side[300];
  remove(path);
  snprintf(side, sizeof side, "%s-wal", path);
  remove(side);
  snprintf(side, sizeof side, "%s-shm", path);
  remove(side);
}

static void test_sqlite__a_file_is_there_again_and_keeps_its_name(void **s) {
  char path[] = "/tmp/seen-storage-XXXXXX";
  storage self;
  stored_root root;
  stored_conversation found;
  seen_error error = SEEN_ERROR_INIT;
  (void)s;
  close(mkstemp(path));
  OK(storage_sqlite_open(&self, path, "first", &error));
  OK(self.begin(self.self));
  put_conversation(&self, "g", 77);
  OK(self.commit(self.self, 77));
  self.close(self.self);
  OK(storage_sqlite_open(&self, path, "second", &error));
  OK(self.get_root(self.self, &root));
  assert_string_equal(root.incarnation, "first");
  assert_int_equal(root.version, 77);
  OK(self.get_conversation(self.self, "g", &found));
  self.close(self.self);
  remove_file(path);
}

static void test_sqlite__what_is_no_database_is_told(void **s) {
  char path[] = "/tmp/seen-storage-XXXXXX";
  seen_error error = SEEN_ERROR_INIT;
  storage self;
  (void)s;
  int file = mkstemp(path);
  for (int i = 0; i < 100; i++)
    assert_int_equal(write(file, "no database at all ", 19), 19);
  close(file);
  assert_int_equal(storage_sqlite_open(&self, path, "b1", &error),
                   SEEN_ECORRUPT);
  assert_non_null(strstr(error.message, path));
  assert_int_equal(
      storage_sqlite_open(&self, "/nowhere/at/all.db", "b1", &error),
      SEEN_EREADONLY);
  remove_file(path);
}

#define BOTH(test)                                                             \
  cmocka_unit_test_setup_teardown(test, open_memory, close_storage), {         \
#test " (sqlite)", test, open_sqlite, close_storage, NULL                  \
  }

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH(test_storage__a_member_is_read_as_written),
      BOTH(test_storage__a_member_written_again_is_the_same_row),
      BOTH(test_storage__what_is_rolled_back_never_was),
      BOTH(test_storage__another_history_keeps_the_rows),
      BOTH(test_storage__rows_come_by_version_also_those_left),
      BOTH(test_storage__messages_by_each_of_their_indexes),
      BOTH(test_storage__ops_of_marks_stay_others_expire),
      cmocka_unit_test(test_sqlite__a_file_is_there_again_and_keeps_its_name),
      cmocka_unit_test(test_sqlite__what_is_no_database_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
