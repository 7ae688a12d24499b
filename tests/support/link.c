#include "support/link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"

enum { FRAME = 1 << 16 };

static test_link *link_of(seen_transport *transport) {
  return (test_link *)(void *)transport;
}

static void lock(test_link *link) {
  sn_platform_mutex_lock(link->mutex);
}

static void unlock(test_link *link) {
  sn_platform_mutex_unlock(link->mutex);
}

/* The lock is held. */
static void push(test_link *link, seen_transport_event event,
                 const char *text) {
  size_t size = text ? strlen(text) : 0;
  link_event *fresh = calloc(1, sizeof *fresh + size + 1);
  if (!fresh) abort();
  fresh->event = event;
  fresh->event.size = sizeof event;
  if (text) memcpy(fresh->text, text, size + 1);
  fresh->event.text = text ? fresh->text : NULL;
  fresh->event.length = size;
  if (link->last)
    link->last->next = fresh;
  else
    link->first = fresh;
  link->last = fresh;
}

static void wake(test_link *link) {
  if (link->wake) link->wake(link->user_data);
}

static void say(test_link *link, const char *frame) {
  if (!link->open) return;
  push(link,
       (seen_transport_event){.type = SEEN_TRANSPORT_FRAME,
                              .number = link->open},
       frame);
}

static link_row *row_of(test_link *link, const char *id) {
  for (size_t i = 0; i < link->row_count; i++)
    if (!strcmp(link->rows[i].id, id)) return &link->rows[i];
  return NULL;
}

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
  const link_row *row = row_of(a->link, conv);
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
  say(link, a->out);
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
    link_row *row = row_of(a->link, conv);
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
  link_row *row = row_of(a->link, conv);
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
  link_row *row = row_of(a->link, conv);
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
    row = row_of(a->link, conv);
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
  link_row *row = row_of(a->link, conv);
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

static void answer_frame(test_link *link, const char *text, size_t length) {
  asked *a = calloc(1, sizeof *a);
  sn_json *frame;
  if (!a) abort();
  if (sn_json_parse(text, length, &frame, NULL)) abort();
  a->link = link;
  a->frame = frame;
  a->id = number_of(frame, "id");
  answer(a);
  if (a->at) say(link, a->out);
  sn_json_free(frame);
  free(a);
}

static int dial(seen_transport *transport, const seen_dial *what,
                seen_error *error) {
  test_link *link = link_of(transport);
  (void)error;
  lock(link);
  link->dials++;
  if (link->out_of_reach || what->link == SEEN_LINK_POLL) {
    push(link,
         (seen_transport_event){.type = SEEN_TRANSPORT_ENDED,
                                .number = what->connection,
                                .ended = SEEN_ENDED_CONNECT},
         "nobody there");
  } else {
    link->open = what->connection;
    push(link,
         (seen_transport_event){.type = SEEN_TRANSPORT_OPEN,
                                .number = what->connection},
         NULL);
  }
  unlock(link);
  wake(link);
  return SEEN_OK;
}

static int write_text(seen_transport *transport, uint64_t connection,
                      const char *text, size_t length, seen_error *error) {
  test_link *link = link_of(transport);
  (void)error;
  lock(link);
  if (connection == link->open && link->frame_count < LINK_FRAMES) {
    char *copy = malloc(length + 1);
    if (!copy) abort();
    memcpy(copy, text, length);
    copy[length] = '\0';
    link->frames[link->frame_count++] = copy;
    if (!link->silent) answer_frame(link, text, length);
  }
  unlock(link);
  wake(link);
  return SEEN_OK;
}

static void ping(seen_transport *transport, uint64_t connection) {
  test_link *link = link_of(transport);
  lock(link);
  if (connection == link->open && !link->silent)
    push(link,
         (seen_transport_event){.type = SEEN_TRANSPORT_ALIVE,
                                .number = connection},
         NULL);
  unlock(link);
  wake(link);
}

static void end_connection(test_link *link, uint64_t connection,
                           seen_ended why) {
  if (!connection || connection != link->open) return;
  link->open = 0;
  push(link,
       (seen_transport_event){
           .type = SEEN_TRANSPORT_ENDED, .number = connection, .ended = why},
       "over");
}

static void close_link(seen_transport *transport, uint64_t connection,
                       uint32_t code) {
  test_link *link = link_of(transport);
  (void)code;
  lock(link);
  end_connection(link, connection, SEEN_ENDED_LOCAL);
  unlock(link);
  wake(link);
}

