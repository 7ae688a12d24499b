#define _POSIX_C_SOURCE 200809L

#include "base/platform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <fcntl.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/child.h"
#include "support/folder.h"

static const char *path(void) {
  return test_folder_file(&test_here, "lock");
}

static void test_lock__a_second_one_is_refused_here_too(void **state) {
  seen_error error = SEEN_ERROR_INIT;
  sn_lock first, second;
  (void)state;
  assert_int_equal(sn_platform_lock(path(), &first, NULL), SEEN_OK);
  assert_int_equal(sn_platform_lock(path(), &second, &error), SEEN_ELOCKED);
  assert_int_equal(second.handle, SN_UNLOCKED);
  assert_int_equal(error.code, SEEN_ELOCKED);
  sn_platform_unlock(&second);
  sn_platform_unlock(&first);
}

static void test_lock__unlocked_it_can_be_had_again(void **state) {
  sn_lock lock;
  (void)state;
  for (int i = 0; i < 3; i++) {
    assert_int_equal(sn_platform_lock(path(), &lock, NULL), SEEN_OK);
    sn_platform_unlock(&lock);
    assert_int_equal(lock.handle, SN_UNLOCKED);
    sn_platform_unlock(&lock);
  }
}

static void test_lock__no_other_descriptor_ends_it(void **state) {
  sn_lock lock, second;
  int other;
  (void)state;
  assert_int_equal(sn_platform_lock(path(), &lock, NULL), SEEN_OK);
  other = open(path(), O_RDWR);
  assert_true(other >= 0);
  close(other);
  assert_int_equal(sn_platform_lock(path(), &second, NULL), SEEN_ELOCKED);
  sn_platform_unlock(&lock);
}

static bool hold(void *unused) {
  static sn_lock lock;
  (void)unused;
  return sn_platform_lock(path(), &lock, NULL) == SEEN_OK;
}

static void test_lock__dies_with_its_process(void **state) {
  pid_t child = test_child_start(hold, NULL);
  sn_lock lock;
  (void)state;
  assert_int_equal(sn_platform_lock(path(), &lock, NULL), SEEN_ELOCKED);
  test_child_kill(child);
  assert_int_equal(sn_platform_lock(path(), &lock, NULL), SEEN_OK);
  sn_platform_unlock(&lock);
}

static void test_lock__deleted_by_its_holder_it_is_another_file(void **state) {
  const char *path = test_folder_file(&test_here, "lock");
  sn_lock first, second, third;
  (void)state;
  assert_int_equal(sn_platform_lock(path, &first, NULL), SEEN_OK);
  assert_int_equal(sn_platform_remove(path, NULL), SEEN_OK);
  assert_int_equal(sn_platform_lock(path, &second, NULL), SEEN_OK);
  sn_platform_unlock(&first);
  assert_int_equal(sn_platform_lock(path, &third, NULL), SEEN_ELOCKED);
  sn_platform_unlock(&second);
}

static void test_lock__a_protected_folder_has_none(void **state) {
  sn_lock lock;
  int status;
  (void)state;
  test_folder_protect(&test_here, true);
  status = sn_platform_lock(path(), &lock, NULL);
  test_folder_protect(&test_here, false);
  assert_int_equal(status, SEEN_EREADONLY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST_IN_FOLDER(test_lock__a_second_one_is_refused_here_too),
      TEST_IN_FOLDER(test_lock__unlocked_it_can_be_had_again),
      TEST_IN_FOLDER(test_lock__no_other_descriptor_ends_it),
      TEST_IN_FOLDER(test_lock__dies_with_its_process),
      TEST_IN_FOLDER(test_lock__deleted_by_its_holder_it_is_another_file),
      TEST_IN_FOLDER(test_lock__a_protected_folder_has_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
