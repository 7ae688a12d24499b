/* The verbs that an engine is fed, and `me`. */
#include "trace/verb.h"

#include "base/fail.h"

#include <string.h>

static const sn_field position_fields[] = {
    SN_REQUIRED("epoch", NUMBER, offsetof(seen_position, epoch), NULL),
    SN_REQUIRED("seq", NUMBER, offsetof(seen_position, seq), NULL),
    SN_OPTIONAL("high", NUMBER, offsetof(seen_position, high), NULL),
};
const sn_object sn_object_position = SN_OBJECT(position_fields);

/* A word (U2) that lies at `w`; `read` and `last_seq` stand before it. */
#define WORD_IS(w)                                                             \
  SN_REQUIRED("read", OBJECT, SN_AT(w.read), &sn_object_position),             \
      SN_REQUIRED("last_seq", NUMBER, SN_AT(w.last_seq), NULL)

#define WORD_MAY(w)                                                            \
  {.name = "uncountable",                                                      \
   .type = SN_FIELD_LIST_OR_NULL,                                              \
   .at = SN_AT(w.uncountable),                                                 \
   .count = SN_AT(w.uncountable_count),                                        \
   .mask = SN_AT(w.fields),                                                    \
   .bit = SEEN_WORD_UNCOUNTABLE_UNKNOWN,                                       \
   .how = &sn_items_runs},                                                     \
      SN_MASKED("from", NUMBER, SN_AT(w.from), NULL, SN_AT(w.fields),          \
                SEEN_WORD_FROM),                                               \
      SN_MASKED("counted", NUMBER, SN_AT(w.counted), NULL, SN_AT(w.fields),    \
                SEEN_WORD_COUNTED),                                            \
      SN_LIST("mentions", SN_AT(w.mentions), SN_AT(w.mention_count),           \
              &sn_items_mentions),                                             \
      SN_MASKED("floor", NUMBER, SN_AT(w.floor), NULL, SN_AT(w.fields),        \
                SEEN_WORD_FLOOR),                                              \
      SN_OPTIONAL("version", NUMBER, SN_AT(w.version), NULL),                  \
      SN_MASKED("unread", NUMBER, SN_AT(w.unread), NULL, SN_AT(w.fields),      \
                SEEN_WORD_UNREAD)

#define CONV SN_REQUIRED("conv", CONV, SN_AT(u.input.id), NULL)

static const sn_field policy_fields[] = {
    SN_OPTIONAL("read", WORD, SN_AT(u.me.read), &sn_words_read_policy),
    SN_OPTIONAL("dwell_ms", SMALL, SN_AT(u.me.dwell_ms), NULL),
    SN_OPTIONAL("debounce_ms", SMALL, SN_AT(u.me.debounce_ms), NULL),
    SN_OPTIONAL("max_wait_ms", SMALL, SN_AT(u.me.max_wait_ms), NULL),
    SN_OPTIONAL("fetch_wait_ms", SMALL, SN_AT(u.me.fetch_wait_ms), NULL),
    SN_OPTIONAL("persist_ms", SMALL, SN_AT(u.me.persist_ms), NULL),
    SN_OPTIONAL("reports_per_second", SMALL, SN_AT(u.me.reports_per_second),
                NULL),
    SN_OPTIONAL("burst", SMALL, SN_AT(u.me.burst), NULL),
    SN_OPTIONAL("cap", SMALL, SN_AT(u.me.cap), NULL),
    SN_OPTIONAL("own_send", WORD, SN_AT(u.me.own_send), &sn_words_own_send),
    SN_OPTIONAL("receipts", BOOL, SN_AT(u.me.receipts), NULL),
    SN_OPTIONAL("delivered", BOOL, SN_AT(u.me.delivered), NULL),
    SN_OPTIONAL("subscriptions", BOOL, SN_AT(u.me.subscriptions), NULL),
    SN_OPTIONAL("jitter", BOOL, SN_AT(u.me.jitter), NULL),
};
static const sn_object policy_object = SN_OBJECT(policy_fields);

