#include "play.h"

#include "memory.h"
#include "simulation.h"
#include "table.h"
#include "writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LATENCY_MS 80
#define STEP_MS 100 /* above the dwell */

static outcome fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  return OUTCOME_ERROR;
}

/* A conversation is called as its file, without folder and ending. */
static char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  size_t size = strcspn(name, ".");

  return must_copy(name, size > 0 ? size : strlen(name));
}

static void print_summary(const simulation *self, const chat_log *log,
                          const char *user) {
  seen_state state = host_state(self->host.engine, self->chats[0].id);
  seen_metrics metrics = host_metrics(self->host.engine);
  size_t spoken = 0;
  size_t people = 0;
  size_t mentioned = 0;
  size_t i;

  for (i = 0; i < log->count; i++) {
    spoken += log->lines[i].from != NULL;
    mentioned += log_line_mentions(&log->lines[i], user);
  }
  for (i = 0; i < log->user_count; i++)
    people += log->users[i]->speaks;
  printf("%s: %zu messages and %zu system lines of %zu people\n", state.id,
         spoken, log->count - spoken, people);
  printf("%s: unread %" PRIu64 "%s, mentions %" PRIu64 " of %zu\n", user,
         state.unread, state.exact ? "" : " at most", state.mentions,
         mentioned);
  printf("advances %" PRIu64 ", merged %" PRIu64 ", reports %" PRIu64
         ", frames %" PRIu64 "\n",
         metrics.advances, metrics.reports_merged, metrics.reports_sent,
         metrics.report_frames);
}

static outcome finish(simulation *self, const ending *end) {
  if (end->states) table_print(self->host.engine, 99);
  if (end->explain == NULL || table_explain(self->host.engine, end->explain))
    return OUTCOME_HELD;
  return fail("no such conversation to explain");
}

static int run_to_the_end(simulation *self, seen_error *error) {
  int status = SEEN_OK;

  while (status == SEEN_OK && simulation_due(self) != SEEN_NEVER)
    status = simulation_step(self, error);
  return status;
}

static outcome play(const play_options *options, const chat_log *log,
                    const ending *end, trace_writer *writer) {
  char *conv = name_of(options->log);
  const simulation_chat from = {conv, log};
  seen_error error = SEEN_ERROR_INIT;
  seen_options me;
  simulation_plan plan = {&me, &from, 1, options->habit, LATENCY_MS, {0}};
  outcome result;
  simulation self;
  int status;

  seen_options_init(&me);
  me.user = options->user;
  me.device = "replay";
  plan.habit.step_ms = me.dwell_ms + STEP_MS;
  if (writer != NULL) trace_writer_begin(writer, &me, &plan.watch);
  status = simulation_begin(&self, &plan, &error);
  if (status == SEEN_OK) status = run_to_the_end(&self, &error);
  if (status != SEEN_OK) {
    result = fail(error.message);
  } else {
    if (writer != NULL) trace_writer_end(writer, &self);
    print_summary(&self, log, options->user);
    result = finish(&self, end);
  }
  simulation_end(&self);
  free(conv);
  return result;
}

static outcome play_and_write(const play_options *options, const chat_log *log,
                              const ending *end) {
  trace_writer writer;
  outcome result;

  if (options->trace == NULL) return play(options, log, end, NULL);
  if (!trace_writer_open(&writer, options->trace))
    return fail("the trace can't be written");
  result = play(options, log, end, &writer);
  if (!trace_writer_close(&writer))
    result = fail("the trace could not be written");
  return result;
}

outcome play_log(const play_options *options, const ending *end) {
  const log_user *user;
  char text[512];
  outcome result;
  chat_log log;

  if (!chat_log_read(&log, options->log, text, sizeof text)) return fail(text);
  user = chat_log_find(&log, options->user);
  if (user == NULL || !user->speaks)
    fprintf(stderr, "seen-replay: %s says nothing in %s\n", options->user,
            options->log);
  result = play_and_write(options, &log, end);
  chat_log_free(&log);
  return result;
}
