/* cursor.c: what was asked comes back, and only signed. */
#include "cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t key[32] = {7}, other[32] = {8};

static cursor example(void) {
  cursor of = {.seq = 9007199254740991, .as_of = 88213};
  strcpy(of.asker, "ann");
  strcpy(of.conv, "g:1");
  strcpy(of.status, "unread");
  memset(of.last, 'x', 64);
  return of;
}

static void test_cursor__what_was_written_is_read(void **state) {
  char text[CURSOR_BYTES];
  cursor of = example(), found;
  (void)state;
  for (size_t length = 0; length <= 64; length++) {
    of.last[length] = '\0';
    cursor_write(&of, key, text);
    assert_null(strpbrk(text, "+/=&?#%"));
    memset(&found, 0, sizeof found);
    assert_true(cursor_read(&found, key, text));
    assert_string_equal(found.asker, of.asker);
    assert_string_equal(found.conv, of.conv);
    assert_string_equal(found.status, of.status);
    assert_string_equal(found.last, of.last);
    assert_int_equal(found.seq, of.seq);
    assert_int_equal(found.as_of, of.as_of);
    of.last[length] = 'x';
  }
}

static void test_cursor__each_changed_letter_is_seen(void **state) {
  char text[CURSOR_BYTES];
  cursor of = example(), found;
  (void)state;
  of.last[3] = '\0';
  cursor_write(&of, key, text);
  size_t length = strlen(text);
  /* The last letter may hold bits that no byte has. */
  for (size_t i = 0; i + 1 < length; i++) {
    char old = text[i];
    text[i] = old == 'A' ? 'B' : 'A';
    assert_false(cursor_read(&found, key, text));
    text[i] = old;
  }
  assert_false(cursor_read(&found, other, text));
  text[length - 4] = '\0';
  assert_false(cursor_read(&found, key, text));
}

static void test_cursor__what_is_none_is_refused(void **state) {
  char text[2 * CURSOR_BYTES];
  cursor found;
  (void)state;
  assert_false(cursor_read(&found, key, ""));
  assert_false(cursor_read(&found, key, "x"));
  assert_false(cursor_read(&found, key, "!!!!"));
  assert_false(cursor_read(&found, key, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"));
  memset(text, 'A', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  assert_false(cursor_read(&found, key, text));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cursor__what_was_written_is_read),
      cmocka_unit_test(test_cursor__each_changed_letter_is_seen),
      cmocka_unit_test(test_cursor__what_is_none_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