static const sn_field me_fields[] = {
    SN_REQUIRED("user", ID, SN_AT(u.me.user), NULL),
    SN_OPTIONAL("device", TEXT, SN_AT(u.me.device), NULL),
    SN_OPTIONAL("policy", OBJECT, 0, &policy_object),
};
static const sn_object me = SN_OBJECT(me_fields);

#define SNAPSHOT(name, type, member, bit)                                      \
  SN_MASKED(name, type, SN_AT(u.input.u.snapshot.member), NULL,                \
            SN_AT(u.input.u.snapshot.fields), bit)

static const sn_field conversation_fields[] = {
    SN_REQUIRED("id", CONV, SN_AT(u.input.id), NULL),
    SN_REQUIRED("kind", WORD, SN_AT(u.input.u.snapshot.kind), &sn_words_kind),
    WORD_IS(u.input.u.snapshot.word),
    WORD_MAY(u.input.u.snapshot.word),
    SNAPSHOT("muted", BOOL, muted, SEEN_SNAPSHOT_MUTED),
    SNAPSHOT("pinned", BOOL, pinned, SEEN_SNAPSHOT_PINNED),
    SNAPSHOT("updated_at", NUMBER, updated_at, SEEN_SNAPSHOT_UPDATED_AT),
    SNAPSHOT("join_seq", SEQ, join_seq, SEEN_SNAPSHOT_JOIN_SEQ),
    SNAPSHOT("leave_seq", NUMBER, leave_seq, SEEN_SNAPSHOT_LEAVE_SEQ),
    SNAPSHOT("delivered_seq", NUMBER, delivered_seq,
             SEEN_SNAPSHOT_DELIVERED_SEQ),
    {.name = "roster",
     .type = SN_FIELD_LIST,
     .at = SN_AT(u.input.u.snapshot.roster),
     .count = SN_AT(u.input.u.snapshot.roster_count),
     .mask = SN_AT(u.input.u.snapshot.fields),
     .bit = SEEN_SNAPSHOT_ROSTER,
     .how = &sn_items_members},
};
static const sn_object conversation = SN_OBJECT(conversation_fields);

static const sn_field message_fields[] = {
    CONV,
    SN_REQUIRED("seq", SEQ, SN_AT(u.input.u.message.seq), NULL),
    SN_REQUIRED("from", ID, SN_AT(u.input.u.message.from), NULL),
    SN_OPTIONAL("kind", WORD, SN_AT(u.input.u.message.kind),
                &sn_words_message_kind),
    SN_OPTIONAL("countable", COUNTABLE, SN_AT(u.input.u.message.countable),
                NULL),
    SN_OPTIONAL("mentions", WORD, SN_AT(u.input.u.message.mention),
                &sn_words_why),
    SN_OPTIONAL("target", SEQ, SN_AT(u.input.u.message.target), NULL),
    SN_OPTIONAL("sent_at", NUMBER, SN_AT(u.input.u.message.sent_at), NULL),
    SN_OPTIONAL("hidden", BOOL, SN_AT(u.input.u.message.hidden), NULL),
};
static const sn_object message = SN_OBJECT(message_fields);

static const sn_field position_verb_fields[] = {CONV, WORD_IS(u.input.u.word),
                                                WORD_MAY(u.input.u.word)};
static const sn_object position = SN_OBJECT(position_verb_fields);

static const sn_field ack_fields[] = {
    CONV,
    SN_OPTIONAL("of", WORD, SN_AT(u.input.u.answer.of), &sn_words_request),
    WORD_IS(u.input.u.answer.word),
    WORD_MAY(u.input.u.answer.word),
};
static const sn_object ack = SN_OBJECT(ack_fields);

