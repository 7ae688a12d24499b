/* The statements of storage_sqlite.c, and how its file came to its schema. */
#ifndef SERVER_STORAGE_SQL_H
#define SERVER_STORAGE_SQL_H

enum { SCHEMA = 1 };

/*
 * Each statement and its text. The indexes of a conversation's few special
 * messages are named: left to itself SQLite walks all of them by the key.
 */
#define MEMBER_COLUMNS                                                         \
  "m.conv, m.user, m.role, m.epoch, m.seq, m.high, m.marked_at, m.join_seq, "  \
  "m.leave_seq, m.receipt, m.delivered, m.cuts, m.past, m.settled, "           \
  "m.mentions, m.muted, m.pinned, m.removed, m.version"
#define MESSAGE_COLUMNS                                                        \
  "seq, version, sender, kind, state, target, mentions, sent_at"
#define STATEMENTS(X)                                                          \
  X(BEGIN, "BEGIN IMMEDIATE")                                                  \
  X(COMMIT, "COMMIT")                                                          \
  X(ROLLBACK, "ROLLBACK")                                                      \
  X(GET_ROOT, "SELECT incarnation, version FROM root")                         \
  X(PUT_VERSION, "UPDATE root SET version = ?1")                               \
  X(PUT_INCARNATION, "UPDATE root SET incarnation = ?1")                       \
  X(GET_USER,                                                                  \
    "SELECT receipts, disabled, receipts_version FROM users WHERE user = ?1")  \
  X(PUT_USER, "INSERT OR REPLACE INTO users VALUES (?1, ?2, ?3, ?4)")          \
  X(GET_CONVERSATION, "SELECT kind, flags, last_seq, floor, version, "         \
                      "updated_at FROM conversations WHERE conv = ?1")         \
  X(PUT_CONVERSATION, "INSERT OR REPLACE INTO conversations VALUES "           \
                      "(?1, ?2, ?3, ?4, ?5, ?6, ?7)")                          \
  X(SET_MEMBER, "UPDATE members SET role = ?3, epoch = ?4, seq = ?5, "         \
                "high = ?6, marked_at = ?7, join_seq = ?8, leave_seq = ?9, "   \
                "receipt = ?10, delivered = ?11, cuts = ?12, past = ?13, "     \
                "settled = ?14, mentions = ?15, muted = ?16, pinned = ?17, "   \
                "removed = ?18, version = ?19 WHERE conv = ?1 AND user = ?2")  \
  X(ADD_MEMBER, "INSERT INTO members VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, "     \
                "?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)")   \
  X(EACH_MEMBER, "SELECT " MEMBER_COLUMNS ", coalesce(u.receipts, 1), "        \
                 "coalesce(u.disabled, 0) FROM members m LEFT JOIN users u "   \
                 "ON u.user = m.user WHERE m.conv = ?1")                       \
  X(EACH_ROW, "SELECT m.conv, CASE WHEN m.leave_seq = ?4 THEN "                \
              "max(c.version, m.version) ELSE m.version END AS row_version, "  \
              "c.last_seq, m.seq, m.leave_seq FROM members m JOIN "            \
              "conversations c ON c.conv = m.conv WHERE m.user = ?1 AND "      \
              "row_version > ?2 ORDER BY row_version LIMIT ?3")                \
  X(PUT_MESSAGE, "INSERT INTO messages VALUES (?1, ?2, ?3, ?4, "               \
                 "?5, ?6, ?7, ?8, ?9, ?10)")                                   \
  X(GET_MESSAGE, "SELECT " MESSAGE_COLUMNS ", body FROM messages WHERE "       \
                 "conv = ?1 AND seq = ?2")                                     \
  X(SET_MESSAGE, "UPDATE messages SET state = ?3, body = CASE WHEN ?4 THEN "   \
                 "'' ELSE body END WHERE conv = ?1 AND seq = ?2")              \
  X(EACH_BEFORE, "SELECT " MESSAGE_COLUMNS ", body FROM messages WHERE "       \
                 "conv = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3")          \
  X(EACH_UNCOUNTABLE, "SELECT " MESSAGE_COLUMNS                                \
                      " FROM messages INDEXED BY messages_uncountable "        \
                      "WHERE conv = ?1 AND state <> 0 ORDER BY seq")           \
  X(EACH_MENTION,                                                              \
    "SELECT " MESSAGE_COLUMNS " FROM messages INDEXED BY messages_mentions "   \
    "WHERE conv = ?1 AND mentions IS NOT NULL ORDER BY seq")                   \
  X(EACH_FROM,                                                                 \
    "SELECT " MESSAGE_COLUMNS " FROM messages INDEXED BY messages_from "       \
    "WHERE conv = ?1 AND sender = ?2 ORDER BY seq")                            \
  X(SEQ_AT, "SELECT seq FROM messages WHERE conv = ?1 AND version <= ?2 "      \
            "ORDER BY seq DESC LIMIT 1")                                       \
  X(PURGE, "DELETE FROM messages WHERE conv = ?1 AND seq <= ?2")               \
  X(GET_OP, "SELECT of, conv, code, seq, at FROM ops WHERE user = ?1 AND "     \
            "op = ?2")                                                         \
  X(PUT_OP, "INSERT OR REPLACE INTO ops VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")  \
  X(EXPIRE_OPS, "DELETE FROM ops WHERE at < ?1 AND of <> 'mark_unread'")

