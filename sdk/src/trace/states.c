/*
 * The verb `state`: what is held of one conversation, with a record or without,
 * or of the session.
 */
#include "trace/verb.h"

#include <string.h>

#define AT(member) offsetof(seen_record, member)

/* A record's flag; `base` is where the record begins. */
#define FLAG(base, field_name, flag)                                           \
  {                                                                            \
    .name = field_name, .type = SN_FIELD_FLAG, .mask = (base) + AT(flags),     \
    .bit = SEEN_RECORD_##flag                                                  \
  }

/* The flag and, in the bit above it, its value. */
#define CHOICE(base, field_name, flag)                                         \
  {                                                                            \
    .name = field_name, .type = SN_FIELD_CHOICE, .mask = (base) + AT(flags),   \
    .bit = SEEN_RECORD_##flag                                                  \
  }

static const sn_field tally_fields[] = {
    SN_OPTIONAL("version", NUMBER, AT(tally_version), NULL),
    SN_OPTIONAL("last_seq", NUMBER, AT(tally_last), NULL),
    SN_OPTIONAL("from", NUMBER, AT(tally_from), NULL),
    SN_OPTIONAL("base", NUMBER, AT(tally_base), NULL),
    SN_MASKED("counted", NUMBER, AT(tally_counted), NULL, AT(flags),
              SEEN_RECORD_COUNTED),
};
static const sn_object tally = SN_OBJECT(tally_fields);

static const sn_field delivered_fields[] = {
    SN_OPTIONAL("here", NUMBER, AT(delivered_here), NULL),
    SN_OPTIONAL("server", NUMBER, AT(delivered_server), NULL),
};
static const sn_object delivered = SN_OBJECT(delivered_fields);

static const sn_field wish_fields[] = {
    SN_REQUIRED("epoch", NUMBER, AT(wish_epoch), NULL),
    SN_REQUIRED("read", NUMBER, AT(wish_read), NULL),
    SN_REQUIRED("shown", NUMBER, AT(wish_shown), NULL),
    FLAG(0, "keep", WISH_KEEP),
};
static const sn_object wish = SN_OBJECT(wish_fields);

static const sn_field expected_fields[] = {
    SN_REQUIRED("epoch", NUMBER, AT(mark.expected_epoch), NULL),
    SN_REQUIRED("seq", NUMBER, AT(mark.expected_seq), NULL),
};
static const sn_object expected = SN_OBJECT(expected_fields);

static const sn_field mark_fields[] = {
    SN_REQUIRED("expected", OBJECT, 0, &expected),
    SN_REQUIRED("target", NUMBER, AT(mark.target), NULL),
    SN_REQUIRED("op", HEX, AT(mark.op), NULL),
    FLAG(0, "keep", MARK_KEEP),
};
static const sn_object mark = SN_OBJECT(mark_fields);

static const sn_field acked_fields[] = {
    SN_REQUIRED("epoch", NUMBER, AT(acked_epoch), NULL),
    SN_REQUIRED("seq", NUMBER, AT(acked_seq), NULL),
};
static const sn_object acked = SN_OBJECT(acked_fields);

static const sn_field note_fields[] = {
    SN_REQUIRED("seq", SEQ, offsetof(seen_note, seq), NULL),
    SN_REQUIRED("target", SEQ, offsetof(seen_note, target), NULL),
    SN_OPTIONAL("why", WORD, offsetof(seen_note, mention), &sn_words_why),
};
static const sn_object note = SN_OBJECT(note_fields);

static const sn_field sender_fields[] = {
    SN_REQUIRED("from", SEQ, offsetof(seen_sender, run.lo), NULL),
    SN_REQUIRED("to", SEQ, offsetof(seen_sender, run.hi), NULL),
    SN_REQUIRED("user", ID, offsetof(seen_sender, user), NULL),
    SN_OPTIONAL("text", BOOL, offsetof(seen_sender, text), NULL),
};
static const sn_object sender = SN_OBJECT(sender_fields);

static const sn_field peer_fields[] = {
    SN_REQUIRED("user", ID, offsetof(seen_peer, user), NULL),
    SN_OPTIONAL("read_seq", NUMBER, offsetof(seen_peer, read_seq), NULL),
    SN_OPTIONAL("delivered_seq", NUMBER, offsetof(seen_peer, delivered_seq),
                NULL),
};
static const sn_object peer = SN_OBJECT(peer_fields);

static const seen_note plain_note;
static const seen_sender plain_sender;
static const seen_peer plain_peer;

static int read_sender(const sn_reader *reader, const sn_json *json,
                       const char *where, void *item) {
  const seen_sender *said = item;
  int status = sn_read_object(reader, json, &sender, where, item);

  if (status == SEEN_OK && said->run.lo > said->run.hi)
    return sn_read_bad(reader, "to", where, "below 'from'");
  return status;
}

static const sn_items notes = {sizeof(seen_note), &note, &plain_note, NULL,
                               NULL};
