/* One function for each type of frame. */
#include "wire/frame.h"

#include <string.h>

#include "base/fail.h"
#include "model/names.h"
#include "wire/word.h"

void sn_frame_reader_init(sn_frame_reader *reader,
                          const seen_allocator *memory) {
  memset(reader, 0, sizeof *reader);
  sn_arena_init(&reader->arena, memory);
}

/* What was read before is no more. */
static void empty(sn_frame_reader *reader) {
  sn_arena_free(&reader->arena);
  sn_json_free(reader->json);
  reader->json = NULL;
  reader->next = NULL;
}

void sn_frame_reader_free(sn_frame_reader *reader) {
  empty(reader);
}

static void take_welcome(sn_taking *t, const sn_json *json, sn_frame *frame) {
  sn_welcome *welcome = &frame->u.welcome;
  const char *mode = sn_take_text(t, json, "mode");
  welcome->user = sn_take_name(t, json, "user");
  welcome->incarnation = sn_take_name(t, json, "incarnation");
  welcome->version = sn_take_int(t, json, "version");
  welcome->receipts = sn_take_bool(t, json, "receipts");
  if (mode) welcome->snapshot = strcmp(mode, "snapshot") == 0;
  if (mode && !welcome->snapshot && strcmp(mode, "resume") != 0)
    sn_take_bad(t, "mode", "resume or snapshot");
  if (!sn_has(json, "limits")) return;
  const sn_json *limits = sn_take_object(t, json, "limits");
  if (!limits) return;
  welcome->frame_bytes = sn_take_int_if(t, limits, "frame_bytes");
  welcome->items = sn_take_int_if(t, limits, "items");
}

static const char **take_names(sn_taking *t, const sn_json *json,
                               const char *name, size_t *count) {
  const sn_json *list = sn_take_list(t, json, name, false);
  const char **names = sn_take_room(t, list, sizeof *names, count);
  const char **at = names;
  if (!names) return NULL;
  for (list = sn_json_first(list); list && !t->status;
       list = sn_json_next(list))
    *at++ = sn_take_name_value(t, list, name);
  return names;
}

static void take_changes(sn_taking *t, const sn_json *json, sn_frame *frame) {
  sn_changes *changes = &frame->u.changes;
  const sn_json *list = sn_take_list(t, json, "conversations", true);
  sn_row *rows = sn_take_room(t, list, sizeof *rows, &changes->count);
  changes->rows = rows;
  changes->dated = sn_has(json, "from") || sn_has(json, "version");
  if (changes->dated) {
    changes->from = sn_take_int(t, json, "from");
    changes->version = sn_take_int(t, json, "version");
  }
  changes->missing = take_names(t, json, "missing", &changes->missing_count);
  changes->more = sn_take_bool_if(t, json, "more");
  if (!rows) return;
  for (list = sn_json_first(list); list && !t->status;
       list = sn_json_next(list), rows++) {
    if (!sn_take_type(t, list, SN_JSON_OBJECT, "conversations")) return;
    rows->id = sn_take_name(t, list, "id");
    sn_take_row(t, list, &rows->snapshot);
  }
}

static bool is_about_another(seen_message_kind kind) {
  return kind == SEEN_MESSAGE_RECALL || kind == SEEN_MESSAGE_EDIT;
}

static void take_text(sn_taking *t, const sn_json *json, seen_text *text) {
  const char *kind = sn_take_text(t, json, "kind");
  text->size = (uint32_t)sizeof *text;
  text->seq = sn_take_seq(t, json, "seq");
  text->from = sn_take_name(t, json, "from");
  text->sent_at = sn_take_int(t, json, "sent_at");
  text->countable = sn_take_bool(t, json, "countable");
  text->target = sn_take_int_if(t, json, "target");
  text->body = sn_take_text_if(t, json, "body");
  text->hidden = sn_take_bool_if(t, json, "hidden");
  text->recalled = sn_take_bool_if(t, json, "recalled");
  text->taken_down = sn_take_bool_if(t, json, "taken_down");
  if (kind && !sn_message_kind_parse(kind, &text->kind))
    sn_take_bad(t, "kind", "no such kind of message");
  if (text->target >= text->seq) sn_take_bad(t, "target", "not below the seq");
}