#define STATEMENT_NAME(name, sql) name,
enum statement { STATEMENTS(STATEMENT_NAME) STATEMENT_COUNT };
#undef STATEMENT_NAME

static const char *const statements[] = {
#define STATEMENT_TEXT(name, sql) sql,
    STATEMENTS(STATEMENT_TEXT)
#undef STATEMENT_TEXT
};

/* Migrations in order: the n-th brings a file from version n to n + 1. */
static const char *const migrations[] = {
    "CREATE TABLE root (incarnation TEXT NOT NULL, version INTEGER NOT NULL);"
    "CREATE TABLE users (user TEXT PRIMARY KEY, receipts INTEGER NOT NULL,"
    "  disabled INTEGER NOT NULL, receipts_version INTEGER NOT NULL)"
    "  WITHOUT ROWID;"
    "CREATE TABLE conversations (conv TEXT PRIMARY KEY,"
    "  kind INTEGER NOT NULL, flags INTEGER NOT NULL,"
    "  last_seq INTEGER NOT NULL, floor INTEGER NOT NULL,"
    "  version INTEGER NOT NULL, updated_at INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE members (conv TEXT NOT NULL, user TEXT NOT NULL,"
    "  role INTEGER NOT NULL, epoch INTEGER NOT NULL, seq INTEGER NOT NULL,"
    "  high INTEGER NOT NULL, marked_at INTEGER NOT NULL,"
    "  join_seq INTEGER NOT NULL, leave_seq INTEGER NOT NULL,"
    "  receipt INTEGER NOT NULL, delivered INTEGER NOT NULL,"
    "  cuts TEXT NOT NULL, past TEXT NOT NULL, settled INTEGER NOT NULL,"
    "  mentions TEXT NOT NULL, muted INTEGER NOT NULL,"
    "  pinned INTEGER NOT NULL, removed INTEGER NOT NULL,"
    "  version INTEGER NOT NULL, PRIMARY KEY (conv, user)) WITHOUT ROWID;"
    "CREATE INDEX members_of ON members (user);"
    "CREATE TABLE messages (conv TEXT NOT NULL, seq INTEGER NOT NULL,"
    "  version INTEGER NOT NULL, sender TEXT NOT NULL, kind INTEGER NOT NULL,"
    "  state INTEGER NOT NULL, target INTEGER NOT NULL, mentions TEXT,"
    "  sent_at INTEGER NOT NULL, body TEXT NOT NULL,"
    "  PRIMARY KEY (conv, seq)) WITHOUT ROWID;"
    "CREATE INDEX messages_from ON messages (conv, sender, seq);"
    "CREATE INDEX messages_uncountable ON messages (conv, seq)"
    "  WHERE state <> 0;"
    "CREATE INDEX messages_mentions ON messages (conv, seq)"
    "  WHERE mentions IS NOT NULL;"
    "CREATE TABLE ops (user TEXT NOT NULL, op TEXT NOT NULL, of TEXT NOT NULL,"
    "  conv TEXT NOT NULL, code TEXT NOT NULL, seq INTEGER NOT NULL,"
    "  at INTEGER NOT NULL, PRIMARY KEY (user, op)) WITHOUT ROWID;"
    "CREATE INDEX ops_at ON ops (at) WHERE of <> 'mark_unread';",
};

#endif
