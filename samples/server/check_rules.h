/*
 * The rules of check.c: what selects a line for each row that breaks one, and
 * what repairs these rows; NULL where the truth is in no other row. In order:
 * a repair may rely on those before. ?1 is SEEN_SEQ_MAX.
 *
 * Around a repair: what changes a row that clients were told of is noted, and
 * at the end has a version that is new, so that they are told again (S2).
 */
#ifndef SERVER_CHECK_RULES_H
#define SERVER_CHECK_RULES_H

typedef struct check_rule {
  const char *find;
  const char *repair;
} check_rule;

#define CONV(of) "'conv ' || json_quote(" of ".conv) || "
#define MEMBER CONV("m") "', user ' || json_quote(m.user) || "
#define MEMBERS " FROM members m JOIN conversations c ON c.conv = m.conv WHERE "

/* What repairs a column of members: the value that it should have. */
#define SET_MEMBER(column, value)                                              \
  "UPDATE members SET " column " = (SELECT " value                             \
  " FROM members m JOIN conversations c ON c.conv = m.conv "                   \
  "WHERE m.conv = members.conv AND m.user = members.user) "                    \
  "WHERE conv IN (SELECT conv FROM conversations)"

/* A column that is to be within bounds, and is cut to them. */
#define BOUND(column, name, value)                                             \
  {                                                                            \
    "SELECT " MEMBER "': " name " is ' || m." column                           \
    " || ', not ' || " value MEMBERS "m." column " <> " value,                 \
        SET_MEMBER(column, value)                                              \
  }

#define VISIBLE "min(c.last_seq, m.leave_seq)"

/* The seqs in `mentions` that may be there (M1), rising. */
#define NAMES(sign)                                                            \
  "instr(char(10) || e.mentions || char(10), "                                 \
  "char(10) || " sign " || char(10)) > 0"
#define OPEN                                                                   \
  "coalesce((SELECT group_concat(value, ' ') FROM (SELECT DISTINCT o.value "   \
  "FROM json_each(CASE WHEN json_valid('[' || replace(m.mentions, ' ', ',') "  \
  "|| ']') THEN '[' || replace(m.mentions, ' ', ',') || ']' ELSE '[]' END) o " \
  "WHERE o.type = 'integer' AND o.value BETWEEN m.join_seq AND m.settled "     \
  "AND (o.value <= c.floor OR EXISTS (SELECT 1 FROM messages e WHERE "         \
  "e.conv = m.conv AND (e.seq = o.value OR (e.kind = 3 AND e.target = "        \
  "o.value)) AND (" NAMES("'*'") " OR " NAMES("'@' || m.user") " OR " NAMES(   \
      "'>' || m.user") "))) ORDER BY o.value)), '')"

#define VERSIONS                                                               \
  "(SELECT max(v) FROM (SELECT max(version) AS v FROM conversations "          \
  "UNION ALL SELECT max(version) FROM messages "                               \
  "UNION ALL SELECT max(max(version, marked_at)) FROM members "                \
  "UNION ALL SELECT max(receipts_version) FROM users))"

#define HIGHEST "(SELECT max(seq) FROM messages m WHERE m.conv = c.conv)"
#define NEWEST "(SELECT max(version) FROM messages m WHERE m.conv = c.conv)"
#define OF_ROW                                                                 \
  "(SELECT max(seq) FROM messages m WHERE m.conv = "                           \
  "conversations.conv)"

/* A word that was made by a wrong index may have been wrong anywhere. */
static const check_rule check_file_rule = {
    "SELECT 'file: ' || replace(integrity_check, char(10), ' ') "
    "FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
    "REINDEX",
};

/* What a row says to clients. */
#define TOLD_MEMBER(of)                                                        \
  "(" of ".seq, " of ".high, " of ".join_seq, " of ".leave_seq, " of           \
  ".receipt, " of ".delivered, " of ".settled, " of ".mentions)"
#define TOLD_MESSAGE(of) "(" of ".state, " of ".body)"
#define TOLD_CONVERSATION(of) "(" of ".last_seq, " of ".floor, " of ".version)"

static const char *const check_watch[] = {
    "CREATE TEMP TABLE repaired_members (conv, user, PRIMARY KEY (conv, user) "
    "ON CONFLICT IGNORE)",
    "CREATE TEMP TABLE repaired_conversations (conv PRIMARY KEY ON CONFLICT "
    "IGNORE)",
    "CREATE TEMP TRIGGER repaired_member AFTER UPDATE ON members "
    "WHEN " TOLD_MEMBER("OLD") " IS NOT " TOLD_MEMBER(
        "NEW") " BEGIN INSERT INTO repaired_members VALUES (NEW.conv, "
               "NEW.user); END",
    "CREATE TEMP TRIGGER repaired_message AFTER UPDATE ON messages "
    "WHEN " TOLD_MESSAGE("OLD") " IS NOT " TOLD_MESSAGE(
        "NEW") " BEGIN INSERT INTO repaired_conversations VALUES (NEW.conv); "
               "END",
    "CREATE TEMP TRIGGER repaired_conversation AFTER UPDATE ON conversations "
    "WHEN " TOLD_CONVERSATION("OLD") " IS NOT " TOLD_CONVERSATION(
        "NEW") " BEGIN INSERT INTO repaired_conversations VALUES (NEW.conv); "
               "END",
};

static const char check_note_all[] =
    "INSERT INTO repaired_conversations SELECT conv FROM conversations";

