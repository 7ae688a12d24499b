/* What a user wants to be shown: subscriptions to counts, mute and pin. */
#include "answers.h"
#include "channels.h"
#include "connections.h"
#include "conversations.h"
#include "frames.h"
#include "requests.h"

static bool read_range(const server *self, const json *frame, const char **conv,
                       seen_run *range) {
  *conv = json_is_name(json_member(frame, "conv"));
  return *conv && json_is_number(json_member(frame, "from"), &range->lo) &&
         json_is_number(json_member(frame, "to"), &range->hi) && range->lo &&
         range->hi >= range->lo &&
         range->hi - range->lo < self->limits.subscribe_messages;
}

/* Members may watch; an admin by token may anywhere, as lists say too. */
static conversation *to_watch(server *self, connection *from, uint64_t id,
                              const char *name) {
  conversation *conv;
  if (!from->who.admin)
    return require_membership(self, from, id, name, &conv) ? conv : NULL;
  conv = conversations_find(self, name);
  if (!conv) refuse(from, id, "not_found", "no such conversation");
  return conv;
}

void take_subscribe(server *self, connection *from, const json *frame,
                    uint64_t id) {
  const char *name;
  conversation *conv;
  seen_run range;
  if (!read_range(self, frame, &name, &range)) {
    refuse_invalid(from, id, "conv, from, to: at most 200 messages");
    return;
  }
  conv = to_watch(self, from, id, name);
  if (!conv) return;
  if (!channels_subscribe(self, from, id, conv, range.lo, range.hi))
    refuse(from, id, "too_many", "too many subscriptions");
}

void take_unsubscribe(server *self, connection *from, const json *frame,
                      uint64_t id) {
  const char *name;
  seen_run range;
  answer ack;
  if (!read_range(self, frame, &name, &range)) {
    refuse_invalid(from, id, "conv, from, to: as subscribed");
    return;
  }
  channels_unsubscribe(self, from, name, range.lo, range.hi);
  answer_begin_ack(&ack, from, id, "unsubscribe");
  answer_end(&ack);
}

static text write_set(text frame, const conversation *conv, const member *of) {
  text_member_quoted(&frame, "conv", conv->id);
  text_member_bool(&frame, "muted", of->muted);
  text_member_bool(&frame, "pinned", of->pinned);
  text_add(&frame, "}");
  return frame;
}

static void tell_devices(const connection *from, const conversation *conv,
                         const member *of) {
  text frame = write_set(frames_begin("set"), conv, of);
  packet *written = packet_new(&frame);
  person_push(from->person, written, conv->id, from);
  packet_release(written);
}

void take_set(server *self, connection *from, const json *frame, uint64_t id) {
  const char *name = json_is_name(json_member(frame, "conv"));
  const json *mute = json_member(frame, "muted");
  const json *pin = json_member(frame, "pinned");
  bool muted = false, pinned = false;
  conversation *conv;
  if (!name || (!mute && !pin) || (mute && !json_is_bool(mute, &muted)) ||
      (pin && !json_is_bool(pin, &pinned))) {
    refuse_invalid(from, id, "conv, muted or pinned: true or false");
    return;
  }
  member *of = require_membership(self, from, id, name, &conv);
  if (!of) return;
  bool changes = (mute && muted != of->muted) || (pin && pinned != of->pinned);
  if (mute) of->muted = muted;
  if (pin) of->pinned = pinned;
  if (changes) {
    of->version = core_next_version(self);
    conversations_save_member(self, conv, of);
    tell_devices(from, conv, of);
  }
  text told = write_set(frames_begin_answer("set", id), conv, of);
  connection_answer(from, &told);
}