static const sn_items senders = {sizeof(seen_sender), &sender, &plain_sender,
                                 read_sender, NULL};
static const sn_items peers = {sizeof(seen_peer), &peer, &plain_peer, NULL,
                               NULL};

#define LIST(base, name, list, list_count, items)                              \
  SN_LIST(name, (base) + AT(list), (base) + AT(list_count), items)

/* A record's members but its id; `base` is where it begins. */
#define RECORD_FIELDS(base)                                                    \
  SN_REQUIRED("kind", WORD, (base) + AT(kind), &sn_words_kind),                \
      FLAG(base, "gone", GONE), FLAG(base, "waiting", WAITING),                \
      FLAG(base, "muted", MUTED), FLAG(base, "pinned", PINNED),                \
      CHOICE(base, "want_muted", WANT_MUTE),                                   \
      CHOICE(base, "want_pinned", WANT_PIN),                                   \
      SN_OPTIONAL("read", OBJECT, (base) + AT(read), &sn_object_position),     \
      SN_OPTIONAL("last_seq", NUMBER, (base) + AT(last_seq), NULL),            \
      SN_OPTIONAL("floor", NUMBER, (base) + AT(floor), NULL),                  \
      SN_OPTIONAL("join_seq", NUMBER, (base) + AT(join_seq), NULL),            \
      SN_OPTIONAL("updated_at", NUMBER, (base) + AT(updated_at), NULL),        \
      SN_OPTIONAL("tally", OBJECT, (base), &tally),                            \
      LIST(base, "uncountable", uncountable, uncountable_count,                \
           &sn_items_runs),                                                    \
      LIST(base, "live", live, live_count, &sn_items_runs),                    \
      LIST(base, "found", found, found_count, &sn_items_runs),                 \
      LIST(base, "cleared", cleared, cleared_count, &sn_items_runs),           \
      LIST(base, "mentions", mentions, mention_count, &sn_items_mentions),     \
      LIST(base, "found_mentions", found_mentions, found_mention_count,        \
           &sn_items_mentions),                                                \
      SN_OPTIONAL("delivered", OBJECT, (base), &delivered),                    \
      SN_MASKED("wish", OBJECT, (base), &wish, (base) + AT(flags),             \
                SEEN_RECORD_WISH),                                             \
      SN_MASKED("mark", OBJECT, (base), &mark, (base) + AT(flags),             \
                SEEN_RECORD_MARK),                                             \
      SN_MASKED("acked", OBJECT, (base), &acked, (base) + AT(flags),           \
                SEEN_RECORD_ACKED),                                            \
      SN_OPTIONAL("own", NUMBER, (base) + AT(own), NULL),                      \
      LIST(base, "notes", notes, note_count, &notes),                          \
      LIST(base, "senders", senders, sender_count, &senders),                  \
      LIST(base, "members", members, member_count, &sn_items_members),         \
      LIST(base, "peers", peers, peer_count, &peers),                          \
      LIST(base, "receipts", receipts, receipt_count, &sn_items_receipts)

static const sn_field record_fields[] = {RECORD_FIELDS(0)};
static const sn_object record = SN_OBJECT(record_fields);
static const seen_record plain_record = {.size = sizeof plain_record};
static const sn_struct written = {&record, sizeof(seen_record), &plain_record};

#define PARTS                                                                  \
  SN_OPTIONAL("working", STRUCT, SN_AT(working), &sn_struct_working),          \
      SN_OPTIONAL("written", STRUCT, SN_AT(written), &written)

static const sn_field state_fields[] = {
    SN_REQUIRED("conv", CONV, SN_AT(u.record) + AT(id), NULL),
    RECORD_FIELDS(SN_AT(u.record)), PARTS};
static const sn_object state = SN_OBJECT(state_fields);

static const sn_field rest_fields[] = {
    SN_REQUIRED("conv", CONV, SN_AT(u.id), NULL), PARTS};
static const sn_object rest = SN_OBJECT(rest_fields);

/* What was written is told of what has changed since. */
static int check_written(const sn_reader *reader, const sn_json *value,
                         seen_trace_line *line) {
  const seen_working *working = line->working;

  (void)value;
  if (line->written == NULL ||
      (working != NULL && (working->flags & SEEN_WORKING_UNWRITTEN) != 0))
    return SEEN_OK;
  return sn_read_bad(reader, "written", "state",
                     "'working' does not say 'unwritten'");
}

static const sn_verb verbs[] = {
    {SEEN_TRACE_RECORD, SEEN_INPUT_TICK,
     SN_REQUIRED("state", OBJECT, 0, &state), check_written},
    {SEEN_TRACE_WORKING, SEEN_INPUT_TICK,
     SN_REQUIRED("state", OBJECT, 0, &rest), check_written},
    {SEEN_TRACE_SESSION, SEEN_INPUT_TICK,
     SN_REQUIRED("state", OBJECT, SN_AT(u.session), &sn_object_session), NULL},
};
const sn_verbs sn_verbs_states = {verbs, SN_COUNT_OF(verbs)};
