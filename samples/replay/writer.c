#include "writer.h"

#include "lines.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

bool trace_writer_open(trace_writer *self, const char *path) {
  memset(self, 0, sizeof *self);
  self->out = fopen(path, "wb");
  return self->out != NULL;
}

static seen_trace_line line_of(seen_trace_type type, uint64_t at) {
  seen_trace_line line;

  memset(&line, 0, sizeof line);
  line.size = (uint32_t)sizeof line;
  line.type = type;
  line.at = at;
  return line;
}

static void put(trace_writer *self, seen_trace_line *line) {
  seen_error error = SEEN_ERROR_INIT;
  char *text;

  line->has_at = line->type == SEEN_TRACE_ME || line->at != self->at;
  self->at = line->at;
  text = trace_line_text(line, &error);
  if (text == NULL || fprintf(self->out, "%s\n", text) < 0) self->failed = true;
  free(text);
}

static void put_state(trace_writer *self, const simulation *of,
                      const char *conv) {
  seen_trace_line line = line_of(SEEN_TRACE_EXPECT, of->host.now);
  seen_trace_expect *expect = &line.u.expect;
  char badge[SEEN_BADGE_MAX];

  expect->conv = conv;
  expect->state = host_state(of->host.engine, conv);
  if (expect->state.id == NULL) {
    expect->fields = SEEN_EXPECT_ABSENT;
    expect->absent = true;
  } else {
    /* Every field but that it is absent. */
    expect->fields = SEEN_EXPECT_ABSENT - 1;
    seen_badge_text(expect->state.badge, expect->state.unread, self->cap,
                    badge);
    expect->badge = badge;
  }
  put(self, &line);
}

static void take_input(simulation *of, const seen_input *input,
                       void *user_data) {
  trace_writer *self = user_data;
  seen_trace_line line = line_of(SEEN_TRACE_INPUT, of->host.now);

  line.u.input = *input;
  put(self, &line);
  self->closed = input->type == SEEN_INPUT_CLOSE ? input->id : NULL;
}

static void take_effect(simulation *of, const seen_effect *effect,
                        void *user_data) {
  trace_writer *self = user_data;

  if (effect_is_output(effect))
    outputs_add(&self->sent, effect,
                seen_engine_id(of->host.engine, effect->conv));
}

static void settle(simulation *of, void *user_data) {
  trace_writer *self = user_data;
  seen_trace_line line = line_of(SEEN_TRACE_EXPECT_SENT, of->host.now);

  line.u.sent.outputs = self->sent.outputs;
  line.u.sent.count = self->sent.count;
  if (self->sent.count > 0) put(self, &line);
  outputs_clear(&self->sent);
  if (self->closed != NULL) put_state(self, of, self->closed);
  self->closed = NULL;
}

void trace_writer_begin(trace_writer *self, const seen_options *me,
                        simulation_watch *watch) {
  seen_trace_line line = line_of(SEEN_TRACE_ME, 0);

  line.u.me = *me;
  self->cap = me->cap;
  put(self, &line);
  watch->input = take_input;
  watch->effect = take_effect;
  watch->settled = settle;
  watch->user_data = self;
}

static void put_totals(trace_writer *self, const simulation *of) {
  seen_trace_line line = line_of(SEEN_TRACE_EXPECT_TOTALS, of->host.now);

  line.u.totals.fields = SEEN_TOTALS_UNREAD | SEEN_TOTALS_CONVERSATIONS |
                         SEEN_TOTALS_MUTED | SEEN_TOTALS_MENTIONS;
  seen_engine_totals(of->host.engine, &line.u.totals.totals);
  put(self, &line);
}

static void put_metrics(trace_writer *self, const simulation *of) {
  seen_trace_line line = line_of(SEEN_TRACE_EXPECT_METRIC, of->host.now);

  line.u.metrics.fields = SEEN_METRIC_ADVANCES | SEEN_METRIC_REPORTS_SENT |
                          SEEN_METRIC_REPORT_FRAMES |
                          SEEN_METRIC_REPORTS_MERGED |
                          SEEN_METRIC_STALE_POSITIONS | SEEN_METRIC_REFUSED |
                          SEEN_METRIC_UNREAD_DRIFT;
  line.u.metrics.metrics = host_metrics(of->host.engine);
  put(self, &line);
}

void trace_writer_end(trace_writer *self, simulation *of) {
  size_t i;

  for (i = 0; i < of->chat_count; i++)
    put_state(self, of, of->chats[i].id);
  put_totals(self, of);
  put_metrics(self, of);
}

bool trace_writer_close(trace_writer *self) {
  outputs_clear(&self->sent);
  return fclose(self->out) == 0 && !self->failed;
}
