#include "wire/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char bytes[4096];

static sn_text *fresh(void) {
  static sn_text out;
  sn_text_fixed(&out, bytes, sizeof bytes);
  return &out;
}

static void test_write__hello_names_what_is_held(void **s) {
  (void)s;
  sn_put_hello(fresh(), 1, "phone", "b7", 88200);
  assert_string_equal(bytes, "{\"t\":\"hello\",\"id\":1,\"device\":\"phone\","
                             "\"incarnation\":\"b7\",\"version\":88200}");
  sn_put_hello(fresh(), 2, "a \"b\"", NULL, 5);
  assert_string_equal(bytes,
                      "{\"t\":\"hello\",\"id\":2,\"device\":\"a \\\"b\\\"\"}");
}

static void test_write__reports_are_items_of_a_read(void **s) {
  const uint64_t cleared[] = {12, 14};
  const seen_report plain = {.epoch = 0, .seq = 1011};
  const seen_report careful = {.epoch = 1,
                               .seq = 40,
                               .cleared = cleared,
                               .cleared_count = 2,
                               .keep = true};
  sn_text *out = fresh();
  (void)s;
  sn_put_list(out, SN_SAY_READ, 2);
  sn_put_report(out, true, "g_1", &plain);
  sn_put_report(out, false, "g_2", &careful);
  sn_put_list_end(out);
  assert_string_equal(
      bytes, "{\"t\":\"read\",\"id\":2,\"items\":["
             "{\"conv\":\"g_1\",\"epoch\":0,\"seq\":1011},"
             "{\"conv\":\"g_2\",\"epoch\":1,\"seq\":40,\"cleared\":[12,14],"
             "\"keep\":true}]}");
}

static void test_write__a_mark_keeps_its_op(void **s) {
  const seen_mark mark = {.expected_epoch = 0,
                          .expected_seq = 1011,
                          .target = 1004,
                          .op = UINT64_C(0x0123456789abcdef)};
  (void)s;
  sn_put_mark_unread(fresh(), 4, "g_1", &mark);
  assert_string_equal(bytes, "{\"t\":\"mark_unread\",\"id\":4,"
                             "\"op\":\"0123456789abcdef\",\"conv\":\"g_1\","
                             "\"expected\":{\"epoch\":0,\"seq\":1011},"
                             "\"target\":1004}");
}

static void test_write__delivered_and_fetch_are_lists_too(void **s) {
  sn_text *out = fresh();
  (void)s;
  sn_put_list(out, SN_SAY_DELIVERED, 3);
  sn_put_delivered(out, true, "g_1", 1012);
  sn_put_delivered(out, false, "g_2", 9007199254740991);
  sn_put_list_end(out);
  assert_string_equal(bytes, "{\"t\":\"delivered\",\"id\":3,\"items\":["
                             "{\"conv\":\"g_1\",\"seq\":1012},"
                             "{\"conv\":\"g_2\",\"seq\":9007199254740991}]}");
  out = fresh();
  sn_put_list(out, SN_SAY_FETCH, 6);
  sn_put_fetch(out, true, "g_1");
  sn_put_fetch(out, false, "g_9");
  sn_put_list_end(out);
  assert_string_equal(bytes,
                      "{\"t\":\"fetch\",\"id\":6,\"convs\":[\"g_1\",\"g_9\"]}");
}

static void test_write__ranges_and_settings(void **s) {
  (void)s;
  sn_put_range(fresh(), SN_SAY_SUBSCRIBE, 8, "g_1", (seen_run){990, 1011});
  assert_string_equal(bytes, "{\"t\":\"subscribe\",\"id\":8,\"conv\":\"g_1\","
                             "\"from\":990,\"to\":1011}");
  sn_put_set(fresh(), 9, "g_1",
             &(seen_settings){.has_muted = true, .muted = true});
  assert_string_equal(
      bytes, "{\"t\":\"set\",\"id\":9,\"conv\":\"g_1\",\"muted\":true}");
  sn_put_set(fresh(), 9, "g_1", &(seen_settings){.has_pinned = true});
  assert_string_equal(
      bytes, "{\"t\":\"set\",\"id\":9,\"conv\":\"g_1\",\"pinned\":false}");
}

static void test_write__a_message_says_what_differs(void **s) {
  const char *const users[] = {"bob", "cyd"};
  seen_post post = {.size = sizeof post, .body = "soup?\n"};
  (void)s;
  sn_put_post(fresh(), "g", &post);
  assert_string_equal(bytes, ",\"conv\":\"g\",\"body\":\"soup?\\u000a\"");
  post = (seen_post){.size = sizeof post,
                     .kind = SEEN_MESSAGE_EDIT,
                     .body = "stew",
                     .mentions = users,
                     .mention_count = 2,
                     .target = 7};
  sn_put_post(fresh(), "g", &post);
  assert_string_equal(bytes,
                      ",\"conv\":\"g\",\"body\":\"stew\",\"kind\":\"edit\","
                      "\"mentions\":[\"bob\",\"cyd\"],\"target\":7");
  post = (seen_post){
      .size = sizeof post, .mention_all = true, .countable = SEEN_COUNTABLE_NO};
  sn_put_post(fresh(), "g", &post);
  assert_string_equal(
      bytes, ",\"conv\":\"g\",\"countable\":false,\"mentions\":\"all\"");
}

static void test_write__people_and_their_part(void **s) {
  const char *const users[] = {"bob", "cyd"};
  const seen_creation creation = {.size = sizeof creation,
                                  .kind = SEEN_KIND_LARGE,
                                  .open = true,
                                  .moderated = true,
                                  .users = users,
                                  .user_count = 2};
  (void)s;
  sn_put_creation(fresh(), "g", &creation);
  assert_string_equal(bytes, ",\"conv\":\"g\",\"kind\":\"large\",\"open\":true,"
                             "\"moderated\":true,\"users\":[\"bob\",\"cyd\"]");
  sn_put_users(fresh(), "g", users, 1, SEEN_ROLE_BOT);
  assert_string_equal(bytes,
                      ",\"conv\":\"g\",\"users\":[\"bob\"],\"role\":\"bot\"");
  sn_put_users(fresh(), "g", users, 0, SEEN_ROLE_MEMBER);
  assert_string_equal(bytes, ",\"conv\":\"g\",\"users\":[]");
}

static void test_write__a_cursor_is_a_report(void **s) {
  const uint64_t cleared[] = {12};
  const seen_report report = {
      .epoch = 1, .seq = 40, .cleared = cleared, .cleared_count = 1};
  (void)s;
  sn_put_cursor(fresh(), "phone", &report);
  assert_string_equal(bytes, "{\"read_to_seq\":40,\"epoch\":1,"
                             "\"device_id\":\"phone\",\"cleared\":[12]}");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_write__hello_names_what_is_held),
      cmocka_unit_test(test_write__reports_are_items_of_a_read),
      cmocka_unit_test(test_write__a_mark_keeps_its_op),
      cmocka_unit_test(test_write__delivered_and_fetch_are_lists_too),
      cmocka_unit_test(test_write__ranges_and_settings),
      cmocka_unit_test(test_write__a_message_says_what_differs),
      cmocka_unit_test(test_write__people_and_their_part),
      cmocka_unit_test(test_write__a_cursor_is_a_report),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
