/* What a server in memory answers, frame by frame; the link is locked. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "support/link.h"

enum { FRAME = 1 << 16 };

static uint64_t unread_of(const link_row *row) {
  uint64_t unread = row->last - row->read.seq;
  for (size_t i = 0; i < row->own_count; i++)
    unread -= row->own[i] > row->read.seq;
  return unread;
}

/* The members of a word, for a row, an item or a position. */
static size_t write_word(char *out, size_t size, const link_row *row) {
  size_t at = (size_t)snprintf(
      out, size,
      "\"read\":{\"epoch\":%llu,\"seq\":%llu,\"high\":%llu},\"last_seq\":%llu,"
      "\"from\":0,\"mentions\":[],\"floor\":0,\"version\":%llu,"
      "\"unread\":%llu,\"uncountable\":[",
      (unsigned long long)row->read.epoch, (unsigned long long)row->read.seq,
      (unsigned long long)row->read.high, (unsigned long long)row->last,
      (unsigned long long)row->version, (unsigned long long)unread_of(row));
  for (size_t i = 0; i < row->own_count; i++)
    at += (size_t)snprintf(out + at, size - at, "%s%llu", i ? "," : "",
                           (unsigned long long)row->own[i]);
  return at + (size_t)snprintf(out + at, size - at, "]");
}

static size_t write_row(char *out, size_t size, const link_row *row) {
  size_t at = (size_t)snprintf(out, size, "{\"id\":\"%s\",\"kind\":\"group\",",
                               row->id);
  at += write_word(out + at, size - at, row);
  at += (size_t)snprintf(out + at, size - at,
                         ",\"delivered_seq\":0,\"join_seq\":1,\"muted\":%s,"
                         "\"pinned\":%s,\"updated_at\":%llu}",
                         row->muted ? "true" : "false",
                         row->pinned ? "true" : "false",
                         (unsigned long long)row->updated_at);
  return at;
}

/* One frame that came, while it is answered. */
typedef struct asked {
  test_link *link;
  const sn_json *frame;
  uint64_t id;
  char out[FRAME];
  size_t at;
} asked;

static void add(asked *a, const char *format, ...) {
  va_list list;
  va_start(list, format);
  /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
  a->at += (size_t)vsnprintf(a->out + a->at, FRAME - a->at, format, list);
  va_end(list);
}

static const char *text_of(const sn_json *object, const char *name) {
  const char *text = "";
  const sn_json *member = sn_json_member(object, name);
  if (member) (void)sn_json_text(member, &text);
  return text;
}

static uint64_t number_of(const sn_json *object, const char *name) {
  uint64_t number = 0;
  const sn_json *member = sn_json_member(object, name);
  if (member) (void)sn_json_number(member, &number);
  return number;
}

static void begin_ack(asked *a, const char *of) {
  add(a, "{\"t\":\"ack\",\"id\":%llu,\"of\":\"%s\",\"items\":[",
      (unsigned long long)a->id, of);
}

static void add_item(asked *a, const char *conv, const char *result) {
  const link_row *row = link_row_of(a->link, conv);
  if (a->out[a->at - 1] == '}') add(a, ",");
  if (!row) {
    add(a, "{\"conv\":\"%s\",\"result\":\"refused\",\"code\":\"not_found\"}",
        conv);
    return;
  }
  add(a, "{\"conv\":\"%s\",\"result\":\"%s\",", conv, result);
  a->at += write_word(a->out + a->at, FRAME - a->at, row);
  add(a, "}");
}

