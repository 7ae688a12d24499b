#include "story.h"

#include <stdio.h>
#include <string.h>

#define USER "u93"
#define LATENCY_MS 80
#define ROWS 5
#define STEP_MS 300
#define EVERY_MS 420000

static const char *const names[STORY_CHATS] = {"log050", "log076", "log080"};

enum { MARKED_CHAT, MUTED_CHAT, LEFT_CHAT };

static bool read_logs(story *self, const char *folder, char *wrong,
                      size_t size) {
  char path[1024];
  size_t i;

  for (i = 0; i < STORY_CHATS; i++) {
    snprintf(path, sizeof path, "%s/%s.jsonl", folder, names[i]);
    if (!chat_log_read(&self->logs[i], path, wrong, size)) return false;
  }
  return true;
}

static int mute(story *self, seen_error *error) {
  seen_input input = host_input(SEEN_INPUT_MUTE, names[MUTED_CHAT]);

  input.u.on = true;
  return simulation_act(&self->simulation, &input, error);
}

/* The first chat is read to its end, the last one not in its second half. */
static void plan_visits(story *self) {
  const chat_log *left = &self->logs[LEFT_CHAT];

  self->simulation.places[MARKED_CHAT].last_visit += EVERY_MS;
  self->simulation.places[LEFT_CHAT].last_visit =
      left->lines[left->count / 2].at;
}

static int begin(story *self, const simulation_watch *watch,
                 seen_error *error) {
  const simulation_plan plan = {&self->me,   self->chats,
                                STORY_CHATS, {EVERY_MS, ROWS, STEP_MS},
                                LATENCY_MS,  *watch};
  int status;
  size_t i;

  for (i = 0; i < STORY_CHATS; i++)
    self->chats[i] = (simulation_chat){names[i], &self->logs[i]};
  seen_options_init(&self->me);
  self->me.user = USER;
  self->me.device = "demo";
  status = simulation_begin(&self->simulation, &plan, error);
  if (status != SEEN_OK) return status;
  plan_visits(self);
  return mute(self, error);
}

bool story_begin(story *self, const char *folder, const simulation_watch *watch,
                 char *wrong, size_t size) {
  seen_error error = SEEN_ERROR_INIT;

  memset(self, 0, sizeof *self);
  if (!read_logs(self, folder, wrong, size)) return false;
  if (begin(self, watch, &error) == SEEN_OK) return true;
  snprintf(wrong, size, "%s", error.message);
  return false;
}

void story_end(story *self) {
  size_t i;

  simulation_end(&self->simulation);
  for (i = 0; i < STORY_CHATS; i++)
    chat_log_free(&self->logs[i]);
}

uint64_t story_due(const story *self) {
  uint64_t due = simulation_due(&self->simulation);

  return due == SEEN_NEVER && !self->marked ? self->simulation.host.now : due;
}

int story_step(story *self, seen_error *error) {
  seen_input mark = host_input(SEEN_INPUT_MARK_UNREAD, names[MARKED_CHAT]);

  if (simulation_due(&self->simulation) != SEEN_NEVER)
    return simulation_step(&self->simulation, error);
  self->marked = true;
  return simulation_act(&self->simulation, &mark, error);
}

bool story_is_reading(const story *self) {
  return self->simulation.reader.step != READER_OPENS;
}
