#define _POSIX_C_SOURCE 200809L

#include "support/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

static void discard(seen_log_level level, const char *text, void *user_data) {
  (void)user_data;
  assert_in_range(level, SEEN_LOG_DEBUG, SEEN_LOG_ERROR);
  assert_true(text[0] != '\0' && !strchr(text, '\n'));
}

test_store *store_start(void) {
  test_store *t = calloc(1, sizeof *t);
  assert_non_null(t);
  test_folder_make(&t->folder);
  test_alloc_init(&t->memory);
  seen_sqlite_options_init(&t->options);
  t->options.path = strdup(test_folder_file(&t->folder, "mirror.db"));
  t->options.allocator = &t->memory.allocator;
  t->options.busy_ms = 0;
  t->options.log = discard;
  return t;
}

void store_end(test_store *t) {
  store_close(t);
  test_alloc_check(&t->memory);
  test_folder_remove(&t->folder);
  free((void *)t->options.path);
  free(t);
}

int store_try(test_store *t, seen_error *error) {
  return seen_store_open_sqlite(&t->options, &t->store, error);
}

void store_open(test_store *t) {
  seen_error error = SEEN_ERROR_INIT;
  if (store_try(t, &error)) fail_msg("%s", error.message);
}

void store_close(test_store *t) {
  if (t->store) t->store->close(t->store);
  t->store = NULL;
}

void store_reopen(test_store *t) {
  store_close(t);
  store_open(t);
}

static void succeed(int status, const seen_error *error) {
  if (status) fail_msg("%s: %s", seen_error_name(status), error->message);
}

static void end_change(test_store *t, uint64_t records) {
  seen_error error = SEEN_ERROR_INIT;
  succeed(t->store->put_totals(t->store, &t->totals, records, &error), &error);
  succeed(t->store->commit(t->store, &error), &error);
}

static void begin_change(test_store *t) {
  seen_error error = SEEN_ERROR_INIT;
  succeed(t->store->begin(t->store, false, &error), &error);
}

void store_put(test_store *t, const seen_record *record, uint64_t unread,
               uint64_t records) {
  seen_error error = SEEN_ERROR_INIT;
  seen_row row = test_row(unread);
  begin_change(t);
  succeed(t->store->put(t->store, record, &row, &error), &error);
  end_change(t, records);
}

void store_remove(test_store *t, const char *id, uint64_t records) {
  seen_error error = SEEN_ERROR_INIT;
  begin_change(t);
  succeed(t->store->remove(t->store, id, &error), &error);
  end_change(t, records);
}

void store_put_meta(test_store *t, const char *user, uint64_t version) {
  seen_error error = SEEN_ERROR_INIT;
  seen_meta meta = {sizeof meta, user, "phone", "first", version};
  begin_change(t);
  succeed(t->store->put_meta(t->store, &meta, &error), &error);
  succeed(t->store->commit(t->store, &error), &error);
}

/* Lines of loaded records, gathered to be sorted. */
typedef struct lines {
  char *text[400];
  size_t count;
} lines;

static int take(const seen_record *record, const seen_row *row,
                void *user_data) {
  lines *all = user_data;
  test_dump dump = {0};
  test_record_text(&dump, record);
  if (row)
    test_dump_say(&dump, "  shows %llu @%llu %d%d%d%d%d",
                  (unsigned long long)row->unread,
                  (unsigned long long)row->mentions, (int)row->badge,
                  row->exact, row->muted, row->marked_unread, row->listed);
  assert_in_range(all->count, 0, 399);
  all->text[all->count++] = dump.text;
  return SEEN_OK;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

test_loaded store_load(seen_store *store) {
  test_loaded loaded = {0};
  lines all = {.count = 0};
  loaded.status = store->load(store, take, &all, NULL);
  loaded.count = all.count;
  qsort(all.text, all.count, sizeof *all.text, by_text);
  test_dump_say(&loaded.text, "%s", "");
  for (size_t i = 0; i < all.count; i++) {
    test_dump_say(&loaded.text, "%s\n", all.text[i]);
    free(all.text[i]);
  }
  return loaded;
}

void store_loaded_free(test_loaded *loaded) {
  test_dump_free(&loaded->text);
}

size_t store_count(test_store *t) {
  return store_count_of(t->store);
}

size_t store_count_of(seen_store *store) {
  test_loaded loaded = store_load(store);
  assert_int_equal(loaded.status, SEEN_OK);
  store_loaded_free(&loaded);
  return loaded.count;
}

typedef struct wanted {
  const seen_record *record;
  uint64_t unread;
  size_t found;
} wanted;

static int look(const seen_record *record, const seen_row *row,
                void *user_data) {
  wanted *one = user_data;
  if (strcmp(record->id, one->record->id) != 0) return SEEN_OK;
  test_record_check(record, one->record);
  assert_non_null(row);
  assert_int_equal(row->unread, one->unread);
  one->found++;
  return SEEN_OK;
}

void store_has(test_store *t, const seen_record *record, uint64_t unread) {
  wanted one = {record, unread, 0};
  seen_error error = SEEN_ERROR_INIT;
  succeed(t->store->load(t->store, look, &one, &error), &error);
  assert_int_equal(one.found, 1);
}

static sqlite3 *connect(const test_store *t) {
  sqlite3 *database;
  assert_int_equal(sqlite3_open(t->options.path, &database), SQLITE_OK);
  sqlite3_busy_timeout(database, 30000);
  return database;
}

void store_sql(test_store *t, const char *sql) {
  sqlite3 *database = connect(t);
  char *text = NULL;
  if (sqlite3_exec(database, sql, NULL, NULL, &text))
    fail_msg("%s: %s", sql, text);
  sqlite3_close(database);
}

int64_t store_number(test_store *t, const char *sql) {
  sqlite3 *database = connect(t);
  sqlite3_stmt *statement;
  int64_t number;
  assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), 0);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  number = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return number;
}