static void answer_hello(asked *a) {
  test_link *link = a->link;
  uint64_t from = number_of(a->frame, "version");
  size_t rows = 0;
  add(a,
      "{\"t\":\"welcome\",\"id\":%llu,\"user\":\"u1\",\"incarnation\":\"i1\","
      "\"version\":%llu,\"mode\":\"%s\",\"receipts\":true,\"limits\":{"
      "\"frame_bytes\":65536,\"items\":100,\"body_bytes\":8192,"
      "\"subscribe\":200,\"subscriptions\":16,\"peer_limit\":50,"
      "\"roster_limit\":500,\"window_ms\":1000,\"reports_per_second\":20}}",
      (unsigned long long)a->id, (unsigned long long)link->version,
      from ? "resume" : "snapshot");
  link_frame(link, a->out);
  a->at = 0;
  add(a,
      "{\"t\":\"changes\",\"id\":%llu,\"from\":%llu,\"version\":%llu,"
      "\"conversations\":[",
      (unsigned long long)a->id, (unsigned long long)from,
      (unsigned long long)link->version);
  for (size_t i = 0; i < link->row_count; i++) {
    if (link->rows[i].version <= from) continue;
    if (rows++) add(a, ",");
    a->at += write_row(a->out + a->at, FRAME - a->at, &link->rows[i]);
  }
  add(a, "],\"more\":false}");
}

static void answer_read(asked *a) {
  const sn_json *items = sn_json_member(a->frame, "items");
  begin_ack(a, "read");
  for (const sn_json *item = sn_json_first(items); item;
       item = sn_json_next(item)) {
    const char *conv = text_of(item, "conv");
    link_row *row = link_row_of(a->link, conv);
    uint64_t seq = number_of(item, "seq");
    if (row && number_of(item, "epoch") == row->read.epoch &&
        seq > row->read.seq) {
      row->read.seq = seq;
      row->version = ++a->link->version;
    }
    add_item(a, conv, "ok");
  }
  add(a, "],\"more\":false}");
}

static void refuse_mark(asked *a, const char *conv, const link_row *row) {
  begin_ack(a, "mark_unread");
  add(a, "{\"conv\":\"%s\",\"result\":\"refused\",\"code\":\"%s\",", conv,
      a->link->refusal);
  a->at += write_word(a->out + a->at, FRAME - a->at, row);
  add(a, "}],\"more\":false}");
}

static void answer_mark(asked *a) {
  const char *conv = text_of(a->frame, "conv");
  link_row *row = link_row_of(a->link, conv);
  if (row && a->link->refusal) {
    refuse_mark(a, conv, row);
    return;
  }
  if (row) {
    row->read.high =
        row->read.seq > row->read.high ? row->read.seq : row->read.high;
    row->read.epoch++;
    row->read.seq = number_of(a->frame, "target");
    row->version = ++a->link->version;
  }
  begin_ack(a, "mark_unread");
  add_item(a, conv, "ok");
  add(a, "],\"more\":false}");
}

static void answer_read_all(asked *a) {
  begin_ack(a, "read_all");
  for (size_t i = 0; i < a->link->row_count; i++) {
    link_row *row = &a->link->rows[i];
    if (row->read.seq == row->last) continue;
    row->read.seq = row->last;
    row->version = ++a->link->version;
    add_item(a, row->id, "ok");
  }
  add(a, "],\"more\":false}");
}

static void answer_delivered(asked *a) {
  const sn_json *items = sn_json_member(a->frame, "items");
  begin_ack(a, "delivered");
  for (const sn_json *item = sn_json_first(items); item;
       item = sn_json_next(item))
    add(a, "%s{\"conv\":\"%s\",\"result\":\"ok\",\"delivered_seq\":%llu}",
        a->out[a->at - 1] == '}' ? "," : "", text_of(item, "conv"),
        (unsigned long long)number_of(item, "seq"));
  add(a, "],\"more\":false}");
}

static void answer_set(asked *a) {
  const char *conv = text_of(a->frame, "conv");
  link_row *row = link_row_of(a->link, conv);
  bool on = false;
  if (!row) return;
  if (sn_json_member(a->frame, "muted") &&
      sn_json_bool(sn_json_member(a->frame, "muted"), &on))
    row->muted = on;
  if (sn_json_member(a->frame, "pinned") &&
      sn_json_bool(sn_json_member(a->frame, "pinned"), &on))
    row->pinned = on;
  add(a,
      "{\"t\":\"set\",\"id\":%llu,\"conv\":\"%s\",\"muted\":%s,\"pinned\":%s}",
      (unsigned long long)a->id, conv, row->muted ? "true" : "false",
      row->pinned ? "true" : "false");
}