#define REFUSE                                                                 \
  CONV,                                                                        \
      SN_OPTIONAL("of", WORD, SN_AT(u.input.u.answer.of), &sn_words_request),  \
      SN_REQUIRED("code", WORD, SN_AT(u.input.u.answer.refusal),               \
                  &sn_words_refusal),                                          \
      SN_OPTIONAL("retry_ms", NUMBER, SN_AT(u.input.u.answer.retry_ms), NULL)

static const sn_field refuse_bare_fields[] = {REFUSE};
const sn_object sn_refuse_bare = SN_OBJECT(refuse_bare_fields);

static const sn_field refuse_fields[] = {
    REFUSE,
    SN_MASKED("read", OBJECT, SN_AT(u.input.u.answer.word.read),
              &sn_object_position, SN_AT(u.input.u.answer.has_word), SN_SAID),
    SN_MASKED("last_seq", NUMBER, SN_AT(u.input.u.answer.word.last_seq), NULL,
              SN_AT(u.input.u.answer.has_word), SN_SAID),
    WORD_MAY(u.input.u.answer.word),
};
static const sn_object refuse = SN_OBJECT(refuse_fields);

static const sn_field found_fields[] = {
    CONV,
    SN_REQUIRED("seq", SEQ, SN_AT(u.input.u.found.seq), NULL),
    SN_OPTIONAL("mentions", WORD, SN_AT(u.input.u.found.mention),
                &sn_words_why),
    SN_OPTIONAL("countable", FALSE, SN_AT(u.input.u.found.uncountable), NULL),
};
static const sn_object found = SN_OBJECT(found_fields);

static const sn_field membership_fields[] = {
    SN_REQUIRED("user", ID, offsetof(seen_membership, user), NULL),
    SN_REQUIRED("seq", NUMBER, offsetof(seen_membership, seq), NULL),
    SN_OPTIONAL("bot", BOOL, offsetof(seen_membership, bot), NULL),
};
static const sn_object membership = SN_OBJECT(membership_fields);

static const seen_membership plain_membership;
static const sn_items memberships = {sizeof(seen_membership), &membership,
                                     &plain_membership, NULL, NULL};

static const sn_field members_fields[] = {
    CONV,
    SN_LIST("joined", SN_AT(u.input.u.members.joined),
            SN_AT(u.input.u.members.joined_count), &memberships),
    SN_LIST("left", SN_AT(u.input.u.members.left),
            SN_AT(u.input.u.members.left_count), &memberships),
};
static const sn_object members = SN_OBJECT(members_fields);

static const sn_field peer_fields[] = {
    CONV,
    SN_REQUIRED("user", ID, SN_AT(u.input.u.peer.user), NULL),
    SN_OPTIONAL("read_seq", NUMBER, SN_AT(u.input.u.peer.read_seq), NULL),
    SN_OPTIONAL("delivered_seq", NUMBER, SN_AT(u.input.u.peer.delivered_seq),
                NULL),
};
static const sn_object peer = SN_OBJECT(peer_fields);

static const sn_field receipts_fields[] = {
    CONV,
    {.name = "rows",
     .type = SN_FIELD_LIST,
     .required = true,
     .at = SN_AT(u.input.u.receipts.rows),
     .count = SN_AT(u.input.u.receipts.count),
     .how = &sn_items_receipts},
};
static const sn_object receipts = SN_OBJECT(receipts_fields);

static const sn_field set_fields[] = {
    CONV,
    SN_MASKED("muted", BOOL, SN_AT(u.input.u.settings.muted), NULL,
              SN_AT(u.input.u.settings.has_muted), SN_SAID),
    SN_MASKED("pinned", BOOL, SN_AT(u.input.u.settings.pinned), NULL,
              SN_AT(u.input.u.settings.has_pinned), SN_SAID),
};
static const sn_object set = SN_OBJECT(set_fields);

#define MAYBE_SEQ(name)                                                        \
  SN_MASKED(name, NUMBER, SN_AT(u.input.u.seq.seq), NULL,                      \
            SN_AT(u.input.u.seq.said), SN_SAID)

