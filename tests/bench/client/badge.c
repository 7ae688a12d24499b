/*
 * The host's thread says something, the client's does it, and the host's hears
 * of new totals: two hand-overs, whose bare price is the floor.
 */
#include "figure.h"
#include "parts.h"
#include "stand.h"

#include "../server/stage.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum {
  PAUSE = 1000, /* µs: what came before is written */
  ROUNDS = 5,
  TIMES = 200,
  ALL = ROUNDS * TIMES
};

/* Another thread that waits as a client does, and answers. */
typedef struct partner {
  int ends[2];
  sem_t answered;
  pthread_t thread;
} partner;

static void *answer(void *argument) {
  partner *self = argument;
  struct pollfd wanted = {self->ends[0], POLLIN, 0};
  char byte;
  while (poll(&wanted, 1, -1) == 1 && read(self->ends[0], &byte, 1) == 1)
    sem_post(&self->answered);
  return NULL;
}

static void begin_partner(partner *self) {
  if (pipe(self->ends) || sem_init(&self->answered, 0, 0) ||
      pthread_create(&self->thread, NULL, answer, self))
    stand_fail("no thread", NULL);
}

static void end_partner(partner *self) {
  close(self->ends[1]);
  pthread_join(self->thread, NULL);
  close(self->ends[0]);
  sem_destroy(&self->answered);
}

static void hand_over(partner *self, figure *to) {
  for (size_t i = 0; i < TIMES; i++) {
    uint64_t began;
    usleep(PAUSE);
    began = stage_now();
    if (write(self->ends[1], "", 1) != 1) stand_fail("no pipe", NULL);
    while (sem_wait(&self->answered))
      continue;
    figure_add(to, stage_now() - began);
  }
}

typedef void (*say)(stand *self, size_t number);

/* One conversation after another. */
static void mark(stand *self, size_t number) {
  char id[STAND_ID];
  stand_id(id, number);
  seen_client_mark_read(self->client, id, 0);
}

/* One row after another, of the first conversation. */
static void show(stand *self, size_t number) {
  char id[STAND_ID];
  stand_id(id, 0);
  seen_client_visible(self->client, id, number + 1, number + 1);
}

/* Each reads something, so that the totals are others. */
static void run(stand *self, say what, size_t first, figure *to) {
  for (size_t i = first; i < first + TIMES; i++) {
    size_t heard = self->totals;
    uint64_t began;
    usleep(PAUSE);
    began = stage_now();
    what(self, i);
    while (self->totals == heard)
      stand_hear(self);
    figure_add(to, stage_now() - began);
  }
}

static void open_on(stand *self, const char *name, size_t convs,
                    uint64_t unread) {
  stand_remove(name);
  stand_make_mirror(stand_path(name), convs, unread);
  stand_init(self, "me");
  self->options.path = stand_path(name);
  stand_open(self);
  stand_start(self);
}

void measure_badge(void) {
  static figure handed, marked, shown;
  partner other;
  stand marks, shows;
  open_on(&marks, "marks.db", ALL, 1);
  open_on(&shows, "shows.db", 1, ALL);
  seen_client_opened(shows.client, "conversation-000000");
  begin_partner(&other);
  for (size_t round = 0; round < ROUNDS; round++) {
    hand_over(&other, &handed);
    run(&marks, mark, round * TIMES, &marked);
    run(&shows, show, round * TIMES, &shown);
  }
  end_partner(&other);
  stand_close(&marks);
  stand_close(&shows);
  stand_remove("marks.db");
  stand_remove("shows.db");
  figure_head("from the host's word to new totals");
  figure_floor("floor: a hand-over to a thread and back", &handed);
  figure_beside("seen_client_mark_read", &marked, figure_at(&handed, 50), 0);
  figure_beside("seen_client_visible", &shown, figure_at(&handed, 50), 0);
}
