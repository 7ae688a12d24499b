/* `history`: messages for the screen. Counts never depend on it. */
#include "connections.h"
#include "conversations.h"
#include "frames.h"
#include "messages.h"
#include "requests.h"
#include "tally.h"

#include <string.h>

typedef struct page {
  text frame;
  const char *reader;
  bool admin;
  size_t room;
  size_t wanted;
  size_t taken;
  bool more;
} page;

static int add_message(void *visitor, const stored_message *found) {
  page *into = visitor;
  enum { TAIL = 32 };
  size_t before = into->frame.length;
  bool sees = into->admin || !strcmp(found->from, into->reader);
  stored_message copy = *found;
  if (into->more || into->taken == into->wanted) {
    into->more = true;
    return SEEN_OK;
  }
  if (sees) copy.state &= ~(unsigned)MESSAGE_HELD;
  text_comma(&into->frame);
  text_add(&into->frame, "{");
  messages_write(&into->frame, &copy, sees || !(found->state & MESSAGE_HELD));
  if (found->state & MESSAGE_RECALLED)
    text_member_bool(&into->frame, "recalled", true);
  if (found->state & MESSAGE_TAKEN_DOWN)
    text_member_bool(&into->frame, "taken_down", true);
  text_add(&into->frame, "}");
  into->taken++;
  if (into->frame.length + TAIL <= into->room) return SEEN_OK;
  text_cut(&into->frame, before);
  into->more = true;
  return SEEN_OK;
}

void take_history(server *self, connection *from, const json *frame,
                  uint64_t id) {
  const char *name = json_is_name(json_member(frame, "conv"));
  const json *before_field = json_member(frame, "before");
  uint64_t before = SEEN_SEQ_MAX, limit;
  conversation *conv;
  if (!name || !json_is_number(json_member(frame, "limit"), &limit) || !limit ||
      limit > self->limits.page_messages ||
      (before_field &&
       (!json_is_number(before_field, &before) || before == 0))) {
    refuse_invalid(from, id, "conv, before: a seq, limit: 1 to 100");
    return;
  }
  member *of = find_membership(self, from, name, &conv);
  if (!of) {
    refuse(from, id, "not_found", "no such conversation");
    return;
  }
  page list = {.frame = frames_begin_answer("page", id),
               .reader = of->user,
               .admin = from->who.admin || of->role == ROLE_ADMIN,
               .room = self->limits.frame_bytes,
               .wanted = (size_t)limit};
  text_member_quoted(&list.frame, "conv", conv->id);
  text_member(&list.frame, "messages");
  text_add(&list.frame, "[");
  before = least(before, tally_last(conv, of) + 1);
  core_check(self,
             self->storage.each_before(self->storage.self, conv->id, before,
                                       list.wanted + 1, &list, add_message));
  text_add(&list.frame, "]");
  text_member_bool(&list.frame, "more", list.more);
  text_add(&list.frame, "}");
  connection_answer(from, &list.frame);
}
