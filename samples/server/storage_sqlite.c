/*
 * The storage in a SQLite file: WAL, one writer, statements prepared once. A
 * transaction holds a turn of the server, so that many frames share a sync.
 */
#include "memory.h"
#include "storage.h"
#include "storage_sql.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUSY_MS = 5000 };

typedef struct sqlite_storage {
  sqlite3 *file;
  const char *why; /* it was not opened; NULL: SQLite says why */
  sqlite3_stmt *prepared[STATEMENT_COUNT];
} sqlite_storage;

static int status_of(int code) {
  switch (code & 0xff) {
  case SQLITE_OK:
  case SQLITE_ROW:
  case SQLITE_DONE: return SEEN_OK;
  case SQLITE_FULL: return SEEN_EFULL;
  case SQLITE_READONLY:
  case SQLITE_CANTOPEN:
  case SQLITE_PERM: return SEEN_EREADONLY;
  case SQLITE_BUSY:
  case SQLITE_LOCKED: return SEEN_EBUSY;
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB: return SEEN_ECORRUPT;
  case SQLITE_NOMEM: return SEEN_ENOMEM;
  default: return SEEN_EIO;
  }
}

/* What was read last stays valid until its statement is used again. */
static sqlite3_stmt *statement(void *storage_self, enum statement which) {
  sqlite_storage *self = storage_self;
  sqlite3_reset(self->prepared[which]);
  return self->prepared[which];
}

/* What a statement's ?1, ?2, … are. */
typedef struct value {
  bool is_number;
  const char *text; /* NULL: null; borrowed until the statement is reset */
  uint64_t number;
} value;

#define TEXT(of)                                                               \
  { .text = (of) }
#define NUMBER(of)                                                             \
  { .is_number = true, .number = (uint64_t)(of) }

static sqlite3_stmt *bind(sqlite3_stmt *to, const value *values, int count) {
  for (int i = 0; i < count; i++)
    if (values[i].is_number)
      sqlite3_bind_int64(to, i + 1, (sqlite3_int64)values[i].number);
    else
      sqlite3_bind_text(to, i + 1, values[i].text, -1, SQLITE_STATIC);
  return to;
}

/* A statement with its values, ready to be stepped. */
#define STATEMENT(self, which, ...)                                            \
  bind(statement((self), (which)), (const value[]){__VA_ARGS__},               \
       (int)(sizeof((const value[]){__VA_ARGS__}) / sizeof(value)))

static const char *text_at(sqlite3_stmt *of, int column) {
  return (const char *)sqlite3_column_text(of, column);
}

static uint64_t number_at(sqlite3_stmt *of, int column) {
  return (uint64_t)sqlite3_column_int64(of, column);
}

/* A statement without rows. */
static int run(sqlite3_stmt *of) {
  int code = sqlite3_step(of);
  sqlite3_reset(of);
  return status_of(code);
}

/* The only row, which stays to be read. */
static int find(sqlite3_stmt *of) {
  int code = sqlite3_step(of);
  if (code == SQLITE_ROW) return SEEN_OK;
  sqlite3_reset(of);
  return code == SQLITE_DONE ? SEEN_ENOTFOUND : status_of(code);
}

static int sqlite_begin(void *self) {
  return run(statement(self, BEGIN));
}

/* A row that was found and not let go would hold the log's space for ever. */
static void let_go(sqlite_storage *self) {
  for (int i = 0; i < STATEMENT_COUNT; i++)
    sqlite3_reset(self->prepared[i]);
}

static int sqlite_commit(void *self, uint64_t version) {
  let_go(self);
  int status = run(STATEMENT(self, PUT_VERSION, NUMBER(version)));
  return status ? status : run(statement(self, COMMIT));
}

/* Also after an error that has rolled back by itself. */
static void sqlite_rollback(void *storage_self) {
  sqlite_storage *self = storage_self;
  let_go(self);
  if (!sqlite3_get_autocommit(self->file)) run(statement(self, ROLLBACK));
}

static int sqlite_get_root(void *self, stored_root *found) {
  sqlite3_stmt *of = statement(self, GET_ROOT);
  int status = find(of);
  if (!status) *found = (stored_root){text_at(of, 0), number_at(of, 1)};
  return status;
}

static int sqlite_put_incarnation(void *self, const char *incarnation) {
  return run(STATEMENT(self, PUT_INCARNATION, TEXT(incarnation)));
}

static int sqlite_get_user(void *self, const char *user, stored_user *found) {
  sqlite3_stmt *of = STATEMENT(self, GET_USER, TEXT(user));
  int status = find(of);
  if (!status)
    *found = (stored_user){user, number_at(of, 0) != 0, number_at(of, 1) != 0,
                           number_at(of, 2)};
  return status;
}

