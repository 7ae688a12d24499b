#include "check.h"

#include "check_rules.h"
#include "memory.h"
#include "recount.h"
#include "storage.h"
#include "storage_sql.h"
#include "text.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct lines {
  char **list;
  size_t count, capacity;
} lines;

static void lines_free(lines *self) {
  for (size_t i = 0; i < self->count; i++)
    free(self->list[i]);
  free(self->list);
  *self = (lines){NULL, 0, 0};
}

static void say(check_report *report, const char *word, const char *line) {
  text whole = {NULL, 0, 0};
  text_add(&whole, word);
  text_add(&whole, line);
  report->print(report->to, whole.bytes);
  text_free(&whole);
  report->found++;
}

/* The first column of each row, until the end; false: it failed. */
static bool run(sqlite3 *file, const char *sql, lines *into) {
  sqlite3_stmt *of;
  int code = sqlite3_prepare_v2(file, sql, -1, &of, NULL);
  if (code != SQLITE_OK) return false;
  if (sqlite3_bind_parameter_count(of))
    sqlite3_bind_int64(of, 1, (sqlite3_int64)SEEN_SEQ_MAX);
  while ((code = sqlite3_step(of)) == SQLITE_ROW) {
    const char *line = (const char *)sqlite3_column_text(of, 0);
    into->list = MUST_GROW(into->list, into->count, into->capacity);
    into->list[into->count++] = must_copy_text(line ? line : "?");
  }
  sqlite3_finalize(of);
  return code == SQLITE_DONE;
}

/* Repaired is what is not found any more. */
static bool check_rule_of(sqlite3 *file, const check_rule *rule, bool repair,
                          check_report *report) {
  lines found = {NULL, 0, 0}, left = {NULL, 0, 0};
  bool ran = run(file, rule->find, &found), gone = false;
  if (ran && found.count && repair && rule->repair) {
    ran = run(file, rule->repair, &left) && run(file, rule->find, &left);
    gone = ran && left.count == 0;
  }
  for (size_t i = 0; i < found.count; i++)
    say(report, gone ? "repaired: " : "found: ", found.list[i]);
  if (gone) report->repaired += found.count;
  lines_free(&found);
  lines_free(&left);
  return ran;
}

static bool run_all(sqlite3 *file, const char *const *list, size_t count) {
  lines none = {NULL, 0, 0};
  bool ran = true;
  for (size_t i = 0; ran && i < count; i++)
    ran = run(file, list[i], &none);
  return ran;
}

#define RUN_ALL(file, list) run_all(file, list, sizeof list / sizeof *list)

static bool check_indexes(sqlite3 *file, bool repair, check_report *report) {
  lines none = {NULL, 0, 0};
  size_t before = report->repaired;
  return check_rule_of(file, &check_file_rule, repair, report) &&
         (report->repaired == before || run(file, check_note_all, &none));
}

static bool check_rows(sqlite3 *file, bool repair, check_report *report) {
  lines none = {NULL, 0, 0};
  bool ran = run(file, repair ? "BEGIN IMMEDIATE" : "BEGIN", &none) &&
             (!repair || RUN_ALL(file, check_watch)) &&
             check_indexes(file, repair, report);
  for (size_t i = 0; ran && i < sizeof check_rules / sizeof *check_rules; i++)
    ran = check_rule_of(file, &check_rules[i], repair, report);
  return ran && (!repair || RUN_ALL(file, check_tell)) &&
         run(file, "COMMIT", &none);
}

/* Only a file of this schema: a check makes and migrates none. */
static bool is_ours(sqlite3 *file, char *why, size_t why_bytes) {
  lines version = {NULL, 0, 0};
  bool ran = run(file, "PRAGMA user_version", &version);
  bool ours =
      ran && version.count && strtol(version.list[0], NULL, 10) == SCHEMA;
  if (ran && !ours) snprintf(why, why_bytes, "its schema is not ours");
  if (!ran) snprintf(why, why_bytes, "%s", sqlite3_errmsg(file));
  lines_free(&version);
  return ours;
}

static void found_by_recount(void *self, const char *line) {
  say(self, "found: ", line);
}

static bool recount_all(const char *path, const lines *convs,
                        check_report *report, char *why, size_t why_bytes) {
  storage over;
  int status = storage_sqlite_open(&over, path, "", NULL);
  if (status == SEEN_OK) {
    for (size_t i = 0; i < convs->count && !status; i++)
      status = recount(&over, convs->list[i], found_by_recount, report);
    over.close(over.self);
  }
  if (status) snprintf(why, why_bytes, "%s", seen_error_text(status));
  return status == SEEN_OK;
}

bool check_file(const char *path, bool repair, check_report *report, char *why,
                size_t why_bytes) {
  sqlite3 *file = NULL;
  lines convs = {NULL, 0, 0};
  bool ran =
      sqlite3_open_v2(path, &file, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK;
  if (!ran) snprintf(why, why_bytes, "%s", sqlite3_errmsg(file));
  ran = ran && is_ours(file, why, why_bytes);
  if (ran) {
    ran = check_rows(file, repair, report) &&
          run(file, "SELECT conv FROM conversations", &convs);
    if (!ran) snprintf(why, why_bytes, "%s", sqlite3_errmsg(file));
  }
  sqlite3_close(file); /* what was not committed is undone */
  ran = ran && recount_all(path, &convs, report, why, why_bytes);
  lines_free(&convs);
  return ran;
}