static void take_message(sn_taking *t, const sn_json *json, sn_frame *frame) {
  sn_live *live = &frame->u.message;
  seen_text *text = &live->text;
  take_text(t, json, text);
  if (sn_has(json, "mentions"))
    text->mention = sn_take_why(t, json, "mentions");
  live->version = sn_take_int(t, json, "version");
  live->message = (seen_message){
      .seq = text->seq,
      .from = text->from,
      .kind = text->kind,
      .countable = text->countable ? SEEN_COUNTABLE_YES : SEEN_COUNTABLE_NO,
      .mention = text->mention,
      .target = is_about_another(text->kind) ? text->target : 0,
      .sent_at = text->sent_at,
      .hidden = text->hidden};
}

static void take_position(sn_taking *t, const sn_json *json, sn_frame *frame) {
  sn_take_word(t, json, &frame->u.position);
}

/* What of an item has to be there depends on what was said and its result. */
static bool has_to_have_word(sn_say of, const sn_item *item) {
  seen_refusal why;
  if (of != SN_SAY_READ && of != SN_SAY_MARK_UNREAD && of != SN_SAY_READ_ALL)
    return false;
  if (item->result != SN_RESULT_REFUSED) return true;
  return item->code && sn_refusal_parse(item->code, &why) &&
         why <= SEEN_REFUSAL_EPOCH_AHEAD;
}

static void take_item(sn_taking *t, const sn_json *json, sn_say of,
                      sn_item *item) {
  if (!sn_take_type(t, json, SN_JSON_OBJECT, "items")) return;
  const char *result = sn_take_text_if(t, json, "result");
  item->conv = sn_take_name(t, json, "conv");
  item->result = result ? sn_result_of(result) : SN_RESULT_OK;
  item->code = sn_take_text_if(t, json, "code");
  item->retry_ms = sn_take_int_if(t, json, "retry_ms");
  item->seq = sn_take_int_if(t, json, "seq");
  item->sent_at = sn_take_int_if(t, json, "sent_at");
  if (!item->result) sn_take_bad(t, "result", "no such result");
  if (item->result == SN_RESULT_REFUSED && !item->code)
    sn_take_bad(t, "code", "missing");
  item->has_word = sn_has(json, "read") || has_to_have_word(of, item);
  if (item->has_word) sn_take_word(t, json, &item->word);
}

static void take_ack(sn_taking *t, const sn_json *json, sn_frame *frame) {
  sn_ack *ack = &frame->u.ack;
  const char *of = sn_take_text(t, json, "of");
  if (of) ack->of = sn_say_of(of);
  ack->more = sn_take_bool_if(t, json, "more");
  if (ack->of == SN_SAY_SETTINGS) {
    ack->receipts = sn_take_bool(t, json, "receipts");
    ack->version = sn_take_int(t, json, "version");
  }
  const sn_json *list = sn_take_list(t, json, "items", false);
  sn_item *items = sn_take_room(t, list, sizeof *items, &ack->count);
  ack->items = items;
  if (!items) return;
  for (list = sn_json_first(list); list && !t->status;
       list = sn_json_next(list))
    take_item(t, list, ack->of, items++);
}

static void take_peer(sn_taking *t, const sn_json *json, sn_frame *frame) {
  const sn_json *list = sn_take_list(t, json, "items", true);
  seen_peer *items = sn_take_room(t, list, sizeof *items, &frame->u.peer.count);
  frame->u.peer.items = items;
  if (!items) return;
  for (list = sn_json_first(list); list && !t->status;
       list = sn_json_next(list), items++) {
    if (!sn_take_type(t, list, SN_JSON_OBJECT, "items")) return;
    items->user = sn_take_name(t, list, "user");
    items->read_seq = sn_take_int_if(t, list, "read_seq");
    items->delivered_seq = sn_take_int_if(t, list, "delivered_seq");
  }
}

