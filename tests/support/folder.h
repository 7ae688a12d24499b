/* A folder of a test's own, and what lies in it. */
#ifndef TESTS_SUPPORT_FOLDER_H
#define TESTS_SUPPORT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct test_folder {
  char path[256];
} test_folder;

/* Makes an empty one; removes it and what is in it. */
void test_folder_make(test_folder *folder);
void test_folder_remove(const test_folder *folder);

/*
 * A test of cmocka's that has a folder to itself: `test_here`, which is made
 * before it and removed after it.
 */
#define TEST_IN_FOLDER(test)                                                   \
  cmocka_unit_test_setup_teardown(test, test_folder_set_up,                    \
                                  test_folder_tear_down)

extern test_folder test_here;
int test_folder_set_up(void **state);
int test_folder_tear_down(void **state);

/* The path of a file in it; one of the last few is good at a time. */
const char *test_folder_file(const test_folder *folder, const char *name);

/* How many files have names that begin so. */
size_t test_folder_count(const test_folder *folder, const char *prefix);

/* Nothing in it can be written any longer, or again. */
void test_folder_protect(const test_folder *folder, bool on);

/* All of a file, NUL-terminated, for the caller to free. */
char *test_file_read(const char *path, size_t *size);
void test_file_write(const char *path, const void *bytes, size_t size);

bool test_file_exists(const char *path);

#endif
