/*
 * The host's thread says something, the client's does it, and the host's hears
 * of new totals: two hand-overs, whose bare price is the floor.
 */
#include "figure.h"
#include "handover.h"
#include "parts.h"
#include "stand.h"

#include "../server/stage.h"

#include <unistd.h>

enum {
  PAUSE = 1000, /* µs: what came before is written */
  ROUNDS = 5,
  TIMES = 200,
  ALL = ROUNDS * TIMES
};

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
  partner_begin(&other);
  for (size_t round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < TIMES; i++) {
      usleep(PAUSE);
      partner_ask(&other, &handed);
    }
    run(&marks, mark, round * TIMES, &marked);
    run(&shows, show, round * TIMES, &shown);
  }
  partner_end(&other);
  stand_close(&marks);
  stand_close(&shows);
  stand_remove("marks.db");
  stand_remove("shows.db");
  figure_head("from the host's word to new totals");
  figure_floor("floor: a hand-over to a thread and back", &handed);
  figure_beside("seen_client_mark_read", &marked, figure_at(&handed, 50), 0);
  figure_beside("seen_client_visible", &shown, figure_at(&handed, 50), 0);
}
