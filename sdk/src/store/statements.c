/* What a writer says again and again, prepared while the database is open. */
#include "store/sqlite.h"

static const char *const SQL[SN_STATEMENTS] = {
    [SN_BEGIN] = "BEGIN IMMEDIATE",
    [SN_COMMIT] = "COMMIT",
    [SN_ROLLBACK] = "ROLLBACK",
    [SN_PUT] = "UPDATE conversation SET record = ?2, unread = ?3,"
               " mentions = ?4, shows = ?5, pieces = ?6"
               " WHERE id = ?1 AND pieces <= ?6",
    [SN_INSERT] = "INSERT INTO conversation"
                  " (id, record, unread, mentions, shows, pieces)"
                  " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [SN_PUT_PIECE] = "INSERT INTO piece (conversation, number, bytes)"
                     " VALUES (?1, ?2, ?3)"
                     " ON CONFLICT (conversation, number)"
                     " DO UPDATE SET bytes = excluded.bytes"
                     " WHERE bytes IS NOT excluded.bytes",
    [SN_REMOVE] = "DELETE FROM conversation WHERE id = ?1",
    [SN_PUT_TOTALS] = "UPDATE totals SET unread = ?1, conversations = ?2,"
                      " muted = ?3, mentions = ?4, records = ?5, sum = ?6",
    [SN_PUT_META] = "INSERT INTO meta"
                    " (one, user, device, incarnation, version, sum)"
                    " VALUES (1, ?1, ?2, ?3, ?4, ?5)"
                    " ON CONFLICT (one) DO UPDATE SET user = excluded.user,"
                    " device = excluded.device,"
                    " incarnation = excluded.incarnation,"
                    " version = excluded.version, sum = excluded.sum",
    [SN_SYNC] = "UPDATE totals SET syncs = syncs + 1"};

int sn_statements_prepare(sn_sqlite *self, seen_error *error) {
  int status = SEEN_OK;
  for (size_t i = 0; !status && i < SN_STATEMENTS; i++)
    status = sn_prepare(self->database, SQL[i], &self->statements[i], error);
  return status;
}

void sn_statements_finalize(sn_sqlite *self) {
  for (size_t i = 0; i < SN_STATEMENTS; i++) {
    sqlite3_finalize(self->statements[i]);
    self->statements[i] = NULL;
  }
}