static const char *const check_tell[] = {
    "DROP TRIGGER repaired_conversation",
    "UPDATE root SET version = version + 1 WHERE EXISTS (SELECT 1 FROM "
    "repaired_members) OR EXISTS (SELECT 1 FROM repaired_conversations)",
    "UPDATE members SET version = (SELECT version FROM root) WHERE "
    "(conv, user) IN (SELECT conv, user FROM repaired_members)",
    "UPDATE conversations SET version = (SELECT version FROM root) WHERE "
    "conv IN (SELECT conv FROM repaired_conversations)",
};

static const check_rule check_rules[] = {
    /* Conversations and their messages (F1). */
    {"SELECT " CONV("m") "': ' || count(*) || ' messages of no conversation' "
                         "FROM messages m WHERE m.conv NOT IN (SELECT conv "
                         "FROM conversations) "
                         "GROUP BY m.conv",
     NULL},
    {"SELECT " MEMBER "': a member of no conversation' FROM members m "
     "WHERE m.conv NOT IN (SELECT conv FROM conversations)",
     NULL},
    {"SELECT " CONV(
         "c") "': last_seq is ' || c.last_seq || ', not ' || " HIGHEST
              " FROM conversations c WHERE c.last_seq < " HIGHEST,
     "UPDATE conversations SET last_seq = " OF_ROW " WHERE last_seq < " OF_ROW},
    {"SELECT " CONV(
         "c") "': the floor is ' || c.floor || ', above last_seq ' "
              "|| c.last_seq FROM conversations c WHERE c.floor > c.last_seq",
     "UPDATE conversations SET floor = last_seq WHERE floor > last_seq"},
    {"SELECT " CONV(
         "m") "', seq ' || m.seq || ': kept below the floor ' || "
              "c.floor FROM messages m JOIN conversations c ON c.conv = m.conv "
              "WHERE m.seq <= c.floor",
     "DELETE FROM messages WHERE seq <= (SELECT floor FROM conversations c "
     "WHERE c.conv = messages.conv)"},
    {"SELECT " CONV(
         "c") "': of seqs to ' || c.last_seq || ' are missing ' || "
              "(c.last_seq - c.floor - n) FROM (SELECT c.*, (SELECT count(*) "
              "FROM "
              "messages m WHERE m.conv = c.conv AND m.seq > c.floor) AS n "
              "FROM conversations c) c WHERE n <> c.last_seq - c.floor",
     NULL},
    /* What counts (F2, F3): system, recall and edit never do. */
    {"SELECT " CONV("m") "', seq ' || m.seq || ': counts, by its kind it may "
                         "not' FROM messages m WHERE m.kind IN (1, 2, 3) AND "
                         "m.state & 1 = 0",
     "UPDATE messages SET state = state | 1 WHERE kind IN (1, 2, 3)"
     " AND state & 1 = 0"},
    {"SELECT " CONV(
         "m") "', seq ' || m.seq || ': recalled by ' || r.seq || "
              "', and is not' FROM messages r JOIN messages m ON m.conv = "
              "r.conv AND "
              "m.seq = r.target WHERE r.kind = 2 AND m.state & 6 = 0",
     "UPDATE messages SET state = (state | 2) & ~8, body = '' WHERE "
     "state & 6 = 0 AND (conv, seq) IN (SELECT conv, target FROM messages "
     "WHERE kind = 2)"},
    /* Memberships and positions (P3, P9, R3). */
    {"SELECT " MEMBER "': joins at ' || m.join_seq || ', last_seq is ' || "
     "c.last_seq" MEMBERS "m.join_seq > max(c.last_seq, 1) OR m.join_seq < 1",
     NULL},
    {"SELECT " MEMBER "': leaves at ' || m.leave_seq || ', last_seq is ' || "
     "c.last_seq" MEMBERS "m.leave_seq > c.last_seq AND m.leave_seq <> ?1",
     SET_MEMBER("leave_seq", "CASE WHEN m.leave_seq > c.last_seq AND "
                             "m.leave_seq <> ?1 THEN c.last_seq ELSE "
                             "m.leave_seq END")},
    {"SELECT " MEMBER "': leaves at ' || m.leave_seq || ', joined at ' || "
     "m.join_seq" MEMBERS "m.leave_seq < m.join_seq - 1",
     NULL},
    BOUND("seq", "read", "max(min(m.seq, " VISIBLE "), 0)"),
    BOUND("high", "high", "max(min(m.high, c.last_seq), 0)"),
    BOUND("receipt", "the receipt",
          "max(min(m.receipt, " VISIBLE "), m.join_seq - 1)"),
    BOUND("delivered", "delivered",
          "max(min(m.delivered, " VISIBLE "), m.receipt)"),
    BOUND("settled", "settled", "max(min(m.settled, c.last_seq), 0)"),
    {"SELECT " MEMBER "': open mentions ' || json_quote(m.mentions) || ', not "
     "' || json_quote(" OPEN ")" MEMBERS
     "m.mentions <> '' AND m.mentions <> " OPEN,
     SET_MEMBER("mentions",
                "CASE WHEN m.mentions = '' THEN '' ELSE " OPEN " END")},
    /* Versions (S2): what was given out is never given out again. */
    {"SELECT " CONV(
         "c") "': version ' || c.version || ', a message has ' || " NEWEST
              " FROM conversations c WHERE c.version < " NEWEST,
     "UPDATE conversations SET version = (SELECT max(version) FROM messages m "
     "WHERE m.conv = conversations.conv) WHERE version < (SELECT max(version) "
     "FROM messages m WHERE m.conv = conversations.conv)"},
    {"SELECT 'file: version ' || version || ', a row has ' || " VERSIONS
     " FROM root WHERE version < " VERSIONS,
     "UPDATE root SET version = " VERSIONS " WHERE version < " VERSIONS},
};

#endif