static int sqlite_put_user(void *self, const stored_user *user) {
  return run(STATEMENT(self, PUT_USER, TEXT(user->user), NUMBER(user->receipts),
                       NUMBER(user->disabled), NUMBER(user->receipts_version)));
}

static int sqlite_get_conversation(void *self, const char *conv,
                                   stored_conversation *found) {
  sqlite3_stmt *of = STATEMENT(self, GET_CONVERSATION, TEXT(conv));
  int status = find(of);
  if (!status)
    *found = (stored_conversation){conv,
                                   (seen_kind)number_at(of, 0),
                                   (unsigned)number_at(of, 1),
                                   number_at(of, 2),
                                   number_at(of, 3),
                                   number_at(of, 4),
                                   number_at(of, 5)};
  return status;
}

static int sqlite_put_conversation(void *self,
                                   const stored_conversation *conv) {
  return run(STATEMENT(self, PUT_CONVERSATION, TEXT(conv->conv),
                       NUMBER(conv->kind), NUMBER(conv->flags),
                       NUMBER(conv->last_seq), NUMBER(conv->floor),
                       NUMBER(conv->version), NUMBER(conv->updated_at)));
}

static sqlite3_stmt *with_member(void *self, enum statement which,
                                 const stored_member *member) {
  return STATEMENT(
      self, which, TEXT(member->conv), TEXT(member->user), NUMBER(member->role),
      NUMBER(member->read.epoch), NUMBER(member->read.seq),
      NUMBER(member->read.high), NUMBER(member->marked_at),
      NUMBER(member->join_seq), NUMBER(member->leave_seq),
      NUMBER(member->receipt), NUMBER(member->delivered),
      TEXT(member->excluded), TEXT(member->past), NUMBER(member->settled),
      TEXT(member->mentions), NUMBER(member->muted), NUMBER(member->pinned),
      NUMBER(member->removed), NUMBER(member->version));
}

/* Most are there: an update finds the row once, where an insert that meets
 * it finds it twice. */
static int sqlite_put_member(void *storage_self, const stored_member *member) {
  sqlite_storage *self = storage_self;
  int status = run(with_member(self, SET_MEMBER, member));
  if (status || sqlite3_changes(self->file)) return status;
  return run(with_member(self, ADD_MEMBER, member));
}

static stored_membership membership_at(sqlite3_stmt *of) {
  return (stored_membership){
      .member =
          {
              .conv = text_at(of, 0),
              .user = text_at(of, 1),
              .role = (member_role)number_at(of, 2),
              .read = {number_at(of, 3), number_at(of, 4), number_at(of, 5)},
              .marked_at = number_at(of, 6),
              .join_seq = number_at(of, 7),
              .leave_seq = number_at(of, 8),
              .receipt = number_at(of, 9),
              .delivered = number_at(of, 10),
              .excluded = text_at(of, 11),
              .past = text_at(of, 12),
              .settled = number_at(of, 13),
              .mentions = text_at(of, 14),
              .muted = number_at(of, 15) != 0,
              .pinned = number_at(of, 16) != 0,
              .removed = number_at(of, 17) != 0,
              .version = number_at(of, 18),
          },
      .receipts = number_at(of, 19) != 0,
      .disabled = number_at(of, 20) != 0};
}

/* The end of a walk: what stopped it. */
static int finish(sqlite3_stmt *of, int code, int status) {
  sqlite3_reset(of);
  return status ? status : status_of(code);
}

static int sqlite_each_member(void *self, const char *conv, void *visitor,
                              visit_member visit) {
  sqlite3_stmt *of = STATEMENT(self, EACH_MEMBER, TEXT(conv));
  int code, status = SEEN_OK;
  while ((code = sqlite3_step(of)) == SQLITE_ROW && !status) {
    stored_membership found = membership_at(of);
    status = visit(visitor, &found);
  }
  return finish(of, code, status);
}

static int sqlite_each_row(void *self, const char *user, uint64_t above,
                           size_t limit, void *visitor, visit_row visit) {
  sqlite3_stmt *of =
      STATEMENT(self, EACH_ROW, TEXT(user), NUMBER(above),
                NUMBER(limit > SEEN_SEQ_MAX ? SEEN_SEQ_MAX : limit),
                NUMBER(SEEN_SEQ_MAX));
  int code, status = SEEN_OK;
  while ((code = sqlite3_step(of)) == SQLITE_ROW && !status) {
    stored_row found = {text_at(of, 0), number_at(of, 1), number_at(of, 2),
                        number_at(of, 3), number_at(of, 4)};
    status = visit(visitor, &found);
  }
  return finish(of, code, status);
}

static int sqlite_put_message(void *self, const stored_message *message) {
  return run(STATEMENT(
      self, PUT_MESSAGE, TEXT(message->conv), NUMBER(message->seq),
      NUMBER(message->version), TEXT(message->from), NUMBER(message->kind),
      NUMBER(message->state), NUMBER(message->target), TEXT(message->mentions),
      NUMBER(message->sent_at), TEXT(message->body)));
}

