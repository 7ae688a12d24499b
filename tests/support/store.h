/* A store under test, in a folder of its own, spoken to in one line. */
#ifndef TESTS_SUPPORT_STORE_H
#define TESTS_SUPPORT_STORE_H

#include <seen/sys/store.h>

#include "support/alloc.h"
#include "support/folder.h"
#include "support/record.h"

typedef struct test_store {
  test_folder folder;
  test_alloc memory;
  seen_sqlite_options options; /* of "mirror.db" in the folder */
  seen_store *store;           /* NULL: closed */
  seen_totals totals;          /* what is written with the next record */
} test_store;

/* A folder, and nothing opened yet; ends with nothing leaked. */
test_store *store_start(void);
void store_end(test_store *t);

/* Opens, asserting what comes of it. */
void store_open(test_store *t);
int store_try(test_store *t, seen_error *error);
void store_close(test_store *t);
void store_reopen(test_store *t);

/* One record, with a row of so many unread, or none, in a transaction, after
 * which there are `records`. */
void store_put(test_store *t, const seen_record *record, uint64_t unread,
               uint64_t records);
void store_remove(test_store *t, const char *id, uint64_t records);
void store_put_meta(test_store *t, const char *user, uint64_t version);

/* What load hands out, as text in the order of the ids. */
typedef struct test_loaded {
  int status;
  size_t count;
  test_dump text;
} test_loaded;

test_loaded store_load(seen_store *store);
void store_loaded_free(test_loaded *loaded);

/* How many records there are, all of which load. */
size_t store_count_of(seen_store *store);
size_t store_count(test_store *t);

/* The store has this record, and `unread` beside it. */
void store_has(test_store *t, const seen_record *record, uint64_t unread);

/* Runs SQL on the file beside the store, as any other program may. */
void store_sql(test_store *t, const char *sql);
int64_t store_number(test_store *t, const char *sql);

#endif