/* [seq, read, audience, delivered] */
static void take_counts(sn_taking *t, const sn_json *json,
                        seen_receipt_row *row) {
  uint64_t numbers[4] = {0, 0, 0, 0};
  const char *what = "rows";
  size_t i = 0;
  if (!sn_take_type(t, json, SN_JSON_LIST, what)) return;
  for (json = sn_json_first(json); json && i < 4; json = sn_json_next(json))
    numbers[i++] = sn_take_int_value(t, json, what);
  if (i < 4 || !numbers[0])
    sn_take_bad(t, what, "of seq, read, audience, delivered");
  *row = (seen_receipt_row){numbers[0], numbers[1], numbers[2], numbers[3]};
}

static void take_receipts(sn_taking *t, const sn_json *json, sn_frame *frame) {
  const sn_json *list = sn_take_list(t, json, "rows", true);
  seen_receipt_row *rows =
      sn_take_room(t, list, sizeof *rows, &frame->u.receipts.count);
  frame->u.receipts.rows = rows;
  if (!rows) return;
  for (list = sn_json_first(list); list && !t->status;
       list = sn_json_next(list))
    take_counts(t, list, rows++);
}

static seen_membership *take_memberships(sn_taking *t, const sn_json *json,
                                         const char *name, size_t *count) {
  const sn_json *list = sn_take_list(t, json, name, false);
  seen_membership *all = sn_take_room(t, list, sizeof *all, count);
  seen_membership *at = all;
  if (!all) return NULL;
  for (list = sn_json_first(list); list && !t->status;
       list = sn_json_next(list), at++) {
    if (!sn_take_type(t, list, SN_JSON_OBJECT, name)) break;
    at->user = sn_take_name(t, list, "user");
    at->seq = sn_take_int(t, list, "seq");
    at->bot = sn_take_bool_if(t, list, "bot");
  }
  return all;
}

static void take_members(sn_taking *t, const sn_json *json, sn_frame *frame) {
  seen_members *members = &frame->u.members;
  members->joined = take_memberships(t, json, "joined", &members->joined_count);
  members->left = take_memberships(t, json, "left", &members->left_count);
}

static void take_set(sn_taking *t, const sn_json *json, sn_frame *frame) {
  seen_settings *set = &frame->u.set;
  set->has_muted = sn_has(json, "muted");
  set->muted = sn_take_bool_if(t, json, "muted");
  set->has_pinned = sn_has(json, "pinned");
  set->pinned = sn_take_bool_if(t, json, "pinned");
}

static void take_left(sn_taking *t, const sn_json *json, sn_frame *frame) {
  frame->u.left = sn_take_int(t, json, "leave_seq");
}

static void take_page(sn_taking *t, const sn_json *json, sn_frame *frame) {
  sn_page *page = &frame->u.page;
  const sn_json *list = sn_take_list(t, json, "messages", true);
  seen_text *messages = sn_take_room(t, list, sizeof *messages, &page->count);
  page->messages = messages;
  page->more = sn_take_bool_if(t, json, "more");
  if (!messages) return;
  for (list = sn_json_first(list); list && !t->status;
       list = sn_json_next(list)) {
    if (!sn_take_type(t, list, SN_JSON_OBJECT, "messages")) return;
    take_text(t, list, messages++);
  }
}

static void take_nothing(sn_taking *t, const sn_json *json, sn_frame *frame) {
  (void)t;
  (void)json;
  (void)frame;
}

static void take_resync(sn_taking *t, const sn_json *json, sn_frame *frame) {
  const char *why = sn_take_text(t, json, "why");
  frame->u.resync.incarnation = why && strcmp(why, "incarnation") == 0;
}

static void take_error(sn_taking *t, const sn_json *json, sn_frame *frame) {
  sn_refused *refused = &frame->u.error;
  refused->code = sn_take_text(t, json, "code");
  refused->message = sn_take_text_if(t, json, "message");
  refused->retry_ms = sn_take_int_if(t, json, "retry_ms");
  if (!refused->message) refused->message = "";
}

