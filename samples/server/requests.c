/* What the files of requests share. */
#include "requests.h"

#include "answers.h"
#include "connections.h"
#include "conversations.h"
#include "periods.h"

#include <string.h>

void refuse(connection *from, uint64_t id, const char *code,
            const char *message) {
  connection_error(from, true, id, code, message, 0);
}

void refuse_invalid(connection *from, uint64_t id, const char *message) {
  refuse(from, id, "invalid", message);
}

static void rate_item(answer *into, const char *conv, uint64_t retry_ms) {
  text item = item_begin(conv ? conv : "", "refused", "rate_limited");
  text_member_number(&item, "retry_ms", retry_ms);
  text_add(&item, "}");
  answer_item(into, &item);
}

void refuse_rate(connection *from, const json *frame, uint64_t id,
                 const char *of, uint64_t retry_ms) {
  const json *items = json_member(frame, "items");
  bool is_mark = !strcmp(of, "mark_unread");
  answer ack;
  if (!is_mark && !json_is_array(items)) {
    connection_error(from, true, id, "rate_limited", "too fast", retry_ms);
    return;
  }
  answer_begin_ack(&ack, from, id, of);
  if (is_mark)
    rate_item(&ack, json_is_name(json_member(frame, "conv")), retry_ms);
  else
    for (const json *item = json_first(items); item; item = json_after(item))
      rate_item(&ack, json_is_name(json_member(item, "conv")), retry_ms);
  answer_end(&ack);
}

member *find_membership(server *self, const connection *from, const char *name,
                        conversation **conv) {
  *conv = conversations_find(self, name);
  member *of = *conv ? conversations_member(*conv, from->person->user) : NULL;
  if (!of) *conv = NULL;
  return of;
}

member *require_membership(server *self, connection *from, uint64_t id,
                           const char *name, conversation **conv) {
  member *of = find_membership(self, from, name, conv);
  if (!of) {
    refuse(from, id, "not_found", "no such conversation");
    return NULL;
  }
  if (periods_is_present(of)) return of;
  refuse(from, id, "not_member", "no member of it any more");
  return NULL;
}
