/* Members stand in the order of docs/protocol.md. */
#include "wire/write.h"

#include "base/json.h"
#include "model/names.h"

static void write_member(sn_text *out, const char *member) {
  sn_text_format(out, ",\"%s\":", member);
}

void sn_put_name(sn_text *out, const char *member, const char *name) {
  write_member(out, member);
  (void)sn_json_write_text(out, name);
}

void sn_put_number(sn_text *out, const char *member, uint64_t number) {
  write_member(out, member);
  sn_text_add_number(out, number);
}

void sn_put_bool(sn_text *out, const char *member, bool value) {
  write_member(out, member);
  sn_text_add(out, value ? "true" : "false");
}

void sn_put_head(sn_text *out, sn_say say, uint64_t id) {
  sn_text_format(out, "{\"t\":\"%s\",\"id\":%u", sn_say_name(say), id);
}

void sn_put_end(sn_text *out) {
  sn_text_add(out, "}");
}

void sn_put_hello(sn_text *out, uint64_t id, const char *device,
                  const char *incarnation, uint64_t version) {
  sn_put_head(out, SN_SAY_HELLO, id);
  sn_put_name(out, "device", device);
  if (incarnation) {
    sn_put_name(out, "incarnation", incarnation);
    sn_put_number(out, "version", version);
  }
  sn_put_end(out);
}

/* The same op whenever the mark is sent again: of what it was made with. */
static void write_op(sn_text *out, uint64_t op) {
  static const char digits[] = "0123456789abcdef";
  char text[17];
  for (int i = 0; i < 16; i++)
    text[i] = digits[op >> (60 - 4 * i) & 15];
  text[16] = '\0';
  sn_put_name(out, "op", text);
}

void sn_put_mark_unread(sn_text *out, uint64_t id, const char *conv,
                        const seen_mark *mark) {
  sn_put_head(out, SN_SAY_MARK_UNREAD, id);
  write_op(out, mark->op);
  sn_put_name(out, "conv", conv);
  sn_text_format(out, ",\"expected\":{\"epoch\":%u,\"seq\":%u}",
                 mark->expected_epoch, mark->expected_seq);
  sn_put_number(out, "target", mark->target);
  sn_put_end(out);
}

void sn_put_range(sn_text *out, sn_say say, uint64_t id, const char *conv,
                  seen_run range) {
  sn_put_head(out, say, id);
  sn_put_name(out, "conv", conv);
  sn_put_number(out, "from", range.lo);
  sn_put_number(out, "to", range.hi);
  sn_put_end(out);
}

void sn_put_set(sn_text *out, uint64_t id, const char *conv,
                const seen_settings *settings) {
  sn_put_head(out, SN_SAY_SET, id);
  sn_put_name(out, "conv", conv);
  if (settings->has_muted) sn_put_bool(out, "muted", settings->muted);
  if (settings->has_pinned) sn_put_bool(out, "pinned", settings->pinned);
  sn_put_end(out);
}

void sn_put_list(sn_text *out, sn_say say, uint64_t id) {
  sn_put_head(out, say, id);
  write_member(out, say == SN_SAY_FETCH ? "convs" : "items");
  sn_text_add(out, "[");
}

void sn_put_list_end(sn_text *out) {
  sn_text_add(out, "]}");
}

static void write_item(sn_text *out, bool first, const char *conv) {
  sn_text_add(out, first ? "{\"conv\":" : ",{\"conv\":");
  (void)sn_json_write_text(out, conv);
}

static void write_cleared(sn_text *out, const seen_report *report) {
  for (size_t i = 0; i < report->cleared_count; i++) {
    if (i)
      sn_text_add(out, ",");
    else
      sn_text_add(out, ",\"cleared\":[");
    sn_text_add_number(out, report->cleared[i]);
  }
  if (report->cleared_count) sn_text_add(out, "]");
  if (report->keep) sn_put_bool(out, "keep", true);
}

void sn_put_report(sn_text *out, bool first, const char *conv,
                   const seen_report *report) {
  write_item(out, first, conv);
  sn_put_number(out, "epoch", report->epoch);
  sn_put_number(out, "seq", report->seq);
  write_cleared(out, report);
  sn_put_end(out);
}

void sn_put_delivered(sn_text *out, bool first, const char *conv,
                      uint64_t seq) {
  write_item(out, first, conv);
  sn_put_number(out, "seq", seq);
  sn_put_end(out);
}

void sn_put_fetch(sn_text *out, bool first, const char *conv) {
  if (!first) sn_text_add(out, ",");
  (void)sn_json_write_text(out, conv);
}

static void write_names(sn_text *out, const char *member,
                        const char *const *names, size_t count) {
  write_member(out, member);
  sn_text_add(out, "[");
  for (size_t i = 0; i < count; i++) {
    if (i) sn_text_add(out, ",");
    (void)sn_json_write_text(out, names[i]);
  }
  sn_text_add(out, "]");
}

void sn_put_post(sn_text *out, const char *conv, const seen_post *post) {
  sn_put_name(out, "conv", conv);
  if (post->body) sn_put_name(out, "body", post->body);
  if (post->kind != SEEN_MESSAGE_TEXT)
    sn_put_name(out, "kind", sn_message_kind_name(post->kind));
  if (post->countable != SEEN_COUNTABLE_BY_KIND)
    sn_put_bool(out, "countable", post->countable == SEEN_COUNTABLE_YES);
  if (post->mention_all)
    sn_put_name(out, "mentions", "all");
  else if (post->mention_count)
    write_names(out, "mentions", post->mentions, post->mention_count);
  if (post->target) sn_put_number(out, "target", post->target);
}

void sn_put_creation(sn_text *out, const char *conv,
                     const seen_creation *creation) {
  sn_put_name(out, "conv", conv);
  sn_put_name(out, "kind", sn_kind_name(creation->kind));
  if (creation->open) sn_put_bool(out, "open", true);
  if (creation->moderated) sn_put_bool(out, "moderated", true);
  write_names(out, "users", creation->users, creation->user_count);
}

void sn_put_users(sn_text *out, const char *conv, const char *const *users,
                  size_t count, seen_role role) {
  static const char *const roles[] = {"member", "admin", "bot"};
  sn_put_name(out, "conv", conv);
  write_names(out, "users", users, count);
  if (role != SEEN_ROLE_MEMBER) sn_put_name(out, "role", roles[role]);
}

void sn_put_cursor(sn_text *out, const char *device,
                   const seen_report *report) {
  sn_text_format(out, "{\"read_to_seq\":%u,\"epoch\":%u", report->seq,
                 report->epoch);
  sn_put_name(out, "device_id", device);
  write_cleared(out, report);
  sn_put_end(out);
}