static const sn_field left_fields[] = {CONV, MAYBE_SEQ("leave_seq")};
static const sn_object left = SN_OBJECT(left_fields);
static const sn_field mark_read_fields[] = {CONV, MAYBE_SEQ("seq")};
static const sn_object mark_read = SN_OBJECT(mark_read_fields);
static const sn_field mark_unread_fields[] = {CONV, MAYBE_SEQ("target")};
static const sn_object mark_unread = SN_OBJECT(mark_unread_fields);

static const sn_field visible_fields[] = {
    CONV,
    SN_OPTIONAL("from", SEQ, SN_AT(u.input.u.range.lo), NULL),
    SN_OPTIONAL("to", SEQ, SN_AT(u.input.u.range.hi), NULL),
};
static const sn_object visible = SN_OBJECT(visible_fields);

static const sn_field switch_fields[] = {
    CONV, SN_REQUIRED("on", BOOL, SN_AT(u.input.u.on), NULL)};
static const sn_object turn = SN_OBJECT(switch_fields);

static const sn_field server_reset_fields[] = {
    SN_REQUIRED("incarnation", TEXT, SN_AT(incarnation), NULL)};
static const sn_object server_reset = SN_OBJECT(server_reset_fields);

static const sn_field conv_fields[] = {CONV};
static const sn_object conv_only = SN_OBJECT(conv_fields);
static const sn_object nothing = {conv_fields, 0};

static int check_message(const sn_reader *reader, const sn_json *value,
                         seen_trace_line *line) {
  const seen_message *said = &line->u.input.u.message;

  (void)value;
  if (said->target == 0) return SEEN_OK;
  if (said->kind != SEEN_MESSAGE_RECALL && said->kind != SEEN_MESSAGE_EDIT)
    return sn_read_bad(reader, "target", "message",
                       "neither a recall nor an edit");
  if (said->target >= said->seq)
    return sn_read_bad(reader, "target", "message", "not below its own seq");
  return SEEN_OK;
}

/* The word of a refusal is whole or not there. */
static int check_word(const sn_reader *reader, const sn_json *value) {
  bool read = sn_json_member(value, "read") != NULL;
  bool last = sn_json_member(value, "last_seq") != NULL;
  const sn_json *member;

  for (member = sn_json_first(value); member != NULL && !(read && last);
       member = sn_json_next(member)) {
    const char *name = sn_json_name(member);

    if (strcmp(name, "conv") != 0 && strcmp(name, "of") != 0 &&
        strcmp(name, "code") != 0 && strcmp(name, "retry_ms") != 0)
      return sn_fail(reader->error, SEEN_EPARSE, "missing field '%s' in refuse",
                     read ? "last_seq" : "read");
  }
  return SEEN_OK;
}

static int check_refuse(const sn_reader *reader, const sn_json *value,
                        seen_trace_line *line) {
  const seen_answer *answer = &line->u.input.u.answer;
  int status = check_word(reader, value);

  if (status != SEEN_OK) return status;
  if (answer->of == SEEN_REQUEST_READ_ALL)
    return sn_read_bad(reader, "of", "refuse", "read_all is never refused");
  if (sn_json_member(value, "retry_ms") != NULL &&
      answer->refusal != SEEN_REFUSAL_RATE_LIMITED)
    return sn_read_bad(reader, "retry_ms", "refuse", "not rate_limited");
  switch (answer->refusal) {
  case SEEN_REFUSAL_RATE_LIMITED: return SEEN_OK;
  case SEEN_REFUSAL_NOT_MEMBER:
  case SEEN_REFUSAL_NOT_FOUND:
    return answer->has_word ? sn_read_bad(reader, "read", "refuse",
                                          "this code comes without a word")
                            : SEEN_OK;
  default:
    return answer->has_word ? SEEN_OK
                            : sn_fail(reader->error, SEEN_EPARSE,
                                      "missing field 'read' in refuse");
  }
}

