#include "store/sqlite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/folder.h"
#include "support/store.h"

static const char *path(void) {
  return test_folder_file(&test_here, "m");
}

static void write_file(const char *name) {
  test_file_write(test_folder_file(&test_here, name), name, strlen(name));
}

static int set_aside(void) {
  return sn_set_aside(seen_allocator_default(), path(), NULL);
}

static void test_aside__all_that_belongs_to_it_goes_along(void **state) {
  (void)state;
  write_file("m");
  write_file("m-wal");
  write_file("m-shm");
  write_file("m-lock");
  write_file("mother");
  assert_int_equal(set_aside(), SEEN_OK);
  assert_int_equal(test_folder_count(&test_here, "m.aside-"), 3);
  assert_false(test_file_exists(path()));
  assert_false(test_file_exists(test_folder_file(&test_here, "m-wal")));
  assert_false(test_file_exists(test_folder_file(&test_here, "m-shm")));
  assert_true(test_file_exists(test_folder_file(&test_here, "m-lock")));
  assert_true(test_file_exists(test_folder_file(&test_here, "mother")));
}

static void test_aside__many_in_one_second_have_many_names(void **state) {
  (void)state;
  for (size_t i = 1; i <= 3; i++) {
    write_file("m");
    assert_int_equal(set_aside(), SEEN_OK);
    assert_int_equal(test_folder_count(&test_here, "m.aside-"), i);
  }
}

static void test_aside__nothing_can_not_be_set_aside(void **state) {
  (void)state;
  assert_int_equal(set_aside(), SEEN_ENOTFOUND);
}

static void test_aside__without_memory_it_stays(void **state) {
  test_alloc memory;
  int status = SEEN_ENOMEM;
  (void)state;
  write_file("m");
  test_alloc_init(&memory);
  test_alloc_fail(&memory, 1);
  status = sn_set_aside(&memory.allocator, path(), NULL);
  assert_int_equal(status, SEEN_ENOMEM);
  assert_true(test_file_exists(path()));
  test_alloc_check(&memory);
}

static void test_aside__a_protected_folder_keeps_it(void **state) {
  int status;
  (void)state;
  write_file("m");
  test_folder_protect(&test_here, true);
  status = set_aside();
  test_folder_protect(&test_here, false);
  assert_int_equal(status, SEEN_EREADONLY);
  assert_true(test_file_exists(path()));
}

static void test_reset__what_is_not_there_is_not_found(void **state) {
  (void)state;
  assert_int_equal(seen_store_reset(path(), NULL), SEEN_ENOTFOUND);
  assert_int_equal(test_folder_count(&test_here, ""), 0);
}

static void test_reset__a_mirror_in_use_stays(void **state) {
  test_store *t = store_start();
  (void)state;
  store_open(t);
  assert_int_equal(seen_store_reset(t->options.path, NULL), SEEN_ELOCKED);
  assert_int_equal(test_folder_count(&t->folder, "mirror.db.aside"), 0);
  store_end(t);
}

static void test_reset__the_next_open_begins_anew(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  (void)state;
  store_open(t);
  store_put(t, &record, 1, 1);
  store_close(t);
  assert_int_equal(seen_store_reset(t->options.path, NULL), SEEN_OK);
  assert_in_range(test_folder_count(&t->folder, "mirror.db.aside-"), 1, 3);
  store_open(t);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_NEW);
  assert_int_equal(store_count(t), 0);
  store_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST_IN_FOLDER(test_aside__all_that_belongs_to_it_goes_along),
      TEST_IN_FOLDER(test_aside__many_in_one_second_have_many_names),
      TEST_IN_FOLDER(test_aside__nothing_can_not_be_set_aside),
      TEST_IN_FOLDER(test_aside__without_memory_it_stays),
      TEST_IN_FOLDER(test_aside__a_protected_folder_keeps_it),
      TEST_IN_FOLDER(test_reset__what_is_not_there_is_not_found),
      TEST_IN_FOLDER(test_reset__a_mirror_in_use_stays),
      TEST_IN_FOLDER(test_reset__the_next_open_begins_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
