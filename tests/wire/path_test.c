#include "wire/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_path__pages_of_rows_name_where_they_begin(void **s) {
  char bytes[256];
  sn_text out;
  (void)s;
  sn_text_fixed(&out, bytes, sizeof bytes);
  sn_path_conversations(&out, 88213, 200);
  assert_string_equal(bytes, "/im/conversations?after=88213&limit=200");
}

static void test_path__an_id_is_encoded_byte_by_byte(void **s) {
  char bytes[256];
  sn_text out;
  (void)s;
  sn_text_fixed(&out, bytes, sizeof bytes);
  sn_path_read_cursor(&out, "a/b c?d:\xc3\xa9%~-._Z");
  assert_string_equal(bytes, "/im/conversations/a%2Fb%20c%3Fd%3A%C3%A9%25~-._Z"
                             "/read-cursor");
}

static void test_path__readers_are_asked_for_by_conversation_and_seq(void **s) {
  char bytes[256];
  sn_text out;
  (void)s;
  sn_text_fixed(&out, bytes, sizeof bytes);
  sn_path_readers(&out, "g 1", 1011, SEEN_ASK_COUNTS, NULL, 100);
  assert_string_equal(bytes, "/im/messages/g%201%3A1011/read-receipts");
  sn_text_fixed(&out, bytes, sizeof bytes);
  sn_path_readers(&out, "g", 7, SEEN_ASK_UNREAD, NULL, 50);
  assert_string_equal(
      bytes, "/im/messages/g%3A7/read-receipts?status=unread&limit=50");
  sn_text_fixed(&out, bytes, sizeof bytes);
  sn_path_readers(&out, "g", 7, SEEN_ASK_READ, "Zy4+/=", 50);
  assert_string_equal(bytes, "/im/messages/g%3A7/read-receipts?status=read"
                             "&limit=50&cursor=Zy4%2B%2F%3D");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_path__pages_of_rows_name_where_they_begin),
      cmocka_unit_test(test_path__an_id_is_encoded_byte_by_byte),
      cmocka_unit_test(
          test_path__readers_are_asked_for_by_conversation_and_seq),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