static stored_message message_at(sqlite3_stmt *of, const char *conv,
                                 bool body) {
  return (stored_message){
      .conv = conv,
      .seq = number_at(of, 0),
      .version = number_at(of, 1),
      .from = text_at(of, 2),
      .kind = (seen_message_kind)number_at(of, 3),
      .state = (unsigned)number_at(of, 4),
      .target = number_at(of, 5),
      .mentions = text_at(of, 6),
      .sent_at = number_at(of, 7),
      .body = body ? text_at(of, 8) : "",
  };
}

static int sqlite_get_message(void *self, const char *conv, uint64_t seq,
                              stored_message *found) {
  sqlite3_stmt *of = STATEMENT(self, GET_MESSAGE, TEXT(conv), NUMBER(seq));
  int status = find(of);
  if (!status) *found = message_at(of, conv, true);
  return status;
}

static int sqlite_set_message(void *self, const char *conv, uint64_t seq,
                              unsigned state, bool no_body) {
  return run(STATEMENT(self, SET_MESSAGE, TEXT(conv), NUMBER(seq),
                       NUMBER(state), NUMBER(no_body)));
}

static int each_message(sqlite3_stmt *of, const char *conv, bool body,
                        void *visitor, visit_message visit) {
  int code, status = SEEN_OK;
  while ((code = sqlite3_step(of)) == SQLITE_ROW && !status) {
    stored_message found = message_at(of, conv, body);
    status = visit(visitor, &found);
  }
  return finish(of, code, status);
}

static int sqlite_each_before(void *self, const char *conv, uint64_t before,
                              size_t limit, void *visitor,
                              visit_message visit) {
  return each_message(
      STATEMENT(self, EACH_BEFORE, TEXT(conv), NUMBER(before), NUMBER(limit)),
      conv, true, visitor, visit);
}

static int sqlite_each_uncountable(void *self, const char *conv, void *visitor,
                                   visit_message visit) {
  return each_message(STATEMENT(self, EACH_UNCOUNTABLE, TEXT(conv)), conv,
                      false, visitor, visit);
}

static int sqlite_each_mention(void *self, const char *conv, void *visitor,
                               visit_message visit) {
  return each_message(STATEMENT(self, EACH_MENTION, TEXT(conv)), conv, false,
                      visitor, visit);
}

static int sqlite_each_from(void *self, const char *conv, const char *user,
                            void *visitor, visit_message visit) {
  return each_message(STATEMENT(self, EACH_FROM, TEXT(conv), TEXT(user)), conv,
                      false, visitor, visit);
}

static int sqlite_seq_at(void *self, const char *conv, uint64_t version,
                         uint64_t *seq) {
  sqlite3_stmt *of = STATEMENT(self, SEQ_AT, TEXT(conv), NUMBER(version));
  int status = find(of);
  *seq = status ? 0 : number_at(of, 0);
  return status == SEEN_ENOTFOUND ? SEEN_OK : status;
}

static int sqlite_purge(void *self, const char *conv, uint64_t floor) {
  return run(STATEMENT(self, PURGE, TEXT(conv), NUMBER(floor)));
}

static int sqlite_get_op(void *self, const char *user, const char *op,
                         stored_op *found) {
  sqlite3_stmt *of = STATEMENT(self, GET_OP, TEXT(user), TEXT(op));
  int status = find(of);
  if (!status)
    *found = (stored_op){user,
                         op,
                         text_at(of, 0),
                         text_at(of, 1),
                         text_at(of, 2),
                         number_at(of, 3),
                         number_at(of, 4)};
  return status;
}

static int sqlite_put_op(void *self, const stored_op *op) {
  return run(STATEMENT(self, PUT_OP, TEXT(op->user), TEXT(op->op), TEXT(op->of),
                       TEXT(op->conv), TEXT(op->code), NUMBER(op->seq),
                       NUMBER(op->at)));
}

static int sqlite_expire_ops(void *self, uint64_t before) {
  return run(STATEMENT(self, EXPIRE_OPS, NUMBER(before)));
}

static void sqlite_close(void *storage_self) {
  sqlite_storage *self = storage_self;
  for (int i = 0; i < STATEMENT_COUNT; i++)
    sqlite3_finalize(self->prepared[i]);
  sqlite3_close(self->file);
  free(self);
}

