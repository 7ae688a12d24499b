/*
 * Frames of a server, a line each: what can be read can be fed to an engine. A
 * line may be an array of frames, or the answer about a message's audience.
 */
#include "fuzz/holds.h"
#include "fuzz/target.h"

#include "wire/frame.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 60 };

typedef struct target {
  sn_frame_reader reader;
  seen_engine *engine;
} target;

static void feed(target *self, seen_input_type type, const char *conv,
                 seen_input *input) {
  input->size = (uint32_t)sizeof *input;
  input->type = type;
  input->id = conv;
  REQUIRE(conv != NULL);
  REQUIRE(seen_engine_feed(self->engine, input, 0, NULL) == SEEN_OK);
  holds_effects(self->engine);
}

static void feed_rows(target *self, const sn_changes *changes) {
  for (size_t i = 0; i < changes->count; i++) {
    seen_input input = {.u.snapshot = changes->rows[i].snapshot};

    feed(self, SEEN_INPUT_CONVERSATION, changes->rows[i].id, &input);
  }
}

static void feed_words(target *self, const sn_ack *ack) {
  for (size_t i = 0; i < ack->count; i++) {
    seen_input input = {.u.word = ack->items[i].word};

    if (ack->items[i].has_word)
      feed(self, SEEN_INPUT_POSITION, ack->items[i].conv, &input);
  }
}

static void feed_peers(target *self, const sn_frame *frame) {
  for (size_t i = 0; i < frame->u.peer.count; i++) {
    seen_input input = {.u.peer = frame->u.peer.items[i]};

    feed(self, SEEN_INPUT_PEER, frame->conv, &input);
  }
}

static void take(target *self, const sn_frame *frame) {
  seen_input input = {.size = 0};

  switch (frame->type) {
  case SN_FRAME_CHANGES: feed_rows(self, &frame->u.changes); break;
  case SN_FRAME_ACK: feed_words(self, &frame->u.ack); break;
  case SN_FRAME_PEER: feed_peers(self, frame); break;
  case SN_FRAME_MESSAGE:
    input.u.message = frame->u.message.message;
    feed(self, SEEN_INPUT_MESSAGE, frame->conv, &input);
    break;
  case SN_FRAME_POSITION:
    input.u.word = frame->u.position;
    feed(self, SEEN_INPUT_POSITION, frame->conv, &input);
    break;
  case SN_FRAME_RECEIPTS:
    input.u.receipts = frame->u.receipts;
    feed(self, SEEN_INPUT_RECEIPTS, frame->conv, &input);
    break;
  case SN_FRAME_MEMBERS:
    input.u.members = frame->u.members;
    feed(self, SEEN_INPUT_MEMBERS, frame->conv, &input);
    break;
  case SN_FRAME_SET:
    input.u.settings = frame->u.set;
    feed(self, SEEN_INPUT_SET, frame->conv, &input);
    break;
  case SN_FRAME_LEFT:
    input.u.seq = (seen_optional_seq){true, frame->u.left};
    feed(self, SEEN_INPUT_LEFT, frame->conv, &input);
    break;
  default: break;
  }
}

/* SEEN_EPARSE says in words what is wrong. */
static bool good(int status, const seen_error *error) {
  REQUIRE(status == SEEN_OK || status == SEEN_ENOMEM ||
          (status == SEEN_EPARSE && *error->message != '\0'));
  return status == SEEN_OK;
}

static void read_line(target *self, const char *text, size_t size) {
  seen_error error = SEEN_ERROR_INIT;
  const sn_frame *frame;
  const sn_audience *audience;

  if (size > 0 && *text == '[') {
    if (!good(sn_frames_open(&self->reader, text, size, &error), &error))
      return;
    while (good(sn_frames_next(&self->reader, &frame, &error), &error) &&
           frame != NULL)
      take(self, frame);
    return;
  }
  if (good(sn_frame_read(&self->reader, text, size, &frame, &error), &error))
    take(self, frame);
  if (good(sn_audience_read(&self->reader, text, size, &audience, &error),
           &error))
    REQUIRE(audience->read <= SEEN_SEQ_MAX && *audience->conv != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  target_bytes lines = {bytes, bytes + size};
  seen_options options;
  target self;

  seen_options_init(&options);
  options.user = "ann";
  sn_frame_reader_init(&self.reader, target_memory());
  REQUIRE(seen_engine_new(&options, 0, &self.engine, NULL) == SEEN_OK);
  for (int i = 0; i < MOST_LINES; i++) {
    size_t length;
    char *line = target_line(&lines, &length);

    if (line == NULL) break;
    read_line(&self, line, length);
    free(line);
  }
  holds_now(self.engine);
  holds_audit(self.engine);
  seen_engine_free(self.engine);
  sn_frame_reader_free(&self.reader);
  return 0;
}
