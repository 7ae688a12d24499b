/*
 * The statements are the least that could hold the same facts: a position by
 * conversation and user, found again by both and, for counts, by its seq.
 */
#include "bare.h"

#include "stage.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONVERSATIONS = 100, USERS = 4, LIST = 100, ROUNDS = 200 };

static void run(sqlite3 *db, const char *sql) {
  if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK) return;
  fprintf(stderr, "server_bench: %s: %s\n", sql, sqlite3_errmsg(db));
  exit(1);
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *made;

  if (sqlite3_prepare_v2(db, sql, -1, &made, NULL) != SQLITE_OK) abort();
  return made;
}

static void upsert(sqlite3_stmt *with, size_t number) {
  char conv[16], user[16];

  snprintf(conv, sizeof conv, "g%zu", number % CONVERSATIONS);
  snprintf(user, sizeof user, "user%zu", number / CONVERSATIONS % USERS);
  sqlite3_bind_text(with, 1, conv, -1, SQLITE_STATIC);
  sqlite3_bind_text(with, 2, user, -1, SQLITE_STATIC);
  sqlite3_bind_int64(with, 3,
                     (sqlite3_int64)number / CONVERSATIONS / USERS + 1);
  if (sqlite3_step(with) != SQLITE_DONE) abort();
  sqlite3_reset(with);
}

double bare_upserts(const char *path, size_t batch, size_t transactions) {
  sqlite3_stmt *with;
  uint64_t began;
  size_t number = 0;
  sqlite3 *db;

  if (sqlite3_open(path, &db) != SQLITE_OK) abort();
  run(db, "PRAGMA journal_mode=WAL");
  run(db, "PRAGMA synchronous=FULL");
  run(db, "CREATE TABLE position(conv TEXT, user TEXT, epoch INT, seq INT,"
          " high INT, PRIMARY KEY(conv, user)) WITHOUT ROWID");
  with = prepare(db, "INSERT INTO position VALUES(?1,?2,0,?3,0) ON CONFLICT"
                     " DO UPDATE SET seq=max(seq,excluded.seq)");
  began = stage_now();
  for (size_t i = 0; i < transactions; i++) {
    run(db, "BEGIN IMMEDIATE");
    for (size_t at = 0; at < batch; at++)
      upsert(with, number++);
    run(db, "COMMIT");
  }
  began = stage_now() - began;
  sqlite3_finalize(with);
  sqlite3_close(db);
  return (double)number * 1e9 / (double)began;
}

static sqlite3 *fill(size_t members) {
  sqlite3_stmt *with;
  sqlite3 *db;

  if (sqlite3_open(":memory:", &db) != SQLITE_OK) abort();
  run(db, "CREATE TABLE member(conv INT, seq INT, user TEXT,"
          " PRIMARY KEY(conv, seq, user)) WITHOUT ROWID");
  with = prepare(db, "INSERT INTO member VALUES(1, ?1, ?2)");
  run(db, "BEGIN");
  for (size_t i = 0; i < members; i++) {
    char user[16];

    snprintf(user, sizeof user, "u%06zu", i);
    sqlite3_bind_int64(with, 1, (sqlite3_int64)(i * 7 % 1000));
    sqlite3_bind_text(with, 2, user, -1, SQLITE_STATIC);
    if (sqlite3_step(with) != SQLITE_DONE) abort();
    sqlite3_reset(with);
  }
  run(db, "COMMIT");
  sqlite3_finalize(with);
  return db;
}

static double time_query(size_t members, const char *sql) {
  sqlite3 *db = fill(members);
  sqlite3_stmt *with = prepare(db, sql);
  uint64_t began = stage_now();

  for (int i = 0; i < ROUNDS; i++) {
    sqlite3_bind_int(with, 1, 400 + i);
    while (sqlite3_step(with) == SQLITE_ROW) {
    }
    sqlite3_reset(with);
  }
  began = stage_now() - began;
  sqlite3_finalize(with);
  sqlite3_close(db);
  return (double)began / ROUNDS;
}

double bare_count_sql(size_t members) {
  return time_query(members,
                    "SELECT count(*) FROM member WHERE conv=1 AND seq>=?1");
}

double bare_list_sql(size_t members) {
  return time_query(members, "SELECT user FROM member WHERE conv=1 AND seq>=?1"
                             " ORDER BY user LIMIT 100");
}

static size_t rank(const size_t *sorted, size_t count, size_t seq) {
  size_t low = 0, high = count;

  while (low < high) {
    size_t middle = low + (high - low) / 2;

    if (sorted[middle] < seq)
      low = middle + 1;
    else
      high = middle;
  }
  return count - low;
}

double bare_count_tree(size_t members) {
  size_t *sorted = malloc(members * sizeof *sorted);
  volatile size_t found = 0;
  uint64_t began;

  if (sorted == NULL) abort();
  for (size_t i = 0; i < members; i++)
    sorted[i] = i;
  began = stage_now();
  for (size_t i = 0; i < 1000; i++)
    found += rank(sorted, members, i * 7919);
  began = stage_now() - began;
  (void)found;
  free(sorted);
  return (double)began / 1000;
}
