#include "net/trust.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/folder.h"

static void test_trust__a_key_is_the_base64_of_a_digest(void **state) {
  /* The SHA-256 of "abc". */
  static const char text[] = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
  sn_key key;
  (void)state;
  assert_true(sn_trust_read_key(text, &key));
  assert_true(sn_trust_is_key(&key, "abc", 3));
  assert_false(sn_trust_is_key(&key, "abd", 3));
  assert_false(sn_trust_is_key(&key, "", 0));
  assert_string_equal(key.base64, text);
}

static void test_trust__other_texts_are_no_key(void **state) {
  static const char *const bad[] = {
      "",
      "abc",
      "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0",
      "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0==",
      "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa00",
      "!ngWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="};
  sn_key key;
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (sn_trust_read_key(bad[i], &key)) fail_msg("%s was taken", bad[i]);
}

static int check(const char *path, seen_error *error) {
  return sn_trust_check_file(seen_allocator_default(), path, error);
}

static void test_trust__a_file_without_a_certificate_is_refused(void **state) {
  static const char empty_one[] = "-----BEGIN CERTIFICATE-----\n"
                                  "bm8gY2VydGlmaWNhdGU=\n"
                                  "-----END CERTIFICATE-----\n";
  const char *path = test_folder_file(&test_here, "ca");
  seen_error error = SEEN_ERROR_INIT;
  (void)state;
  assert_int_equal(check(path, &error), SEEN_ENOTFOUND);
  test_file_write(path, "hello\n", 6);
  assert_int_equal(check(path, &error), SEEN_EPARSE);
  assert_non_null(strstr(error.message, "no certificate"));
  test_file_write(path, empty_one, sizeof empty_one - 1);
  assert_int_equal(check(path, NULL), SEEN_EPARSE);
}

static void test_trust__encodes_a_user(void **state) {
  char base64[SN_BASE64_MAX], user[256];
  (void)state;
  sn_trust_encode("Aladdin:open sesame", base64);
  assert_string_equal(base64, "QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  memset(user, 'x', sizeof user - 1);
  user[sizeof user - 1] = '\0';
  sn_trust_encode(user, base64);
  assert_int_equal(strlen(base64), 340);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_trust__a_key_is_the_base64_of_a_digest),
      cmocka_unit_test(test_trust__other_texts_are_no_key),
      TEST_IN_FOLDER(test_trust__a_file_without_a_certificate_is_refused),
      cmocka_unit_test(test_trust__encodes_a_user),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
