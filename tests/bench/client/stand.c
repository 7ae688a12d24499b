#include "stand.h"

#include "../server/stage.h"

#include <seen/sys/mirror.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 20 /* s */ };

static char folder[FOLDER_BYTES];

_Noreturn void stand_fail(const char *what, const seen_error *error) {
  fprintf(stderr, "client_bench: %s: %s\n", what, error ? error->message : "");
  exit(1);
}

const char *stand_path(const char *name) {
  static char paths[4][STAND_PATH];
  static size_t next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

void stand_remove(const char *name) {
  static const char *const tails[] = {"", "-wal", "-shm", "-lock"};
  for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
    char with[64];
    snprintf(with, sizeof with, "%s%s", name, tails[i]);
    unlink(stand_path(with));
  }
}

static void end(void) {
  rmdir(folder);
}

void stand_begin(void) {
  stage_folder(folder);
  atexit(end);
}

void stand_id(char id[STAND_ID], size_t conv) {
  snprintf(id, STAND_ID, "conversation-%06zu", conv);
}

static void feed(seen_mirror *mirror, const seen_input *input, uint64_t now) {
  seen_error error = SEEN_ERROR_INIT;
  seen_effect effect;
  if (seen_engine_feed(seen_mirror_engine(mirror), input, now, &error))
    stand_fail("can't feed", &error);
  while (seen_mirror_next(mirror, &effect))
    continue;
}

static void add_conversation(seen_mirror *mirror, size_t conv,
                             uint64_t unread) {
  char id[STAND_ID];
  seen_input input = {
      .size = sizeof input, .type = SEEN_INPUT_CONVERSATION, .id = id};
  stand_id(id, conv);
  input.u.snapshot.kind = SEEN_KIND_GROUP;
  input.u.snapshot.word.version = conv + 1;
  feed(mirror, &input, 0);
  input =
      (seen_input){.size = sizeof input, .type = SEEN_INPUT_MESSAGE, .id = id};
  for (uint64_t seq = 1; seq <= unread; seq++) {
    input.u.message = (seen_message){.seq = seq,
                                     .from = "u1",
                                     .kind = SEEN_MESSAGE_TEXT,
                                     .sent_at = 1000 * conv + seq};
    feed(mirror, &input, 0);
  }
}

void stand_make_mirror(const char *path, size_t convs, uint64_t unread) {
  const seen_input tick = {.size = sizeof tick, .type = SEEN_INPUT_TICK};
  seen_error error = SEEN_ERROR_INIT;
  seen_sqlite_options where;
  seen_options options;
  seen_mirror *mirror;
  seen_store *store;
  seen_sqlite_options_init(&where);
  where.path = path;
  seen_options_init(&options);
  options.user = "me";
  options.device = "here";
  if (seen_store_open_sqlite(&where, &store, &error) ||
      seen_mirror_open(&options, store, 0, &mirror, NULL, &error))
    stand_fail("can't make a mirror", &error);
  for (size_t i = 0; i < convs; i++)
    add_conversation(mirror, i, unread);
  feed(mirror, &tick, 1000);
  if (seen_mirror_commit(mirror, 1000, &error))
    stand_fail("can't write", &error);
  seen_mirror_free(mirror);
  store->close(store);
}

static void wake(void *user_data) {
  sem_post(&((stand *)user_data)->woken);
}

void stand_init(stand *self, const char *user) {
  memset(self, 0, sizeof *self);
  seen_client_options_init(&self->options);
  self->options.policy.user = user;
  self->options.policy.device = "here";
  self->options.policy.dwell_ms = 0;
  self->options.policy.reports_per_second = 1000;
  self->options.policy.burst = 1000;
  self->options.wakeup = wake;
  self->options.user_data = self;
  if (sem_init(&self->woken, 0, 0)) stand_fail("no semaphore", NULL);
}

void stand_open(stand *self) {
  seen_error error = SEEN_ERROR_INIT;
  if (seen_client_open(&self->options, &self->client, &error))
    stand_fail("can't open", &error);
}

static void hear(const seen_event *event, void *user_data) {
  stand *self = user_data;
  self->totals += event->type == SEEN_EVENT_TOTALS;
}

void stand_start(stand *self) {
  seen_error error = SEEN_ERROR_INIT;
  uint64_t number;
  if (seen_client_listen(self->client,
                         SEEN_EVENT_TOTALS | SEEN_EVENT_CONVERSATION |
                             SEEN_EVENT_CONNECTION,
                         NULL, hear, self, NULL, &number) ||
      seen_client_start(self->client, &error))
    stand_fail("can't start", &error);
}

void stand_close(stand *self) {
  seen_client_free(self->client);
  sem_destroy(&self->woken);
}

void stand_hear(stand *self) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += PATIENCE;
  while (sem_timedwait(&self->woken, &end))
    if (errno != EINTR) stand_fail("the host is not woken", NULL);
  seen_client_dispatch(self->client);
}