static int number_of(sqlite3 *file, const char *sql, int *number) {
  sqlite3_stmt *of;
  int code = sqlite3_prepare_v2(file, sql, -1, &of, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(of);
  *number = code == SQLITE_ROW ? sqlite3_column_int(of, 0) : 0;
  sqlite3_finalize(of);
  return status_of(code);
}

static int put_root(sqlite3 *file, const char *incarnation) {
  sqlite3_stmt *of;
  int code = sqlite3_prepare_v2(
      file,
      "INSERT INTO root SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM root)", -1,
      &of, NULL);
  if (code == SQLITE_OK) {
    sqlite3_bind_text(of, 1, incarnation, -1, SQLITE_STATIC);
    code = sqlite3_step(of);
  }
  sqlite3_finalize(of);
  return status_of(code);
}

/* Whether the file is ours to open, or empty, before anything is changed. */
static int look_at(sqlite_storage *self, int *version) {
  int foreign,
      status = number_of(self->file,
                         "SELECT count(*) > 0 AND sum(name = 'root') = 0 "
                         "FROM sqlite_master",
                         &foreign);
  if (!status) status = number_of(self->file, "PRAGMA user_version", version);
  if (status) return status;
  if (foreign)
    self->why = "a database of something else";
  else if (*version > SCHEMA)
    self->why = "made by a newer seen-server";
  return self->why ? SEEN_ESCHEMA : SEEN_OK;
}

/* All or nothing: a migration that is cut off is done again. */
static int migrate(sqlite3 *file, int version, const char *incarnation) {
  char done[64];
  if (version == SCHEMA) return SEEN_OK;
  int status =
      status_of(sqlite3_exec(file, "BEGIN IMMEDIATE", NULL, NULL, NULL));
  for (; version < SCHEMA && !status; version++)
    status =
        status_of(sqlite3_exec(file, migrations[version], NULL, NULL, NULL));
  if (!status) status = put_root(file, incarnation);
  snprintf(done, sizeof done, "PRAGMA user_version = %d; COMMIT", SCHEMA);
  if (!status) status = status_of(sqlite3_exec(file, done, NULL, NULL, NULL));
  if (status) sqlite3_exec(file, "ROLLBACK", NULL, NULL, NULL);
  return status;
}

/*
 * An acknowledgement survives a power cut, hence FULL. One thread uses it. The
 * log takes 16 MiB before its pages go to their places, each of them once.
 */
static int open_file(sqlite_storage *self, const char *path,
                     const char *incarnation) {
  int version,
      status = status_of(sqlite3_open_v2(
          path, &self->file,
          SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
          NULL));
  if (status) return status;
  sqlite3_busy_timeout(self->file, BUSY_MS);
  status = look_at(self, &version);
  if (status) return status;
  status = status_of(sqlite3_exec(self->file,
                                  "PRAGMA journal_mode = " STORAGE_JOURNAL
                                  "; PRAGMA synchronous = " STORAGE_SYNC
                                  "; PRAGMA wal_autocheckpoint = 4000",
                                  NULL, NULL, NULL));
  if (!status) status = migrate(self->file, version, incarnation);
  for (int i = 0; i < STATEMENT_COUNT && !status; i++)
    status = status_of(sqlite3_prepare_v3(self->file, statements[i], -1,
                                          SQLITE_PREPARE_PERSISTENT,
                                          &self->prepared[i], NULL));
  return status;
}

static void fill_error(seen_error *error, int status, const char *path,
                       const sqlite_storage *of) {
  if (!error) return;
  error->code = status;
  snprintf(error->message, sizeof error->message, "%s: %s", path,
           of->why ? of->why : sqlite3_errmsg(of->file));
}

int storage_sqlite_open(storage *self, const char *path,
                        const char *incarnation, seen_error *error) {
  sqlite_storage *of = must_allocate(1, sizeof *of);
  int status = open_file(of, path, incarnation);
  if (status) {
    fill_error(error, status, path, of);
    sqlite_close(of);
    return status;
  }
  *self = (storage){
      .self = of,
      .begin = sqlite_begin,
      .commit = sqlite_commit,
      .rollback = sqlite_rollback,
      .get_root = sqlite_get_root,
      .put_incarnation = sqlite_put_incarnation,
      .get_user = sqlite_get_user,
      .put_user = sqlite_put_user,
      .get_conversation = sqlite_get_conversation,
      .put_conversation = sqlite_put_conversation,
      .put_member = sqlite_put_member,
      .each_member = sqlite_each_member,
      .each_row = sqlite_each_row,
      .put_message = sqlite_put_message,
      .get_message = sqlite_get_message,
      .set_message = sqlite_set_message,
      .each_before = sqlite_each_before,
      .each_uncountable = sqlite_each_uncountable,
      .each_mention = sqlite_each_mention,
      .each_from = sqlite_each_from,
      .seq_at = sqlite_seq_at,
      .purge = sqlite_purge,
      .get_op = sqlite_get_op,
      .put_op = sqlite_put_op,
      .expire_ops = sqlite_expire_ops,
      .close = sqlite_close,
  };
  return SEEN_OK;
}
