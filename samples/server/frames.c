#include "frames.h"

#include "conversations.h"
#include "periods.h"

text frames_begin(const char *type) {
  text frame = {NULL, 0, 0};
  text_add(&frame, "{");
  text_member_quoted(&frame, "t", type);
  return frame;
}

text frames_begin_answer(const char *type, uint64_t id) {
  text frame = frames_begin(type);
  text_member_number(&frame, "id", id);
  return frame;
}

text frames_error(bool has_id, uint64_t id, const char *code,
                  const char *message, uint64_t retry_ms) {
  text frame =
      has_id ? frames_begin_answer("error", id) : frames_begin("error");
  text_member_quoted(&frame, "code", code);
  text_member_quoted(&frame, "message", message);
  if (retry_ms) text_member_number(&frame, "retry_ms", retry_ms);
  text_add(&frame, "}");
  return frame;
}

const char *frames_kind(seen_message_kind kind) {
  static const char *const names[] = {"text", "system", "recall", "edit",
                                      "reaction"};
  return names[kind];
}

const char *frames_why(seen_mention_why why) {
  static const char *const names[] = {"", "me", "all", "quote"};
  return names[why];
}

static const char *conversation_kind(seen_kind kind) {
  static const char *const names[] = {"direct", "group", "large"};
  return names[kind];
}

static void add_position(text *into, seen_position read) {
  text_member(into, "read");
  text_add(into, "{\"epoch\":");
  text_add_number(into, read.epoch);
  text_add(into, ",\"seq\":");
  text_add_number(into, read.seq);
  text_add(into, ",\"high\":");
  text_add_number(into, read.high);
  text_add(into, "}");
}

static void add_runs(text *into, const word *said) {
  text_member(into, "uncountable");
  text_add(into, "[");
  for (size_t i = said->run_count; i > 0; i--) {
    seen_run run = said->runs[i - 1];
    text_comma(into);
    if (run.lo < run.hi) text_add(into, "[");
    text_add_number(into, run.lo);
    if (run.lo == run.hi) continue;
    text_add(into, ",");
    text_add_number(into, run.hi);
    text_add(into, "]");
  }
  text_add(into, "]");
}

static void add_mentions(text *into, const word *said) {
  text_member(into, "mentions");
  text_add(into, "[");
  for (size_t i = 0; i < said->mention_count; i++) {
    text_comma(into);
    text_add(into, "{\"seq\":");
    text_add_number(into, said->mentions[i].seq);
    text_member_quoted(into, "why", frames_why(said->mentions[i].why));
    text_add(into, "}");
  }
  text_add(into, "]");
}

void frames_word(server *of, text *into, conversation *conv, member *whose) {
  word said;
  conversations_own(of, conv, whose);
  tally_word(conv, whose, &said);
  if (said.read.seq > conv->last_seq) of->metrics.position_above_last++;
  add_position(into, said.read);
  text_member_number(into, "last_seq", said.last_seq);
  add_runs(into, &said);
  text_member_number(into, "from", said.from);
  if (said.has_counted) text_member_number(into, "counted", said.counted);
  add_mentions(into, &said);
  text_member_number(into, "floor", said.floor);
  text_member_number(into, "version", said.version);
  text_member_number(into, "unread", said.unread);
}

static void add_entry(text *into, const member *of, const period *in,
                      seen_run stretch, bool positions) {
  text_comma(into);
  text_add(into, "{");
  text_member_quoted(into, "user", of->user);
  text_member_number(into, "join", stretch.lo);
  if (stretch.hi != SEEN_SEQ_MAX) text_member_number(into, "leave", stretch.hi);
  if (of->role == ROLE_BOT) text_member_bool(into, "bot", true);
  if (positions && in->receipt >= stretch.lo)
    text_member_number(into, "read_seq", least(in->receipt, stretch.hi));
  if (positions && in->delivered >= stretch.lo)
    text_member_number(into, "delivered_seq", least(in->delivered, stretch.hi));
  text_add(into, "}");
}

static void add_entries(text *into, const member *of, bool positions) {
  seen_run stretch;
  if (of->off) return; /* S7 */
  for (size_t i = 0; i < of->period_count; i++)
    for (uint64_t seq = 0;
         periods_stretch(&of->periods[i], false, seq, &stretch);
         seq = stretch.hi + 1)
      add_entry(into, of, &of->periods[i], stretch, positions);
}

/* R4; left out where it would not fit. */
static void add_roster(const server *of, text *into, const conversation *conv) {
  size_t before = into->length, most_bytes = of->limits.frame_bytes / 2;
  bool positions = conv->present <= of->limits.peer_limit;
  const member *next;
  if (conv->kind == SEEN_KIND_LARGE || conv->present > of->limits.roster_limit)
    return;
  text_member(into, "roster");
  text_add(into, "[");
  for (size_t at = 0; (next = map_next(&conv->members, &at));) {
    add_entries(into, next, positions);
    if (into->length - before > most_bytes) {
      text_cut(into, before);
      return;
    }
  }
  text_add(into, "]");
}

void frames_row(server *of, text *into, conversation *conv, member *whose) {
  const period *latest = periods_latest(whose);
  text_comma(into);
  text_add(into, "{");
  text_member_quoted(into, "id", conv->id);
  text_member_quoted(into, "kind", conversation_kind(conv->kind));
  frames_word(of, into, conv, whose);
  text_member_number(into, "delivered_seq", latest->delivered);
  text_member_number(into, "join_seq", latest->join_seq);
  if (!periods_is_present(whose))
    text_member_number(into, "leave_seq", latest->leave_seq);
  text_member_bool(into, "muted", whose->muted);
  text_member_bool(into, "pinned", whose->pinned);
  text_member_number(into, "updated_at", conv->updated_at);
  if (periods_is_present(whose)) add_roster(of, into, conv);
  text_add(into, "}");
}

void frames_rows(server *of, text *into, conversation *conv, member *whose) {
  text_member(into, "conversations");
  text_add(into, "[");
  frames_row(of, into, conv, whose);
  text_add(into, "],\"more\":false}");
}

void frames_position(server *of, text *into, conversation *conv,
                     member *whose) {
  text_member_quoted(into, "conv", conv->id);
  frames_word(of, into, conv, whose);
  text_add(into, "}");
}
