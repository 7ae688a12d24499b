#include "store/sqlite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* A database in memory with the tables of the latest schema, or none. */
static void begin(sn_sqlite *self, bool tables) {
  memset(self, 0, sizeof *self);
  assert_int_equal(sqlite3_open(":memory:", &self->database), SQLITE_OK);
  if (tables)
    assert_int_equal(
        sn_schema_upgrade(self->database, 0, SN_SCHEMA_LATEST, NULL), SEEN_OK);
}

/* SQLite closes only where nothing is prepared any more. */
static void end(sn_sqlite *self) {
  sn_statements_finalize(self);
  assert_int_equal(sqlite3_close(self->database), SQLITE_OK);
}

static void test_statements__all_are_of_the_latest_schema(void **state) {
  sn_sqlite self;
  (void)state;
  begin(&self, true);
  assert_int_equal(sn_statements_prepare(&self, NULL), SEEN_OK);
  for (size_t i = 0; i < SN_STATEMENTS; i++)
    assert_non_null(self.statements[i]);
  end(&self);
  sn_statements_finalize(&self); /* once more is nothing */
}

static void test_statements__without_their_tables_there_are_none(void **state) {
  seen_error error = SEEN_ERROR_INIT;
  sn_sqlite self;
  (void)state;
  begin(&self, false);
  assert_int_equal(sn_statements_prepare(&self, &error), SEEN_ECORRUPT);
  assert_non_null(strstr(error.message, "conversation"));
  end(&self);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_statements__all_are_of_the_latest_schema),
      cmocka_unit_test(test_statements__without_their_tables_there_are_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