static int check_found(const sn_reader *reader, const sn_json *value,
                       seen_trace_line *line) {
  (void)value;
  if (line->u.input.u.found.uncountable !=
      (line->u.input.u.found.mention != SEEN_MENTION_NONE))
    return SEEN_OK;
  return sn_fail(reader->error, SEEN_EPARSE,
                 "one of 'mentions' and 'countable' is needed in found");
}

static int check_visible(const sn_reader *reader, const sn_json *value,
                         seen_trace_line *line) {
  const seen_run *range = &line->u.input.u.range;

  (void)value;
  if ((range->lo == 0) != (range->hi == 0))
    return sn_fail(reader->error, SEEN_EPARSE,
                   "'from' and 'to' go together in visible");
  if (range->lo > range->hi)
    return sn_read_bad(reader, "to", "visible", "below 'from'");
  return SEEN_OK;
}

#define INPUT(name, input, object, check)                                      \
  {                                                                            \
    SEEN_TRACE_INPUT, SEEN_INPUT_##input,                                      \
        SN_REQUIRED(name, OBJECT, 0, object), check                            \
  }

static const sn_verb verbs[] = {
    {SEEN_TRACE_ME, SEEN_INPUT_TICK, SN_REQUIRED("me", OBJECT, 0, &me), NULL},
    {SEEN_TRACE_RESTART, SEEN_INPUT_TICK,
     SN_REQUIRED("restart", OBJECT, 0, &nothing), NULL},
    INPUT("conversation", CONVERSATION, &conversation, NULL),
    INPUT("message", MESSAGE, &message, check_message),
    INPUT("position", POSITION, &position, NULL),
    INPUT("ack", ACK, &ack, NULL),
    INPUT("refuse", REFUSE, &refuse, check_refuse),
    INPUT("found", FOUND, &found, check_found),
    INPUT("members", MEMBERS, &members, NULL),
    INPUT("peer", PEER, &peer, NULL),
    INPUT("receipts", RECEIPTS, &receipts, NULL),
    INPUT("set", SET, &set, NULL),
    INPUT("left", LEFT, &left, NULL),
    INPUT("forget", FORGET, &conv_only, NULL),
    INPUT("open", OPEN, &conv_only, NULL),
    INPUT("visible", VISIBLE, &visible, check_visible),
    INPUT("close", CLOSE, &conv_only, NULL),
    INPUT("mark_read", MARK_READ, &mark_read, NULL),
    INPUT("mark_unread", MARK_UNREAD, &mark_unread, NULL),
    INPUT("clear_mentions", CLEAR_MENTIONS, &conv_only, NULL),
    INPUT("mute", MUTE, &turn, NULL),
    INPUT("pin", PIN, &turn, NULL),
    INPUT("read_all", READ_ALL, &nothing, NULL),
    {SEEN_TRACE_INPUT, SEEN_INPUT_APP,
     SN_REQUIRED("app", SWITCH, SN_AT(u.input.u.on), &sn_words_app), NULL},
    {SEEN_TRACE_INPUT, SEEN_INPUT_FOCUS,
     SN_REQUIRED("focus", BOOL, SN_AT(u.input.u.on), NULL), NULL},
    {SEEN_TRACE_INPUT, SEEN_INPUT_LINK,
     SN_REQUIRED("link", SWITCH, SN_AT(u.input.u.on), &sn_words_link), NULL},
    INPUT("flush", FLUSH, &nothing, NULL),
    INPUT("report_now", REPORT_NOW, &nothing, NULL),
    INPUT("server_reset", SERVER_RESET, &server_reset, NULL),
    INPUT("snapshot_end", SNAPSHOT_END, &nothing, NULL),
    INPUT("audit", AUDIT, &nothing, NULL),
    INPUT("tick", TICK, &nothing, NULL),
};
const sn_verbs sn_verbs_inputs = {verbs, SN_COUNT_OF(verbs)};
