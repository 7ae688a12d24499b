#include "trace/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void check(const sn_words *words, unsigned value, const char *word) {
  if (word == NULL)
    assert_null(words->name(value));
  else
    assert_string_equal(words->name(value), word);
}

static void test_words__each_value_has_the_word_of_the_page(void **s) {
  (void)s;
  check(&sn_words_kind, SEEN_KIND_DIRECT, "direct");
  check(&sn_words_kind, SEEN_KIND_LARGE, "large");
  check(&sn_words_message_kind, SEEN_MESSAGE_TEXT, "text");
  check(&sn_words_message_kind, SEEN_MESSAGE_REACTION, "reaction");
  check(&sn_words_why, SEEN_MENTION_QUOTE, "quote");
  check(&sn_words_refusal, SEEN_REFUSAL_CONFLICT, "conflict");
  check(&sn_words_refusal, SEEN_REFUSAL_NOT_FOUND, "not_found");
  check(&sn_words_request, SEEN_REQUEST_READ_ALL, "read_all");
  check(&sn_words_read_policy, SEEN_READ_ON_OPEN, "on_open");
  check(&sn_words_own_send, SEEN_OWN_SEND_READS, "reads");
  check(&sn_words_receipt_state, SEEN_RECEIPT_DELIVERED, "delivered");
  check(&sn_words_app, 1, "foreground");
  check(&sn_words_link, 0, "down");
}

static void test_words__what_is_no_value_has_no_word(void **s) {
  const sn_words *all[] = {&sn_words_kind,     &sn_words_message_kind,
                           &sn_words_why,      &sn_words_refusal,
                           &sn_words_request,  &sn_words_read_policy,
                           &sn_words_own_send, &sn_words_receipt_state,
                           &sn_words_app,      &sn_words_link};
  size_t i;
  (void)s;
  check(&sn_words_why, SEEN_MENTION_NONE, NULL);
  check(&sn_words_refusal, 0, NULL);
  for (i = 0; i < SN_COUNT_OF(all); i++)
    check(all[i], SN_WORDS_MAX, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_words__each_value_has_the_word_of_the_page),
      cmocka_unit_test(test_words__what_is_no_value_has_no_word),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
