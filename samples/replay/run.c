/*
 * Feeds a trace line by line to an engine of its own. What was persisted is
 * kept only where the trace has a restart.
 */
#include "run.h"

#include "compare.h"
#include "host.h"
#include "lines.h"
#include "store.h"
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct run {
  place at_line;
  host host;
  seen_trace_line *me; /* the first line; NULL before it */
  uint64_t at;
  bool keeps; /* what is to be written */
  store kept;
  output_list sent;
} run;

static int persist(run *self, const seen_effect *effect, seen_error *error) {
  seen_engine *engine = self->host.engine;
  seen_record record;
  int status;

  if (!self->keeps) return SEEN_OK;
  if (effect->type == SEEN_EFFECT_DELETE) {
    store_delete(&self->kept, seen_engine_id(engine, effect->conv));
    return SEEN_OK;
  }
  memset(&record, 0, sizeof record);
  record.size = (uint32_t)sizeof record;
  status = seen_engine_record(engine, effect->conv, &record);
  if (status == SEEN_OK) return store_write(&self->kept, &record, error);
  snprintf(error->message, sizeof error->message,
           "nothing to store of '%s': %s", seen_engine_id(engine, effect->conv),
           seen_error_text(status));
  return status;
}

static int take_effect(host *from, const seen_effect *effect,
                       seen_error *error) {
  run *self = from->user_data;

  if (effect_is_output(effect))
    outputs_add(&self->sent, effect,
                seen_engine_id(from->engine, effect->conv));
  else if (effect->type == SEEN_EFFECT_STORE ||
           effect->type == SEEN_EFFECT_DELETE)
    return persist(self, effect, error);
  return SEEN_OK;
}

static int restart(run *self, seen_error *error) {
  seen_input link = host_input(SEEN_INPUT_LINK, NULL);
  int status;

  host_stop(&self->host);
  status = host_start(&self->host, &self->me->u.me, self->at, error);
  if (status == SEEN_OK)
    status = store_restore(&self->kept, self->host.engine, error);
  if (status == SEEN_OK)
    status = host_feed(&self->host, &link, self->at, error);
  return status;
}

/* What was written of a conversation, whether or not it changed since. */
static int take_written(run *self, const seen_trace_line *line,
                        seen_error *error) {
  const seen_working *working = line->working;
  const seen_record *written = line->written;

  if (line->type == SEEN_TRACE_RECORD &&
      (working == NULL || (working->flags & SEEN_WORKING_UNWRITTEN) == 0))
    written = &line->u.record;
  return written != NULL ? store_write(&self->kept, written, error) : SEEN_OK;
}

/* What an engine held, which has no time of its own before it is fed. */
static int take_state(run *self, const seen_trace_line *line,
                      seen_error *error) {
  seen_engine *engine = self->host.engine;
  int status = SEEN_OK;

  if (line->type == SEEN_TRACE_SESSION) {
    seen_session session = line->u.session;

    session.now = self->at;
    return seen_engine_resume_session(engine, &session, error);
  }
  if (line->type == SEEN_TRACE_RECORD)
    status = seen_engine_restore(engine, &line->u.record, error);
  if (status == SEEN_OK && line->working != NULL)
    status = seen_engine_resume(
        engine,
        line->type == SEEN_TRACE_RECORD ? line->u.record.id : line->u.id,
        line->working, error);
  return status == SEEN_OK ? take_written(self, line, error) : status;
}

static int take_line(run *self, const seen_trace_line *line,
                     seen_error *error) {
  int status;

  if (line->type == SEEN_TRACE_RECORD || line->type == SEEN_TRACE_WORKING ||
      line->type == SEEN_TRACE_SESSION)
    return take_state(self, line, error);
  if (line->type == SEEN_TRACE_INPUT)
    return host_feed(&self->host, &line->u.input, self->at, error);
  status = host_run_until(&self->host, self->at, error);
  if (status == SEEN_OK && line->type == SEEN_TRACE_RESTART)
    return restart(self, error);
  return status;
}

static outcome compare(run *self, const seen_trace_line *line) {
  outcome result = compare_line(&self->at_line, line, self->host.engine,
                                self->me->u.me.cap, &self->sent);

  if (line->type == SEEN_TRACE_EXPECT_SENT) outputs_clear(&self->sent);
  return result;
}

/* Sets the clock and checks that `me` comes first and only there. */
static const char *admit(run *self, const seen_trace_line *line) {
  if (line->has_at && line->at < self->at) return "'at' falls";
  if (line->has_at) self->at = line->at;
  if (self->me == NULL && line->type != SEEN_TRACE_ME)
    return "the first line is not 'me'";
  if (self->me != NULL && line->type == SEEN_TRACE_ME) return "'me' twice";
  return NULL;
}

/* Takes the line over where it is `me`, otherwise frees it. */
static outcome run_line(run *self, seen_trace_line *line) {
  seen_error error = SEEN_ERROR_INIT;
  const char *wrong = admit(self, line);
  outcome result = OUTCOME_HELD;
  int status;

  if (wrong != NULL) {
    result = place_error(&self->at_line, wrong);
  } else if (line->type == SEEN_TRACE_ME) {
    self->me = line;
    status = host_start(&self->host, &line->u.me, self->at, &error);
    return status == SEEN_OK ? OUTCOME_HELD
                             : place_error(&self->at_line, error.message);
  } else if ((status = take_line(self, line, &error)) != SEEN_OK) {
    result = place_error(&self->at_line, error.message[0] != '\0'
                                             ? error.message
                                             : seen_error_text(status));
  } else {
    result = compare(self, line);
  }
  seen_trace_line_free(line);
  return result;
}

static outcome run_text(run *self, const char *text, size_t size) {
  seen_error error = SEEN_ERROR_INIT;
  seen_trace_line *line;

  if (seen_trace_parse(text, size, NULL, &line, &error) != SEEN_OK)
    return place_error(&self->at_line, error.message);
  if (line->type != SEEN_TRACE_BLANK) return run_line(self, line);
  seen_trace_line_free(line);
  return OUTCOME_HELD;
}

static outcome finish(run *self, const ending *end) {
  if (end->states) table_print(self->host.engine, self->me->u.me.cap);
  if (end->explain == NULL || table_explain(self->host.engine, end->explain))
    return OUTCOME_HELD;
  fprintf(stderr, "%s: no conversation '%s' to explain\n", self->at_line.file,
          end->explain);
  return OUTCOME_ERROR;
}

static outcome run_lines(run *self, text_file *file, const ending *end) {
  outcome result = OUTCOME_HELD;
  const char *text;
  size_t size;

  while (result != OUTCOME_ERROR && text_file_next(file, &text, &size)) {
    self->at_line.line++;
    result = worse(result, run_text(self, text, size));
  }
  if (result != OUTCOME_ERROR && self->me != NULL)
    result = worse(result, finish(self, end));
  return result;
}

outcome run_trace(const char *path, const ending *end) {
  text_file file;
  outcome result;
  run self;

  if (!text_file_read(&file, path)) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return OUTCOME_ERROR;
  }
  memset(&self, 0, sizeof self);
  self.at_line.file = path;
  self.host.on_effect = take_effect;
  self.host.user_data = &self;
  self.keeps = strstr(file.text, "\"restart\"") != NULL;
  result = run_lines(&self, &file, end);
  host_stop(&self.host);
  seen_trace_line_free(self.me);
  store_free(&self.kept);
  outputs_clear(&self.sent);
  text_file_free(&file);
  return result;
}