/* By type; whether it is of one conversation. */
static const struct {
  void (*take)(sn_taking *t, const sn_json *json, sn_frame *frame);
  bool has_conv;
} frames[] = {
    [SN_FRAME_UNKNOWN] = {take_nothing, false},
    [SN_FRAME_WELCOME] = {take_welcome, false},
    [SN_FRAME_CHANGES] = {take_changes, false},
    [SN_FRAME_MESSAGE] = {take_message, true},
    [SN_FRAME_POSITION] = {take_position, true},
    [SN_FRAME_ACK] = {take_ack, false},
    [SN_FRAME_PEER] = {take_peer, true},
    [SN_FRAME_RECEIPTS] = {take_receipts, true},
    [SN_FRAME_MEMBERS] = {take_members, true},
    [SN_FRAME_SET] = {take_set, true},
    [SN_FRAME_LEFT] = {take_left, true},
    [SN_FRAME_PAGE] = {take_page, true},
    [SN_FRAME_REPORT_NOW] = {take_nothing, false},
    [SN_FRAME_RESYNC] = {take_resync, false},
    [SN_FRAME_ERROR] = {take_error, false},
};

static void take_frame(sn_taking *t, const sn_json *json, sn_frame *frame) {
  if (!sn_take_type(t, json, SN_JSON_OBJECT, "object")) return;
  const char *type = sn_take_text(t, json, "t");
  if (!type) return;
  frame->type = sn_frame_type_of(type);
  if (!frame->type) return;
  t->where = type;
  frame->has_id = sn_has(json, "id");
  frame->id = sn_take_int_if(t, json, "id");
  if (frames[frame->type].has_conv) frame->conv = sn_take_name(t, json, "conv");
  frames[frame->type].take(t, json, frame);
}

int sn_frames_open(sn_frame_reader *reader, const char *text, size_t size,
                   seen_error *error) {
  empty(reader);
  int status = sn_json_parse(text, size, &reader->json, error);
  if (status) return status;
  reader->next = sn_json_type_of(reader->json) == SN_JSON_LIST
                     ? sn_json_first(reader->json)
                     : reader->json;
  return SEEN_OK;
}

int sn_frames_next(sn_frame_reader *reader, const sn_frame **out,
                   seen_error *error) {
  sn_taking t = {&reader->arena, "frame", error, SEEN_OK};
  const sn_json *json = reader->next;
  sn_arena_free(&reader->arena);
  memset(&reader->frame, 0, sizeof reader->frame);
  *out = NULL;
  if (!json) return SEEN_OK;
  take_frame(&t, json, &reader->frame);
  reader->next = json == reader->json ? NULL : sn_json_next(json);
  if (!t.status) *out = &reader->frame;
  return t.status;
}

int sn_frame_read(sn_frame_reader *reader, const char *text, size_t size,
                  const sn_frame **out, seen_error *error) {
  sn_taking t = {&reader->arena, "frame", error, SEEN_OK};
  *out = NULL;
  int status = sn_frames_open(reader, text, size, error);
  if (status) return status;
  memset(&reader->frame, 0, sizeof reader->frame);
  take_frame(&t, reader->json, &reader->frame);
  if (!t.status) *out = &reader->frame;
  return t.status;
}

static void take_audience(sn_taking *t, const sn_json *json,
                          sn_audience *audience) {
  if (!sn_take_type(t, json, SN_JSON_OBJECT, "object")) return;
  audience->conv = sn_take_name(t, json, "conv");
  audience->seq = sn_take_seq(t, json, "seq");
  audience->read = sn_take_int(t, json, "read");
  audience->audience = sn_take_int(t, json, "audience");
  audience->delivered = sn_take_int_if(t, json, "delivered");
  audience->hidden = sn_take_int_if(t, json, "hidden");
  audience->users = take_names(t, json, "users", &audience->count);
  const sn_json *cursor = sn_json_member(json, "cursor");
  if (cursor && sn_json_type_of(cursor) != SN_JSON_NULL)
    audience->cursor = sn_take_text(t, json, "cursor");
}

int sn_audience_read(sn_frame_reader *reader, const char *text, size_t size,
                     const sn_audience **out, seen_error *error) {
  sn_taking t = {&reader->arena, "list of readers", error, SEEN_OK};
  *out = NULL;
  int status = sn_frames_open(reader, text, size, error);
  if (status) return status;
  memset(&reader->audience, 0, sizeof reader->audience);
  take_audience(&t, reader->json, &reader->audience);
  if (!t.status) *out = &reader->audience;
  return t.status;
}
