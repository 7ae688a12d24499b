#include "answers.h"

#include "connections.h"
#include "frames.h"

static void open_list(answer *self, const char *list) {
  text_member(&self->frame, list);
  text_add(&self->frame, "[");
  self->head = self->frame.length;
}

void answer_begin_with(answer *self, connection *to, const char *type,
                       uint64_t id, text *members, const char *list) {
  *self = (answer){.to = to, .frame = frames_begin_answer(type, id)};
  text_comma(&self->frame);
  text_add_bytes(&self->frame, members->bytes, members->length);
  text_free(members);
  open_list(self, list);
}

void answer_begin_ack(answer *self, connection *to, uint64_t id,
                      const char *of) {
  *self = (answer){.to = to, .frame = frames_begin_answer("ack", id)};
  text_member_quoted(&self->frame, "of", of);
  open_list(self, "items");
}

static void send_part(answer *self, bool more) {
  text part = {NULL, 0, 0};
  text_add_bytes(&part, self->frame.bytes, self->frame.length);
  text_add(&part, more ? "],\"more\":true}" : "],\"more\":false}");
  connection_answer(self->to, &part);
}

void answer_item(answer *self, text *item) {
  enum { TAIL = 32 };
  size_t room = self->to->server->limits.frame_bytes;
  if (self->frame.length > self->head &&
      self->frame.length + item->length + TAIL > room) {
    send_part(self, true);
    text_cut(&self->frame, self->head);
  }
  text_comma(&self->frame);
  text_add_bytes(&self->frame, item->bytes, item->length);
  text_free(item);
}

void answer_end(answer *self) {
  send_part(self, false);
  text_free(&self->frame);
}

void answer_one(connection *to, uint64_t id, const char *of, text *item) {
  answer one;
  answer_begin_ack(&one, to, id, of);
  answer_item(&one, item);
  answer_end(&one);
}

text item_begin(const char *conv, const char *result, const char *code) {
  text item = {NULL, 0, 0};
  text_add(&item, "{");
  text_member_quoted(&item, "conv", conv);
  text_member_quoted(&item, "result", result);
  if (*code) text_member_quoted(&item, "code", code);
  return item;
}