static void answer_fetch(asked *a) {
  const sn_json *convs = sn_json_member(a->frame, "convs");
  add(a, "{\"t\":\"changes\",\"id\":%llu,\"conversations\":[",
      (unsigned long long)a->id);
  for (const sn_json *item = sn_json_first(convs); item;
       item = sn_json_next(item)) {
    const char *conv = "";
    const link_row *row;
    (void)sn_json_text(item, &conv);
    row = link_row_of(a->link, conv);
    if (!row) continue;
    if (a->out[a->at - 1] == '}') add(a, ",");
    a->at += write_row(a->out + a->at, FRAME - a->at, row);
  }
  add(a, "],\"missing\":[],\"more\":false}");
}

static void answer_sync(asked *a) {
  add(a,
      "{\"t\":\"changes\",\"id\":%llu,\"from\":%llu,\"version\":%llu,"
      "\"conversations\":[],\"more\":false}",
      (unsigned long long)a->id,
      (unsigned long long)number_of(a->frame, "version"),
      (unsigned long long)a->link->version);
}

static void answer_send(asked *a) {
  const char *conv = text_of(a->frame, "conv");
  link_row *row = link_row_of(a->link, conv);
  if (!row) {
    add(a, "{\"t\":\"error\",\"id\":%llu,\"code\":\"not_found\"}",
        (unsigned long long)a->id);
    return;
  }
  row->last++;
  if (row->own_count < LINK_OWN) row->own[row->own_count++] = row->last;
  row->version = ++a->link->version;
  begin_ack(a, "send");
  add_item(a, conv, "ok");
  a->at--; /* into the item */
  add(a, ",\"seq\":%llu,\"sent_at\":1733000000000}],\"more\":false}",
      (unsigned long long)row->last);
}

static void answer_history(asked *a) {
  add(a,
      "{\"t\":\"page\",\"id\":%llu,\"conv\":\"%s\",\"messages\":[{\"seq\":1,"
      "\"from\":\"u2\",\"kind\":\"text\",\"countable\":true,"
      "\"sent_at\":1733000000000,\"body\":\"old\"}],\"more\":false}",
      (unsigned long long)a->id, text_of(a->frame, "conv"));
}

static void answer_subscribe(asked *a) {
  add(a, "{\"t\":\"receipts\",\"id\":%llu,\"conv\":\"%s\",\"rows\":[]}",
      (unsigned long long)a->id, text_of(a->frame, "conv"));
}

static void answer_settings(asked *a) {
  add(a,
      "{\"t\":\"ack\",\"id\":%llu,\"of\":\"settings\",\"receipts\":false,"
      "\"version\":%llu,\"items\":[],\"more\":false}",
      (unsigned long long)a->id, (unsigned long long)++a->link->version);
}

/* What changes who is in a conversation, and all else. */
static void answer_others(asked *a) {
  begin_ack(a, text_of(a->frame, "t"));
  if (*text_of(a->frame, "conv")) add_item(a, text_of(a->frame, "conv"), "ok");
  add(a, "],\"more\":false}");
}

static void answer(asked *a) {
  static const struct {
    const char *type;
    void (*answer)(asked *a);
  } table[] = {{"hello", answer_hello},         {"read", answer_read},
               {"mark_unread", answer_mark},    {"read_all", answer_read_all},
               {"delivered", answer_delivered}, {"set", answer_set},
               {"fetch", answer_fetch},         {"sync", answer_sync},
               {"send", answer_send},           {"history", answer_history},
               {"subscribe", answer_subscribe}, {"settings", answer_settings}};
  const char *type = text_of(a->frame, "t");
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(type, table[i].type)) {
      table[i].answer(a);
      return;
    }
  answer_others(a);
}

void link_answer_to(test_link *link, const char *text, size_t length) {
  asked *a = calloc(1, sizeof *a);
  sn_json *frame;
  if (!a) abort();
  if (sn_json_parse(text, length, &frame, NULL)) abort();
  a->link = link;
  a->frame = frame;
  a->id = number_of(frame, "id");
  answer(a);
  if (a->at) link_frame(link, a->out);
  sn_json_free(frame);
  free(a);
}
