#include "token.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/folder.h"

#define SECRET "a secret of more than 32 bytes, to test"

enum { NOW = 1700000000, HOUR = 3600 };

typedef struct scene {
  test_folder folder;
  token_key *key;
  char *token; /* ann's, for an hour from NOW on */
} scene;

static void begin(scene *s) {
  char why[512];
  const char *path;
  test_folder_make(&s->folder);
  path = test_folder_file(&s->folder, "key");
  test_file_write(path, SECRET, strlen(SECRET));
  s->key = token_key_open(path, why);
  assert_non_null(s->key);
  s->token = token_make(s->key, "ann", false, HOUR, (uint64_t)NOW * 1000);
  assert_non_null(s->token);
}

static void end(scene *s) {
  free(s->token);
  token_key_close(s->key);
  test_folder_remove(&s->folder);
}

static bool is_taken_at(const scene *s, const char *token, uint64_t seconds) {
  identity who;
  return token_check(s->key, token, seconds * 1000, &who) &&
         strcmp(who.user, "ann") == 0 && !who.admin;
}

static void test_token__holds_for_its_time(void **state) {
  scene s;
  (void)state;
  begin(&s);
  assert_true(is_taken_at(&s, s.token, NOW));
  assert_true(is_taken_at(&s, s.token, NOW + HOUR - 1));
  assert_false(is_taken_at(&s, s.token, NOW + HOUR));
  end(&s);
}

/* Its parts are [0 …), [1 …) and [2 …), each with the dot behind it. */
static void cut(const char *token, const char *parts[3], size_t lengths[3]) {
  for (int i = 0; i < 3; i++) {
    parts[i] = token;
    lengths[i] = strcspn(token, ".");
    token += lengths[i] + 1;
  }
}

/* libjwt 1.10 writes behind what it makes of an empty part. */
static void test_token__each_part_has_something_in_it(void **state) {
  const char *parts[3];
  size_t lengths[3];
  char text[1000];
  scene s;
  (void)state;
  begin(&s);
  cut(s.token, parts, lengths);
  for (int empty = 0; empty < 8; empty++) {
    snprintf(text, sizeof text, "%.*s.%.*s.%.*s",
             empty & 1 ? 0 : (int)lengths[0], parts[0],
             empty & 2 ? 0 : (int)lengths[1], parts[1],
             empty & 4 ? 0 : (int)lengths[2], parts[2]);
    assert_int_equal(is_taken_at(&s, text, NOW), empty == 0);
  }
  end(&s);
}

static void test_token__has_three_parts_of_base64url(void **state) {
  static const char *const behind[] = {".", ".x", "=", "+", "/", " ", "\n"};
  char text[1000];
  scene s;
  (void)state;
  begin(&s);
  for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
    snprintf(text, sizeof text, "%s%s", s.token, behind[i]);
    assert_false(is_taken_at(&s, text, NOW));
  }
  assert_false(is_taken_at(&s, "", NOW));
  assert_false(is_taken_at(&s, "x", NOW));
  assert_false(is_taken_at(&s, "x.y", NOW));
  end(&s);
}

static void test_token__one_changed_character_is_another_token(void **state) {
  size_t length;
  scene s;
  (void)state;
  begin(&s);
  length = strlen(s.token);
  for (size_t i = 0; i < length; i += 7) {
    char was = s.token[i];
    if (was == '.') continue;
    s.token[i] = was == 'A' ? 'B' : 'A';
    assert_false(is_taken_at(&s, s.token, NOW));
    s.token[i] = was;
  }
  end(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_token__holds_for_its_time),
      cmocka_unit_test(test_token__each_part_has_something_in_it),
      cmocka_unit_test(test_token__has_three_parts_of_base64url),
      cmocka_unit_test(test_token__one_changed_character_is_another_token),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
