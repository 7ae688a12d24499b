#include "base/platform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"
#include "support/folder.h"

static void test_stream__what_was_written_is_read(void **state) {
  const char *path = test_folder_file(&test_here, "a");
  sn_stream stream;
  uint8_t *bytes;
  size_t size;
  (void)state;
  assert_int_equal(sn_platform_create(path, &stream, NULL), SEEN_OK);
  assert_int_equal(sn_platform_write(&stream, "one", 3, NULL), SEEN_OK);
  assert_int_equal(sn_platform_write(&stream, "", 0, NULL), SEEN_OK);
  assert_int_equal(sn_platform_write(&stream, "two", 3, NULL), SEEN_OK);
  sn_platform_close(&stream);
  assert_int_equal(stream.handle, SN_NO_STREAM);
  sn_platform_close(&stream);
  assert_int_equal(sn_platform_load(path, SIZE_MAX, seen_allocator_default(),
                                    &bytes, &size, NULL),
                   SEEN_OK);
  assert_int_equal(size, 6);
  assert_memory_equal(bytes, "onetwo", 6);
  free(bytes);
}

static void test_stream__a_new_one_is_empty(void **state) {
  const char *path = test_folder_file(&test_here, "a");
  sn_stream stream;
  uint64_t size;
  (void)state;
  test_file_write(path, "old", 3);
  assert_int_equal(sn_platform_create(path, &stream, NULL), SEEN_OK);
  sn_platform_close(&stream);
  assert_int_equal(sn_platform_size(path, &size, NULL), SEEN_OK);
  assert_int_equal(size, 0);
}

static void test_load__no_more_than_is_asked_for(void **state) {
  const char *path = test_folder_file(&test_here, "a");
  uint8_t *bytes;
  size_t size;
  (void)state;
  test_file_write(path, "123456", 6);
  assert_int_equal(
      sn_platform_load(path, 4, seen_allocator_default(), &bytes, &size, NULL),
      SEEN_OK);
  assert_int_equal(size, 4);
  assert_memory_equal(bytes, "1234", 4);
  free(bytes);
}

static void test_load__a_large_file(void **state) {
  const char *path = test_folder_file(&test_here, "a");
  size_t most = 300000;
  char *text = malloc(most);
  uint8_t *bytes;
  size_t size;
  (void)state;
  assert_non_null(text);
  for (size_t i = 0; i < most; i++)
    text[i] = (char)(i % 251);
  test_file_write(path, text, most);
  assert_int_equal(sn_platform_load(path, SIZE_MAX, seen_allocator_default(),
                                    &bytes, &size, NULL),
                   SEEN_OK);
  assert_int_equal(size, most);
  assert_memory_equal(bytes, text, most);
  free(bytes);
  free(text);
}

static void test_load__without_memory_nothing_leaks(void **state) {
  const char *path = test_folder_file(&test_here, "a");
  test_alloc memory;
  uint8_t *bytes;
  size_t size;
  (void)state;
  test_file_write(path, "123456", 6);
  test_alloc_init(&memory);
  test_alloc_fail(&memory, 1);
  assert_int_equal(
      sn_platform_load(path, SIZE_MAX, &memory.allocator, &bytes, &size, NULL),
      SEEN_ENOMEM);
  assert_null(bytes);
  test_alloc_check(&memory);
}

static void test_stream__what_can_not_be_is_told(void **state) {
  seen_error error = SEEN_ERROR_INIT;
  sn_stream stream;
  uint8_t *bytes;
  size_t size;
  (void)state;
  assert_int_equal(sn_platform_load(test_folder_file(&test_here, "none"),
                                    SIZE_MAX, seen_allocator_default(), &bytes,
                                    &size, &error),
                   SEEN_ENOTFOUND);
  assert_non_null(strstr(error.message, "can't open"));
  assert_int_equal(sn_platform_create(test_here.path, &stream, &error),
                   SEEN_EREADONLY);
  assert_non_null(strstr(error.message, "can't make"));
  assert_int_equal(stream.handle, SN_NO_STREAM);
}

static void test_stream__a_full_disk_is_told(void **state) {
  seen_error error = SEEN_ERROR_INIT;
  sn_stream stream;
  (void)state;
  if (sn_platform_create("/dev/full", &stream, NULL) != SEEN_OK) skip();
  assert_int_equal(sn_platform_write(&stream, "one", 3, &error), SEEN_EFULL);
  assert_non_null(strstr(error.message, "can't write"));
  sn_platform_close(&stream);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST_IN_FOLDER(test_stream__what_was_written_is_read),
      TEST_IN_FOLDER(test_stream__a_new_one_is_empty),
      TEST_IN_FOLDER(test_load__no_more_than_is_asked_for),
      TEST_IN_FOLDER(test_load__a_large_file),
      TEST_IN_FOLDER(test_load__without_memory_nothing_leaks),
      TEST_IN_FOLDER(test_stream__what_can_not_be_is_told),
      cmocka_unit_test(test_stream__a_full_disk_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
