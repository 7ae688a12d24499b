/*
 * Feeds a trace line by line to an engine of its own, and what it writes to a
 * store, from which it begins again after a restart.
 */
#include "run.h"

#include "compare.h"
#include "dump.h"
#include "host.h"
#include "kept.h"
#include "lines.h"
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct run {
  const run_options *options;
  place at_line;
  host host;
  seen_trace_line *me; /* the first line; NULL before it */
  uint64_t at;
  bool began; /* states can't follow */
  kept kept;
  output_list sent;
} run;

static int take_effect(host *from, const seen_effect *effect,
                       seen_error *error) {
  run *self = from->user_data;

  (void)error;
  if (effect_is_output(effect))
    outputs_add(&self->sent, effect,
                seen_engine_id(from->engine, effect->conv));
  return SEEN_OK;
}

static int record(run *self, seen_store *store, seen_error *error) {
  seen_recorder_options options;

  if (self->options->dump == NULL) return SEEN_OK;
  seen_recorder_options_init(&options);
  return seen_recorder_new(&options, &self->me->u.me, self->host.engine, store,
                           &self->host.recorder, error);
}

static void stop(run *self) {
  seen_recorder_free(self->host.recorder);
  self->host.recorder = NULL;
  host_stop(&self->host);
}

/* The first line is `me`. */
static int start(run *self, seen_error *error) {
  int status = host_start(&self->host, &self->me->u.me, self->at, error);

  return status == SEEN_OK ? kept_open(&self->kept, self->options->store, error)
                           : status;
}

/* The states are told. */
static int begin(run *self, seen_error *error) {
  int status = SEEN_OK;

  if (self->began) return SEEN_OK;
  self->began = true;
  status = kept_write(&self->kept, error);
  if (status == SEEN_OK)
    status = host_attach(&self->host, &self->me->u.me, self->kept.store, error);
  return status == SEEN_OK ? record(self, self->kept.store, error) : status;
}

static int restart(run *self, seen_error *error) {
  int status;

  stop(self);
  status = kept_reopen(&self->kept, error);
  if (status == SEEN_OK)
    status = host_open(&self->host, &self->me->u.me, self->kept.store, self->at,
                       error);
  return status == SEEN_OK ? record(self, NULL, error) : status;
}

/* What was written of a conversation, whether or not it changed since. */
static int take_written(run *self, const seen_trace_line *line,
                        seen_error *error) {
  const seen_record *written = line->written;

  if (line->type == SEEN_TRACE_RECORD &&
      (line->working->flags & SEEN_WORKING_UNWRITTEN) == 0)
    written = &line->u.record;
  return written != NULL
             ? kept_add(&self->kept, &self->me->u.me, written, error)
             : SEEN_OK;
}

static int take_conversation(run *self, const seen_trace_line *line,
                             seen_error *error) {
  bool has_record = line->type == SEEN_TRACE_RECORD;
  const char *id = has_record ? line->u.record.id : line->u.id;
  int status = SEEN_OK;

  if (has_record)
    status = seen_engine_restore(self->host.engine, &line->u.record, error);
  if (status == SEEN_OK)
    status = seen_engine_resume(self->host.engine, id, line->working, error);
  return status == SEEN_OK ? take_written(self, line, error) : status;
}

static bool is_state(const seen_trace_line *line) {
  return line->type == SEEN_TRACE_RECORD || line->type == SEEN_TRACE_WORKING ||
         line->type == SEEN_TRACE_SESSION;
}

/* What an engine held, which has no time of its own before it is fed. */
static int take_state(run *self, const seen_trace_line *line,
                      seen_error *error) {
  seen_session session = line->u.session;

  if (self->began) {
    snprintf(error->message, sizeof error->message,
             "a state behind the first input");
    return SEEN_ESTATE;
  }
  if (line->type != SEEN_TRACE_SESSION)
    return take_conversation(self, line, error);
  session.now = self->at;
  return seen_engine_resume_session(self->host.engine, &session, error);
}

static int take_line(run *self, const seen_trace_line *line,
                     seen_error *error) {
  int status;

  if (is_state(line)) return take_state(self, line, error);
  status = begin(self, error);
  if (status != SEEN_OK) return status;
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
  bool is_me = line->type == SEEN_TRACE_ME && wrong == NULL;
  outcome result;
  int status = SEEN_OK;

  if (is_me) self->me = line;
  if (wrong == NULL)
    status = is_me ? start(self, &error) : take_line(self, line, &error);
  if (wrong != NULL)
    result = place_error(&self->at_line, wrong);
  else if (status != SEEN_OK)
    result = place_error(&self->at_line, error.message[0] != '\0'
                                             ? error.message
                                             : seen_error_text(status));
  else
    result = is_me ? OUTCOME_HELD : compare(self, line);
  if (!is_me) seen_trace_line_free(line);
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

static outcome fail(const char *what, const seen_error *error) {
  fprintf(stderr, "seen-replay: %s: %s\n", what, error->message);
  return OUTCOME_ERROR;
}

/* A trace of states alone begins here. */
static outcome finish(run *self) {
  const run_options *options = self->options;
  const char *conv = options->end.explain;
  seen_error error = SEEN_ERROR_INIT;

  if (begin(self, &error) != SEEN_OK) return fail(self->at_line.file, &error);
  if (options->end.states) table_print(self->host.engine, self->me->u.me.cap);
  if (conv != NULL && !table_explain(self->host.engine, conv)) {
    fprintf(stderr, "%s: no conversation '%s' to explain\n", self->at_line.file,
            conv);
    return OUTCOME_ERROR;
  }
  if (options->dump == NULL || dump_write(self->host.recorder, options->dump,
                                          options->names, &error) == SEEN_OK)
    return OUTCOME_HELD;
  return fail(options->dump, &error);
}

static outcome run_lines(run *self, text_file *file) {
  outcome result = OUTCOME_HELD;
  const char *text;
  size_t size;

  while (result != OUTCOME_ERROR && text_file_next(file, &text, &size)) {
    self->at_line.line++;
    result = worse(result, run_text(self, text, size));
  }
  if (result != OUTCOME_ERROR && self->me != NULL)
    result = worse(result, finish(self));
  return result;
}

static outcome run_file(text_file *file, const char *name,
                        const run_options *options) {
  outcome result;
  run self;

  memset(&self, 0, sizeof self);
  self.options = options;
  self.at_line.file = name;
  self.host.on_effect = take_effect;
  self.host.user_data = &self;
  result = run_lines(&self, file);
  stop(&self);
  kept_close(&self.kept);
  seen_trace_line_free(self.me);
  outputs_clear(&self.sent);
  text_file_free(file);
  return result;
}

outcome run_trace(const char *path, const run_options *options) {
  text_file file;

  if (text_file_read(&file, path)) return run_file(&file, path, options);
  fprintf(stderr, "%s: %s\n", path, strerror(errno));
  return OUTCOME_ERROR;
}

outcome run_recording(const char *path, const run_options *options) {
  seen_error error = SEEN_ERROR_INIT;
  text_file file;

  if (dump_read(path, &file, &error) == SEEN_OK)
    return run_file(&file, path, options);
  fprintf(stderr, "%s: %s\n", path, error.message);
  return OUTCOME_ERROR;
}
