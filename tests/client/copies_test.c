#include "client/copies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "support/alloc.h"

/* Strings that are gone after the copy was made. */
typedef struct source {
  char words[8][8];
  seen_text messages[2];
  const char *users[2];
  seen_reply reply;
} source;

static source *make_source(void) {
  static const char *const words[] = {"reason", "words", "g",  "cursor",
                                      "u1",     "hello", "u2", "u3"};
  source *s = calloc(1, sizeof *s);
  assert_non_null(s);
  for (size_t i = 0; i < 8; i++)
    strcpy(s->words[i], words[i]);
  s->messages[0] =
      (seen_text){.seq = 9, .from = s->words[4], .body = s->words[5]};
  s->messages[1] = (seen_text){.seq = 8, .from = s->words[6]};
  s->users[0] = s->words[6];
  s->users[1] = s->words[7];
  s->reply = (seen_reply){.size = sizeof s->reply,
                          .request = 7,
                          .reason = s->words[0],
                          .message = s->words[1],
                          .conv = s->words[2],
                          .messages = s->messages,
                          .message_count = 2,
                          .users = s->users,
                          .user_count = 2,
                          .cursor = s->words[3]};
  return s;
}

static void test_copies__a_reply_outlives_what_it_came_from(void **state) {
  test_alloc memory;
  source *s = make_source();
  seen_reply copy;
  void *block;
  (void)state;
  test_alloc_init(&memory);
  assert_int_equal(sn_copy_reply(&memory.allocator, &s->reply, &copy, &block),
                   SEEN_OK);
  memset(s, 0, sizeof *s);
  free(s);
  assert_int_equal(copy.request, 7);
  assert_string_equal(copy.reason, "reason");
  assert_string_equal(copy.message, "words");
  assert_string_equal(copy.conv, "g");
  assert_string_equal(copy.cursor, "cursor");
  assert_string_equal(copy.messages[0].from, "u1");
  assert_string_equal(copy.messages[0].body, "hello");
  assert_int_equal(copy.messages[1].seq, 8);
  assert_null(copy.messages[1].body);
  assert_string_equal(copy.users[1], "u3");
  sn_release(&memory.allocator, block);
  test_alloc_check(&memory);
}

static void test_copies__what_a_reply_lacks_its_copy_lacks(void **state) {
  const seen_reply bare = {
      .size = sizeof bare, .reason = "", .message = "", .conv = ""};
  test_alloc memory;
  seen_reply copy;
  void *block;
  (void)state;
  test_alloc_init(&memory);
  assert_int_equal(sn_copy_reply(&memory.allocator, &bare, &copy, &block),
                   SEEN_OK);
  assert_null(copy.messages);
  assert_null(copy.users);
  assert_null(copy.cursor);
  assert_string_equal(copy.conv, "");
  sn_release(&memory.allocator, block);
  test_alloc_check(&memory);
}

static void test_copies__without_memory_there_is_none(void **state) {
  test_alloc memory;
  source *s = make_source();
  seen_reply copy = {.request = 1};
  void *block = &memory;
  (void)state;
  test_alloc_init(&memory);
  test_alloc_fail(&memory, 1);
  assert_int_equal(sn_copy_reply(&memory.allocator, &s->reply, &copy, &block),
                   SEEN_ENOMEM);
  assert_int_equal(copy.request, 1);
  assert_ptr_equal(block, &memory);
  free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_copies__a_reply_outlives_what_it_came_from),
      cmocka_unit_test(test_copies__what_a_reply_lacks_its_copy_lacks),
      cmocka_unit_test(test_copies__without_memory_there_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
