/*
 * What cannot be done for less by SQLite: rows of the same size written by one
 * prepared UPSERT, and read into structs by one SELECT, with the settings that
 * the store has, and nothing else around them.
 */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bare {
  sqlite3 *database;
  sqlite3_stmt *put;
  char *record;
  size_t record_size;
} bare;

/* A new file; each record has that many bytes. */
void bare_open(bare *self, const char *path, size_t record_size);
void bare_close(bare *self);

void bare_begin(bare *self);
void bare_put(bare *self, const char *id, uint64_t seq);
void bare_commit(bare *self);

enum { BARE_NUMBERS = 28, BARE_ID = 32 };

/* A conversation as a table with a column a field has it. */
typedef struct bare_row {
  char id[BARE_ID];
  int64_t numbers[BARE_NUMBERS];
} bare_row;

/* A new file with such a table of that many rows. */
void bare_make_table(const char *path, size_t count);

/* Opens it and reads all rows; returns how many there were. */
size_t bare_read_table(const char *path, bare_row *rows, size_t most);

/* The rows of a mirror, its records copied as they are. */
size_t bare_read_mirror(const char *path, bare_row *rows, size_t most);

/* The mean size of the records of a mirror. */
size_t bare_record_size(const char *path);

#endif
