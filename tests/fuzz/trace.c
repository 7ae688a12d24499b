/*
 * Lines of a trace: each is refused with a reason, or written as a line that
 * means the same, as text and as bytes; and an engine plays them.
 */
#include "fuzz/holds.h"
#include "fuzz/target.h"

#include "base/text.h"
#include "trace/pack.h"

#include <seen/sys/trace.h>
#include <seen/sys/working.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 60 };

typedef struct play {
  seen_options options;
  seen_engine *engine;
  uint64_t now;
  bool fed; /* no state is taken any longer */
} play;

static char *write_line(const seen_trace_line *line) {
  size_t length;
  char *text;

  REQUIRE(seen_trace_write(line, NULL, 0, &length, NULL) == SEEN_OK);
  text = malloc(length + 1);
  if (text == NULL) abort();
  REQUIRE(seen_trace_write(line, text, length + 1, &length, NULL) == SEEN_OK);
  REQUIRE(strlen(text) == length);
  return text;
}

/* Other bytes or another text that has to be written as this. */
static void same(seen_trace_line *line, const char *text) {
  char *again = write_line(line);

  REQUIRE(strcmp(again, text) == 0);
  free(again);
  seen_trace_line_free(line);
}

static bool packs(const seen_trace_line *line) {
  return line->type == SEEN_TRACE_ME || line->type == SEEN_TRACE_INPUT ||
         line->type == SEEN_TRACE_RECORD || line->type == SEEN_TRACE_WORKING ||
         line->type == SEEN_TRACE_SESSION;
}

static void check_pack(const seen_trace_line *line, const char *text) {
  seen_trace_line *unpacked;
  sn_text packed;

  sn_text_growing(&packed, seen_allocator_default());
  REQUIRE(sn_pack_line(&packed, line, NULL) == SEEN_OK);
  REQUIRE(packed.status == SEEN_OK);
  REQUIRE(sn_unpack_line(packed.bytes, packed.length, seen_allocator_default(),
                         &unpacked, NULL) == SEEN_OK);
  unpacked->has_at = line->has_at;
  unpacked->at = line->at;
  if (line->type == SEEN_TRACE_SESSION) unpacked->u.session.now = line->at;
  same(unpacked, text);
  sn_text_free(&packed);
}

static void check_line(const seen_trace_line *line) {
  char *text = write_line(line);
  seen_trace_line *parsed;

  REQUIRE(seen_trace_parse(text, strlen(text), NULL, &parsed, NULL) == SEEN_OK);
  same(parsed, text);
  if (packs(line)) check_pack(line, text);
  free(text);
}

static void feed(play *self, const seen_input *input) {
  int status = seen_engine_feed(self->engine, input, self->now, NULL);

  self->fed = true;
  REQUIRE(status == SEEN_OK || status == SEEN_EINVAL || status == SEEN_ERANGE ||
          status == SEEN_ECLOCK || status == SEEN_ENOMEM);
  holds_effects(self->engine);
  if (status == SEEN_OK) holds_now(self->engine);
}

/* What is taken of a state is one that an engine can be in. */
static void restore(play *self, const seen_trace_line *line) {
  if (self->fed) return;
  if (line->type == SEEN_TRACE_SESSION) {
    (void)seen_engine_resume_session(self->engine, &line->u.session, NULL);
  } else if (line->type == SEEN_TRACE_RECORD) {
    int status = seen_engine_restore(self->engine, &line->u.record, NULL);

    if (status == SEEN_OK && line->working != NULL)
      (void)seen_engine_resume(self->engine, line->u.record.id, line->working,
                               NULL);
  } else if (line->working != NULL) {
    (void)seen_engine_resume(self->engine, line->u.id, line->working, NULL);
  }
}

static void begin(play *self, const seen_trace_line *me) {
  if (me != NULL && me->type == SEEN_TRACE_ME) {
    self->options = me->u.me;
    self->now = me->has_at ? me->at : 0;
  } else {
    seen_options_init(&self->options);
    self->options.user = "u1";
  }
  self->options.allocator = target_memory();
  REQUIRE(seen_engine_new(&self->options, self->now, &self->engine, NULL) ==
          SEEN_OK);
}

static void play_line(play *self, const seen_trace_line *line) {
  if (line->has_at && line->at >= self->now) self->now = line->at;
  switch (line->type) {
  case SEEN_TRACE_INPUT: feed(self, &line->u.input); break;
  case SEEN_TRACE_RECORD:
  case SEEN_TRACE_WORKING:
  case SEEN_TRACE_SESSION: restore(self, line); break;
  default: break;
  }
}

static seen_trace_line *take_line(target_bytes *bytes, bool *end) {
  seen_error error = SEEN_ERROR_INIT;
  seen_trace_line *line = NULL;
  size_t size;
  char *text = target_line(bytes, &size);
  int status;

  *end = text == NULL;
  if (*end) return NULL;
  status = seen_trace_parse(text, size, NULL, &line, &error);
  free(text);
  REQUIRE((status == SEEN_OK) == (line != NULL));
  if (line == NULL)
    REQUIRE(status == SEEN_EPARSE && *error.message != '\0');
  else
    check_line(line);
  return line;
}

/* The first line is `me`, or nobody in particular; it lives to the end. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  target_bytes lines = {bytes, bytes + size};
  play self = {.fed = false};
  bool end;
  seen_trace_line *me = take_line(&lines, &end);

  begin(&self, me);
  for (int i = 0; i < MOST_LINES && !end; i++) {
    seen_trace_line *line = take_line(&lines, &end);

    if (line != NULL) play_line(&self, line);
    seen_trace_line_free(line);
  }
  holds_again(self.engine, &self.options);
  holds_audit(self.engine);
  seen_engine_free(self.engine);
  seen_trace_line_free(me);
  return 0;
}
