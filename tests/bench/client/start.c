/*
 * From nothing to a badge: a client is opened on a mirror of 10,000 rows, and
 * asked. The file is in the system's cache, as it is for an app that was killed
 * a moment ago; bare SQLite that reads the same rows is the floor.
 */
#include "figure.h"
#include "parts.h"
#include "stand.h"

#include "../bare.h"
#include "../server/stage.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 7, CONVS = 10000, UNREAD = 3 };

/* A thread that reads all the time, and its longest wait. */
typedef struct reader {
  const seen_client *client; /* NULL: it reads the clock alone */
  atomic_bool ended;
  atomic_size_t reads;
  uint64_t longest;
  pthread_t thread;
} reader;

static void *read_on(void *argument) {
  reader *self = argument;
  while (!atomic_load(&self->ended)) {
    seen_totals totals;
    uint64_t began = stage_now(), took;
    if (self->client) seen_client_totals(self->client, &totals);
    took = stage_now() - began;
    if (took > self->longest) self->longest = took;
    atomic_fetch_add(&self->reads, 1);
  }
  return NULL;
}

static void begin_reader(reader *self, const seen_client *client) {
  *self = (reader){.client = client};
  if (pthread_create(&self->thread, NULL, read_on, self))
    stand_fail("no thread", NULL);
  while (atomic_load(&self->reads) < 10)
    continue;
}

static void end_reader(reader *self) {
  atomic_store(&self->ended, true);
  pthread_join(self->thread, NULL);
}

static void first_turn(seen_client *client, figure *turn, figure *wait) {
  reader beside;
  uint64_t began;
  begin_reader(&beside, client);
  began = stage_now();
  if (seen_client_step(client, 0, NULL)) stand_fail("no turn", NULL);
  figure_add(turn, stage_now() - began);
  end_reader(&beside);
  figure_add(wait, beside.longest);
}

/* What a thread waits for the processor alone, while another one works. */
static void without_lock(uint64_t ns, figure *wait) {
  reader beside;
  uint64_t began;
  begin_reader(&beside, NULL);
  began = stage_now();
  while (stage_now() - began < ns)
    continue;
  end_reader(&beside);
  figure_add(wait, beside.longest);
}

static void open_once(figure *badge, figure *turn, figure *wait) {
  seen_totals totals;
  stand self;
  uint64_t began;
  stand_init(&self, "me");
  self.options.path = stand_path("start.db");
  began = stage_now();
  stand_open(&self);
  seen_client_totals(self.client, &totals);
  figure_add(badge, stage_now() - began);
  if (totals.unread != (uint64_t)CONVS * UNREAD)
    stand_fail("a wrong badge", NULL);
  first_turn(self.client, turn, wait);
  stand_close(&self);
}

static void read_bare(figure *to) {
  static bare_row rows[CONVS];
  uint64_t began = stage_now();
  if (bare_read_mirror(stand_path("start.db"), rows, CONVS) != CONVS)
    stand_fail("rows are missing", NULL);
  figure_add(to, stage_now() - began);
}

/* Bytes of this process that lie in memory. */
static double resident(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  double pages = 0;
  char text[128], *rest;
  if (file != NULL && fgets(text, sizeof text, file) != NULL) {
    (void)strtoul(text, &rest, 10); /* all of it, resident or not */
    pages = strtod(rest, NULL);
  }
  if (file != NULL) fclose(file);
  return pages * (double)sysconf(_SC_PAGESIZE);
}

void print_memory(const char *mirror) {
  double before, opened, stepped;
  stand self;
  stand_init(&self, "me");
  before = resident();
  self.options.path = mirror;
  stand_open(&self);
  opened = resident();
  if (seen_client_step(self.client, 0, NULL)) stand_fail("no turn", NULL);
  stepped = resident();
  stand_close(&self);
  printf("%.0f %.0f\n", opened - before, stepped - opened);
}

/* In a process of its own: in this one there are pages from before. */
static void measure_memory(const char *self) {
  double opened = 0, recorder = 0;
  char command[2 * STAND_PATH], text[64], *rest;
  FILE *from;
  snprintf(command, sizeof command, "'%s' memory '%s'", self,
           stand_path("start.db"));
  from = popen(command, "r");
  if (from != NULL && fgets(text, sizeof text, from) != NULL) {
    opened = strtod(text, &rest);
    recorder = strtod(rest, NULL);
  }
  if (from != NULL) pclose(from);
  if (opened <= 0) stand_fail("no figures of memory", NULL);
  printf("\nresident memory, 10,000 conversations\n");
  figure_number("client, open", opened / 1024, "KB", 0);
  figure_number("a conversation of it", opened / CONVS, "bytes", 0);
  figure_number("more for its flight recorder", recorder / 1024, "KB", 0);
  figure_number("a conversation of it", recorder / CONVS, "bytes", 0);
}

void measure_start(const char *self) {
  static figure rows, badge, turn, wait, none;
  stand_remove("start.db");
  stand_make_mirror(stand_path("start.db"), CONVS, UNREAD);
  for (size_t i = 0; i < ROUNDS; i++) {
    read_bare(&rows);
    open_once(&badge, &turn, &wait);
    without_lock((uint64_t)figure_at(&turn, 50), &none);
  }
  figure_head("cold start, 10,000 conversations");
  figure_floor("floor: bare SQLite reads the rows", &rows);
  figure_beside("opened, until there is a badge, to the floor", &badge,
                figure_at(&rows, 50), 0);
  figure_within("the same", &badge, 30);
  figure_floor("the first turn, with the recorder's beginning", &turn);
  figure_floor("floor: longest wait for a processor in that time", &none);
  figure_floor("longest wait of a thread that reads meanwhile", &wait);
  measure_memory(self);
  stand_remove("start.db");
}
