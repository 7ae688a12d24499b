#include "server.h"

#include "host.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

void server_begin(server *self, chat *chats, size_t count,
                  uint64_t latency_ms) {
  memset(self, 0, sizeof *self);
  self->chats = chats;
  self->chat_count = count;
  self->latency_ms = latency_ms;
}

void server_end(server *self) {
  outputs_clear(&self->outputs);
  free(self->requests);
  memset(self, 0, sizeof *self);
}

static chat *find(const server *self, const char *conv) {
  size_t i;

  for (i = 0; i < self->chat_count; i++)
    if (strcmp(self->chats[i].id, conv) == 0) return &self->chats[i];
  return NULL;
}

static void put(server *self, const seen_effect *effect, chat *about,
                uint64_t now) {
  server_request *request;

  self->requests =
      MUST_GROW(self->requests, self->outputs.count, self->capacity);
  request = &self->requests[self->outputs.count];
  request->answer_at = now + self->latency_ms;
  request->about = about;
  outputs_add(&self->outputs, effect, about->id);
}

void server_take(server *self, const seen_effect *effect, const char *conv,
                 uint64_t now) {
  chat *about = conv != NULL ? find(self, conv) : NULL;
  size_t i;

  switch (effect->type) {
  case SEEN_EFFECT_REPORT:
  case SEEN_EFFECT_MARK_UNREAD:
  case SEEN_EFFECT_FETCH:
  case SEEN_EFFECT_MUTE:
  case SEEN_EFFECT_PIN:
    if (about != NULL) put(self, effect, about, now);
    break;
  case SEEN_EFFECT_READ_ALL:
  case SEEN_EFFECT_RESYNC:
    for (i = 0; i < self->chat_count; i++)
      put(self, effect, &self->chats[i], now);
    break;
  default: break; /* delivered positions and subscriptions have no answer */
  }
}

uint64_t server_due(const server *self) {
  return self->answered < self->outputs.count
             ? self->requests[self->answered].answer_at
             : SEEN_NEVER;
}

static seen_refusal refusal_of(seen_verdict verdict) {
  switch (verdict) {
  case SEEN_EPOCH_AHEAD: return SEEN_REFUSAL_EPOCH_AHEAD;
  case SEEN_SEQ_OUT_OF_RANGE: return SEEN_REFUSAL_SEQ_OUT_OF_RANGE;
  default: return SEEN_REFUSAL_CONFLICT;
  }
}

static seen_input answer(chat *about, seen_request of, seen_verdict verdict) {
  bool taken = verdict == SEEN_ADVANCED || verdict == SEEN_UNCHANGED;
  seen_input input =
      host_input(taken ? SEEN_INPUT_ACK : SEEN_INPUT_REFUSE, about->id);

  input.u.answer.of = of;
  if (!taken) input.u.answer.refusal = refusal_of(verdict);
  input.u.answer.has_word = true;
  chat_word(about, &input.u.answer.word);
  return input;
}

/* The settings of a row as they are now. */
static seen_input settings(const chat *about) {
  seen_input input = host_input(SEEN_INPUT_SET, about->id);

  input.u.settings.has_muted = true;
  input.u.settings.muted = about->muted;
  input.u.settings.has_pinned = true;
  input.u.settings.pinned = about->pinned;
  return input;
}

seen_input server_answer(server *self) {
  chat *about = self->requests[self->answered].about;
  const seen_effect *effect = &self->outputs.outputs[self->answered++].effect;
  seen_input input;

  switch (effect->type) {
  case SEEN_EFFECT_REPORT:
    return answer(about, SEEN_REQUEST_REPORT,
                  chat_take_report(about, &effect->u.report));
  case SEEN_EFFECT_MARK_UNREAD:
    return answer(about, SEEN_REQUEST_MARK_UNREAD,
                  chat_take_mark(about, &effect->u.mark));
  case SEEN_EFFECT_READ_ALL:
    chat_read_all(about);
    return answer(about, SEEN_REQUEST_READ_ALL, SEEN_ADVANCED);
  case SEEN_EFFECT_MUTE: about->muted = effect->u.on; return settings(about);
  case SEEN_EFFECT_PIN: about->pinned = effect->u.on; return settings(about);
  default:
    input = host_input(SEEN_INPUT_CONVERSATION, about->id);
    chat_snapshot(about, &input.u.snapshot);
    return input;
  }
}