/* There is no HTTP here. */
static int request(seen_transport *transport, const seen_http_request *what,
                   seen_error *error) {
  test_link *link = link_of(transport);
  (void)error;
  lock(link);
  push(link,
       (seen_transport_event){.type = SEEN_TRANSPORT_ANSWER,
                              .number = what->request,
                              .ended = SEEN_ENDED_CONNECT},
       NULL);
  unlock(link);
  wake(link);
  return SEEN_OK;
}

static void cancel(seen_transport *transport, uint64_t number) {
  (void)transport;
  (void)number; /* it was answered at once */
}

static bool next(seen_transport *transport, seen_transport_event *event) {
  test_link *link = link_of(transport);
  bool any;
  lock(link);
  free(link->given);
  link->given = link->first;
  any = link->first != NULL;
  if (any) {
    link->first = link->first->next;
    if (!link->first) link->last = NULL;
    *event = link->given->event;
  }
  unlock(link);
  return any;
}

static void free_link(seen_transport *transport) {
  test_link *link = link_of(transport);
  lock(link);
  link->freed = true;
  link->open = 0;
  unlock(link);
}

test_link *link_start(void) {
  test_link *link = calloc(1, sizeof *link);
  assert_non_null(link);
  link->mutex = sn_platform_mutex_new(seen_allocator_default());
  assert_non_null(link->mutex);
  link->version = 100;
  link->transport = (seen_transport){.size = sizeof link->transport,
                                     .dial = dial,
                                     .write = write_text,
                                     .ping = ping,
                                     .close = close_link,
                                     .request = request,
                                     .cancel = cancel,
                                     .next = next,
                                     .free = free_link};
  return link;
}

void link_end(test_link *link) {
  assert_true(link->freed);
  while (link->first) {
    link_event *event = link->first;
    link->first = event->next;
    free(event);
  }
  free(link->given);
  for (size_t i = 0; i < link->frame_count; i++)
    free(link->frames[i]);
  sn_platform_mutex_free(seen_allocator_default(), link->mutex);
  free(link);
}

void link_row_is(test_link *link, const char *id, uint64_t read,
                 uint64_t last) {
  link_row *row;
  lock(link);
  row = row_of(link, id);
  if (!row) {
    assert_true(link->row_count < LINK_ROWS);
    row = &link->rows[link->row_count++];
    snprintf(row->id, sizeof row->id, "%s", id);
  }
  row->read.seq = read;
  row->last = last;
  row->version = ++link->version;
  row->updated_at = UINT64_C(1733000000000) + row->version;
  unlock(link);
}

void link_message(test_link *link, const char *id, const char *body) {
  char frame[FRAME];
  link_row *row;
  lock(link);
  row = row_of(link, id);
  assert_non_null(row);
  row->last++;
  row->version = ++link->version;
  row->updated_at = UINT64_C(1733000000000) + row->version;
  snprintf(frame, sizeof frame,
           "{\"t\":\"message\",\"conv\":\"%s\",\"seq\":%llu,\"version\":%llu,"
           "\"from\":\"u2\",\"kind\":\"text\",\"countable\":true,"
           "\"sent_at\":%llu,\"body\":\"%s\"}",
           id, (unsigned long long)row->last, (unsigned long long)row->version,
           (unsigned long long)row->updated_at, body);
  say(link, frame);
  unlock(link);
  wake(link);
}

void link_say(test_link *link, const char *frame) {
  lock(link);
  say(link, frame);
  unlock(link);
  wake(link);
}

void link_cut(test_link *link) {
  lock(link);
  end_connection(link, link->open, SEEN_ENDED_LOST);
  unlock(link);
  wake(link);
}

void link_reach(test_link *link, bool on) {
  lock(link);
  link->out_of_reach = !on;
  unlock(link);
}

void link_answer(test_link *link, bool on) {
  lock(link);
  link->silent = !on;
  unlock(link);
}

void link_refuse(test_link *link, const char *code) {
  lock(link);
  link->refusal = code;
  unlock(link);
}

static size_t count_frames(test_link *link, const char *type,
                           const char *text) {
  char wanted[64];
  size_t count = 0;
  snprintf(wanted, sizeof wanted, "\"t\":\"%s\"", type);
  lock(link);
  for (size_t i = 0; i < link->frame_count; i++)
    count += strstr(link->frames[i], wanted) != NULL &&
             strstr(link->frames[i], text) != NULL;
  unlock(link);
  return count;
}

size_t link_count(test_link *link, const char *type) {
  return count_frames(link, type, "");
}

bool link_heard(test_link *link, const char *type, const char *text) {
  return count_frames(link, type, text) > 0;
}

seen_position link_read(test_link *link, const char *id) {
  seen_position read = {0, 0, 0};
  const link_row *row;
  lock(link);
  row = row_of(link, id);
  if (row) read = row->read;
  unlock(link);
  return read;
}
