#include "store/sqlite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_faults__each_code_has_its_meaning(void **state) {
  static const struct {
    int sqlite;
    int seen;
  } codes[] = {{SQLITE_OK, SEEN_OK},
               {SQLITE_DONE, SEEN_OK},
               {SQLITE_FULL, SEEN_EFULL},
               {SQLITE_READONLY, SEEN_EREADONLY},
               {SQLITE_READONLY_DIRECTORY, SEEN_EREADONLY},
               {SQLITE_PERM, SEEN_EREADONLY},
               {SQLITE_BUSY, SEEN_EBUSY},
               {SQLITE_BUSY_SNAPSHOT, SEEN_EBUSY},
               {SQLITE_LOCKED, SEEN_EBUSY},
               {SQLITE_PROTOCOL, SEEN_EBUSY},
               {SQLITE_IOERR, SEEN_EIO},
               {SQLITE_IOERR_READ, SEEN_EIO},
               {SQLITE_IOERR_FSYNC, SEEN_EIO},
               {SQLITE_IOERR_NOMEM, SEEN_ENOMEM},
               {SQLITE_NOMEM, SEEN_ENOMEM},
               {SQLITE_CANTOPEN, SEEN_EIO},
               {SQLITE_TOOBIG, SEEN_ERANGE},
               {SQLITE_CORRUPT, SEEN_ECORRUPT},
               {SQLITE_NOTADB, SEEN_ECORRUPT},
               {SQLITE_CONSTRAINT_UNIQUE, SEEN_ECORRUPT},
               {SQLITE_ERROR, SEEN_EIO},
               {SQLITE_INTERRUPT, SEEN_EIO},
               {SQLITE_MISUSE, SEEN_EIO}};
  (void)state;
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    assert_int_equal(sn_sqlite_code(NULL, codes[i].sqlite), codes[i].seen);
}

/* A disk in need is waited out; taken for corruption it would cost a file. */
static void test_faults__no_failure_of_a_disk_is_corruption(void **state) {
  (void)state;
  for (int detail = 0; detail < 40; detail++) {
    assert_int_not_equal(sn_sqlite_code(NULL, SQLITE_IOERR | detail << 8),
                         SEEN_ECORRUPT);
    assert_int_not_equal(sn_sqlite_code(NULL, SQLITE_FULL | detail << 8),
                         SEEN_ECORRUPT);
    assert_int_not_equal(sn_sqlite_code(NULL, SQLITE_CANTOPEN | detail << 8),
                         SEEN_ECORRUPT);
  }
}

static void test_faults__what_failed_is_told(void **state) {
  seen_error error = SEEN_ERROR_INIT;
  (void)state;
  assert_int_equal(sn_sqlite_fail(NULL, SQLITE_FULL, "writing", &error),
                   SEEN_EFULL);
  assert_int_equal(error.code, SEEN_EFULL);
  assert_non_null(strstr(error.message, "writing: "));
  assert_non_null(strstr(error.message, "(SQLite 13)"));
}

static void
test_faults__a_statement_that_does_not_fit_is_corruption(void **state) {
  sqlite3 *database;
  sqlite3_stmt *statement = NULL;
  seen_error error = SEEN_ERROR_INIT;
  (void)state;
  assert_int_equal(sqlite3_open(":memory:", &database), SQLITE_OK);
  assert_int_equal(
      sn_prepare(database, "SELECT x FROM nowhere", &statement, &error),
      SEEN_ECORRUPT);
  assert_null(statement);
  assert_non_null(strstr(error.message, "nowhere"));
  assert_int_equal(sn_prepare(database, "SELECT 1", &statement, NULL), SEEN_OK);
  sqlite3_finalize(statement);
  sqlite3_close(database);
}

static void test_faults__a_sqlite_before_3_24_is_refused(void **state) {
  seen_error error = SEEN_ERROR_INIT;
  (void)state;
  assert_int_equal(sn_sqlite_supported(3023001, &error), SEEN_EUNSUPPORTED);
  assert_string_equal(error.message,
                      "SQLite 3.24 or newer is needed, this one is 3.23.1");
  assert_int_equal(sn_sqlite_supported(3024000, &error), SEEN_OK);
  assert_int_equal(sn_sqlite_supported(sqlite3_libversion_number(), NULL),
                   SEEN_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_faults__each_code_has_its_meaning),
      cmocka_unit_test(test_faults__no_failure_of_a_disk_is_corruption),
      cmocka_unit_test(test_faults__what_failed_is_told),
      cmocka_unit_test(
          test_faults__a_statement_that_does_not_fit_is_corruption),
      cmocka_unit_test(test_faults__a_sqlite_before_3_24_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
