/* Field by field, as docs/protocol.md lists them. */
#include "wire/word.h"

#include "model/names.h"

seen_mention_why sn_take_why(sn_taking *t, const sn_json *object,
                             const char *name) {
  seen_mention_why why = SEEN_MENTION_NONE;
  const char *word = sn_take_text(t, object, name);
  if (word && !sn_mention_why_parse(word, &why))
    sn_take_bad(t, name, "me, all or quote");
  return why;
}

static seen_position take_position(sn_taking *t, const sn_json *object) {
  seen_position position = {sn_take_int(t, object, "epoch"),
                            sn_take_int(t, object, "seq"),
                            sn_take_int(t, object, "high")};
  return position;
}

/* [lo, hi], or a seq by itself. */
static seen_run take_run(sn_taking *t, const sn_json *json) {
  const char *what = "uncountable";
  seen_run run = {0, 0};
  if (sn_json_type_of(json) == SN_JSON_LIST) {
    if (sn_json_count(json) == 2) {
      run.lo = sn_take_int_value(t, sn_json_first(json), what);
      run.hi = sn_take_int_value(t, sn_json_next(sn_json_first(json)), what);
    }
  } else {
    run.lo = run.hi = sn_take_int_value(t, json, what);
  }
  if (!run.lo || run.lo > run.hi) sn_take_bad(t, what, "seqs and [lo, hi]");
  return run;
}

static void take_runs(sn_taking *t, const sn_json *object, seen_word *word) {
  const sn_json *list = sn_take_list(t, object, "uncountable", false);
  seen_run *runs =
      sn_take_room(t, list, sizeof *runs, &word->uncountable_count);
  word->uncountable = runs;
  if (!runs) return;
  for (list = sn_json_first(list); list && !t->status;
       list = sn_json_next(list))
    *runs++ = take_run(t, list);
}

static void take_mentions(sn_taking *t, const sn_json *object,
                          seen_word *word) {
  const sn_json *list = sn_take_list(t, object, "mentions", false);
  seen_mention *mentions =
      sn_take_room(t, list, sizeof *mentions, &word->mention_count);
  word->mentions = mentions;
  if (!mentions) return;
  for (list = sn_json_first(list); list && !t->status;
       list = sn_json_next(list), mentions++) {
    if (!sn_take_type(t, list, SN_JSON_OBJECT, "mentions")) return;
    mentions->seq = sn_take_seq(t, list, "seq");
    mentions->why = sn_take_why(t, list, "why");
  }
}

static uint64_t take_said(sn_taking *t, const sn_json *object, const char *name,
                          uint32_t *fields, uint32_t bit) {
  if (!sn_has(object, name)) return 0;
  *fields |= bit;
  return sn_take_int(t, object, name);
}

void sn_take_word(sn_taking *t, const sn_json *object, seen_word *word) {
  uint32_t *fields = &word->fields;
  word->read = take_position(t, sn_take_object(t, object, "read"));
  word->last_seq = sn_take_int(t, object, "last_seq");
  word->version = sn_take_int(t, object, "version");
  word->from = take_said(t, object, "from", fields, SEEN_WORD_FROM);
  word->counted = take_said(t, object, "counted", fields, SEEN_WORD_COUNTED);
  word->floor = take_said(t, object, "floor", fields, SEEN_WORD_FLOOR);
  word->unread = take_said(t, object, "unread", fields, SEEN_WORD_UNREAD);
  take_runs(t, object, word);
  take_mentions(t, object, word);
}

static void take_member(sn_taking *t, const sn_json *json,
                        seen_member *member) {
  if (!sn_take_type(t, json, SN_JSON_OBJECT, "roster")) return;
  member->user = sn_take_name(t, json, "user");
  member->join_seq = sn_take_int(t, json, "join");
  member->leave_seq = sn_take_int_if(t, json, "leave");
  member->read_seq = sn_take_int_if(t, json, "read_seq");
  member->delivered_seq = sn_take_int_if(t, json, "delivered_seq");
  member->bot = sn_take_bool_if(t, json, "bot");
}

static void take_roster(sn_taking *t, const sn_json *object,
                        seen_snapshot *row) {
  const sn_json *list = sn_take_list(t, object, "roster", false);
  if (!list) return;
  seen_member *members =
      sn_take_room(t, list, sizeof *members, &row->roster_count);
  row->fields |= SEEN_SNAPSHOT_ROSTER;
  row->roster = members;
  if (!members) return;
  for (list = sn_json_first(list); list && !t->status;
       list = sn_json_next(list))
    take_member(t, list, members++);
}

static bool take_flag(sn_taking *t, const sn_json *object, const char *name,
                      uint32_t *fields, uint32_t bit) {
  if (!sn_has(object, name)) return false;
  *fields |= bit;
  return sn_take_bool(t, object, name);
}

void sn_take_row(sn_taking *t, const sn_json *object, seen_snapshot *row) {
  uint32_t *fields = &row->fields;
  const char *kind = sn_take_text(t, object, "kind");
  if (kind && !sn_kind_parse(kind, &row->kind))
    sn_take_bad(t, "kind", "direct, group or large");
  sn_take_word(t, object, &row->word);
  row->muted = take_flag(t, object, "muted", fields, SEEN_SNAPSHOT_MUTED);
  row->pinned = take_flag(t, object, "pinned", fields, SEEN_SNAPSHOT_PINNED);
  row->updated_at =
      take_said(t, object, "updated_at", fields, SEEN_SNAPSHOT_UPDATED_AT);
  row->join_seq =
      take_said(t, object, "join_seq", fields, SEEN_SNAPSHOT_JOIN_SEQ);
  if (*fields & SEEN_SNAPSHOT_JOIN_SEQ && !row->join_seq)
    sn_take_bad(t, "join_seq", "a seq is at least 1");
  row->leave_seq =
      take_said(t, object, "leave_seq", fields, SEEN_SNAPSHOT_LEAVE_SEQ);
  row->delivered_seq = take_said(t, object, "delivered_seq", fields,
                                 SEEN_SNAPSHOT_DELIVERED_SEQ);
  take_roster(t, object, row);
}
