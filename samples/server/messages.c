#include "messages.h"

#include "connections.h"
#include "conversations.h"
#include "frames.h"
#include "mentions.h"
#include "tally.h"

#include <string.h>

void messages_write(text *into, const stored_message *message, bool body) {
  text_member_number(into, "seq", message->seq);
  text_member_quoted(into, "from", message->from);
  text_member_quoted(into, "kind", frames_kind(message->kind));
  text_member_bool(into, "countable", !(message->state & MESSAGE_UNCOUNTABLE));
  if (message->state & MESSAGE_HELD) text_member_bool(into, "hidden", true);
  if (message->target) text_member_number(into, "target", message->target);
  text_member_number(into, "sent_at", message->sent_at);
  if (body && *message->body) text_member_quoted(into, "body", message->body);
}

void messages_bury(conversation *conv, uint64_t seq, const char *from) {
  member *sender = conversations_member(conv, from);
  runs_add(&conv->dead, seq);
  runs_remove(&conv->held, seq);
  if (sender) runs_remove(&sender->own, seq);
  conv->entries++;
}

void messages_unbury(conversation *conv, uint64_t seq, const char *from) {
  member *sender = conversations_member(conv, from);
  runs_remove(&conv->dead, seq);
  runs_remove(&conv->held, seq);
  if (sender && sender->own_loaded) runs_add(&sender->own, seq);
}

void messages_append(server *self, conversation *conv,
                     stored_message *message) {
  member *sender = conversations_member(conv, message->from);
  message->conv = conv->id;
  message->seq = conv->last_seq + 1;
  message->version = core_next_version(self);
  message->sent_at = self->now;
  conv->last_seq = message->seq;
  conv->version = message->version;
  if (!message->state) /* B3; this process's clock may be behind the last's */
    conv->updated_at = most(conv->updated_at, self->now);
  if (core_write(self))
    core_check(self, self->storage.put_message(self->storage.self, message));
  conversations_save(self, conv);
  if (message->state) {
    runs_add(&conv->dead, message->seq);
    if (message->state == MESSAGE_HELD) runs_add(&conv->held, message->seq);
  } else if (sender && sender->own_loaded) {
    runs_add(&sender->own, message->seq);
  }
  conv->entries++;
  if (message->mentions)
    mentions_add(conv, message->seq,
                 message->kind == SEEN_MESSAGE_EDIT ? message->target
                                                    : message->seq,
                 message->mentions);
  self->metrics.messages++;
}

/* M1: what the message is to one reader. */
static seen_mention_why why_for(const conversation *conv, const member *reader,
                                const stored_message *message,
                                const mention_event *event) {
  if (!event || event->seq != message->seq || (message->state & MESSAGE_HELD) ||
      runs_has(&conv->dead, event->target) ||
      event->target <= tally_low(conv, reader))
    return SEEN_MENTION_NONE;
  return mentions_newly(conv, event, reader->user);
}

static packet *write_live(const stored_message *message, seen_mention_why why,
                          bool own) {
  bool shown = own || !(message->state & MESSAGE_HELD);
  stored_message copy = *message;
  text frame = frames_begin("message");
  if (own) copy.state &= ~(unsigned)MESSAGE_HELD;
  text_member_quoted(&frame, "conv", message->conv);
  text_member_number(&frame, "version", message->version);
  messages_write(&frame, &copy, shown);
  if (why) text_member_quoted(&frame, "mentions", frames_why(why));
  text_add(&frame, "}");
  return packet_new(&frame);
}

/* The same text for all whom it concerns in the same way. */
void messages_deliver(conversation *conv, const stored_message *message,
                      const connection *but) {
  enum { OWN = SEEN_MENTION_QUOTE + 1, VARIANTS };
  packet *variants[VARIANTS] = {NULL};
  const mention_event *event =
      mentions_latest(conv, message->kind == SEEN_MESSAGE_EDIT ? message->target
                                                               : message->seq);
  for (size_t i = 0; i < conv->online_count; i++) {
    member *reader = conv->online[i];
    bool own = !strcmp(reader->user, message->from);
    seen_mention_why why =
        own ? SEEN_MENTION_NONE : why_for(conv, reader, message, event);
    packet **variant = &variants[own ? OWN : (int)why];
    if (!*variant) *variant = write_live(message, why, own);
    person_push(reader->online, *variant, conv->id, but);
  }
  for (size_t i = 0; i < VARIANTS; i++)
    packet_release(variants[i]);
}

void messages_notice(server *self, conversation *conv, const char *from,
                     const char *body) {
  stored_message notice = {.from = from,
                           .kind = SEEN_MESSAGE_SYSTEM,
                           .state = MESSAGE_UNCOUNTABLE,
                           .body = body};
  messages_append(self, conv, &notice);
  messages_deliver(conv, &notice, NULL);
}

void messages_mark_all(conversation *conv, bool row) {
  for (size_t i = 0; i < conv->online_count; i++)
    person_mark(conv->online[i]->online, conv->id, row, NULL);
}
