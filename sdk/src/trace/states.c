/* The verb `state`: what is held of one conversation, or of the session. */
#include "trace/verb.h"

#include <string.h>

#define AT(member) SN_AT(u.record.member)

#define FLAG(field_name, flag)                                                 \
  {                                                                            \
    .name = (field_name), .type = SN_FIELD_FLAG, .mask = AT(flags),            \
    .bit = SEEN_RECORD_##flag                                                  \
  }

/* The flag and, in the bit above it, its value. */
#define CHOICE(field_name, flag)                                               \
  {                                                                            \
    .name = (field_name), .type = SN_FIELD_CHOICE, .mask = AT(flags),          \
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
    FLAG("keep", WISH_KEEP),
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
    FLAG("keep", MARK_KEEP),
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

static int read_note(const sn_reader *reader, const sn_json *json,
                     const char *where, void *item) {
  return sn_read_object(reader, json, &note, where, item);
}

static int write_note(const sn_writer *writer, const void *item) {
  static const seen_note plain;
  return sn_write_object(writer, &note, item, &plain);
}

static int read_sender(const sn_reader *reader, const sn_json *json,
                       const char *where, void *item) {
  const seen_sender *said = item;
  int status = sn_read_object(reader, json, &sender, where, item);

  if (status == SEEN_OK && said->run.lo > said->run.hi)
    return sn_read_bad(reader, "to", where, "below 'from'");
  return status;
}

static int write_sender(const sn_writer *writer, const void *item) {
  static const seen_sender plain;
  return sn_write_object(writer, &sender, item, &plain);
}

static int read_peer(const sn_reader *reader, const sn_json *json,
                     const char *where, void *item) {
  return sn_read_object(reader, json, &peer, where, item);
}

static int write_peer(const sn_writer *writer, const void *item) {
  static const seen_peer plain;
  return sn_write_object(writer, &peer, item, &plain);
}

static const sn_items notes = {sizeof(seen_note), read_note, write_note};
static const sn_items senders = {sizeof(seen_sender), read_sender,
                                 write_sender};
static const sn_items peers = {sizeof(seen_peer), read_peer, write_peer};

static const sn_field record_fields[] = {
    SN_REQUIRED("conv", ID, AT(id), NULL),
    SN_REQUIRED("kind", WORD, AT(kind), &sn_words_kind),
    FLAG("gone", GONE),
    FLAG("waiting", WAITING),
    FLAG("muted", MUTED),
    FLAG("pinned", PINNED),
    CHOICE("want_muted", WANT_MUTE),
    CHOICE("want_pinned", WANT_PIN),
    SN_OPTIONAL("read", OBJECT, AT(read), &sn_object_position),
    SN_OPTIONAL("last_seq", NUMBER, AT(last_seq), NULL),
    SN_OPTIONAL("floor", NUMBER, AT(floor), NULL),
    SN_OPTIONAL("join_seq", NUMBER, AT(join_seq), NULL),
    SN_OPTIONAL("updated_at", NUMBER, AT(updated_at), NULL),
    SN_OPTIONAL("tally", OBJECT, 0, &tally),
    SN_LIST("uncountable", AT(uncountable), AT(uncountable_count),
            &sn_items_runs),
    SN_LIST("live", AT(live), AT(live_count), &sn_items_runs),
    SN_LIST("found", AT(found), AT(found_count), &sn_items_runs),
    SN_LIST("cleared", AT(cleared), AT(cleared_count), &sn_items_runs),
    SN_LIST("mentions", AT(mentions), AT(mention_count), &sn_items_mentions),
    SN_LIST("found_mentions", AT(found_mentions), AT(found_mention_count),
            &sn_items_mentions),
    SN_OPTIONAL("delivered", OBJECT, 0, &delivered),
    SN_MASKED("wish", OBJECT, 0, &wish, AT(flags), SEEN_RECORD_WISH),
    SN_MASKED("mark", OBJECT, 0, &mark, AT(flags), SEEN_RECORD_MARK),
    SN_MASKED("acked", OBJECT, 0, &acked, AT(flags), SEEN_RECORD_ACKED),
    SN_OPTIONAL("own", NUMBER, AT(own), NULL),
    SN_LIST("notes", AT(notes), AT(note_count), &notes),
    SN_LIST("senders", AT(senders), AT(sender_count), &senders),
    SN_LIST("members", AT(members), AT(member_count), &sn_items_members),
    SN_LIST("peers", AT(peers), AT(peer_count), &peers),
    SN_LIST("receipts", AT(receipts), AT(receipt_count), &sn_items_receipts),
};
static const sn_object record = SN_OBJECT(record_fields);

static const sn_field session_fields[] = {
    SN_MASKED("link", SWITCH, SN_AT(u.session.link), &sn_words_link,
              SN_AT(u.session.fields), SEEN_SESSION_LINK),
    SN_MASKED("app", SWITCH, SN_AT(u.session.app), &sn_words_app,
              SN_AT(u.session.fields), SEEN_SESSION_APP),
    SN_MASKED("focus", BOOL, SN_AT(u.session.focus), NULL,
              SN_AT(u.session.fields), SEEN_SESSION_FOCUS),
};
static const sn_object session = SN_OBJECT(session_fields);

static const sn_verb verbs[] = {
    {SEEN_TRACE_RECORD, SEEN_INPUT_TICK,
     SN_REQUIRED("state", OBJECT, 0, &record), NULL},
    {SEEN_TRACE_SESSION, SEEN_INPUT_TICK,
     SN_REQUIRED("state", OBJECT, 0, &session), NULL},
};
const sn_verbs sn_verbs_states = {verbs, SN_COUNT_OF(verbs)};
