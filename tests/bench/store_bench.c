/*
 * What it costs to keep an engine's state in a mirror, beside bare SQLite in
 * the same run, in turn: messages written, a cold start, a badge read. Time is
 * the clock on the wall, and the process's own in the next column: the disk is
 * part of it. Nothing here fails for being slow.
 */
#define _XOPEN_SOURCE 700

#include <seen/sys/mirror.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/bare.h"
#include "bench/measure.h"

enum {
  ROUNDS = 7,
  OFTEN = 1000, /* events that come within persist_ms */
  EVENTS = 100000,
  CONVS = 1000,
  FEW = 50,
  AUTO = 10000, /* of the events, one by one */
  READS = 200,
  PEOPLE = 256
};

typedef struct event {
  uint32_t conv;
  uint16_t from;
  bool text;
  bool mention;
} event;

/* Messages in the order in which they come. */
typedef struct load {
  const char *name;
  event *events;
  size_t count;
  size_t convs;
  size_t flush; /* events that are written together */
  char (*ids)[BARE_ID];
  size_t record_size;
} load;

typedef struct figure {
  double wall[ROUNDS]; /* ns */
  double own[ROUNDS];
  double bytes; /* handed to the disk */
} figure;

static char folder[256];
static char names[PEOPLE][8];

static void fail(const char *what, const seen_error *error) {
  fprintf(stderr, "store_bench: %s: %s\n", what, error ? error->message : "");
  exit(1);
}

static const char *path_of(const char *name) {
  static char paths[4][320];
  static size_t next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void remove_files(const char *name) {
  static const char *const tails[] = {"", "-wal", "-shm", "-lock"};
  for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
    char with[64];
    snprintf(with, sizeof with, "%s%s", name, tails[i]);
    unlink(path_of(with));
  }
}

static double wall(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Bytes that this process wrote so far, where the system counts them. */
static double written(void) {
  FILE *file = fopen("/proc/self/io", "r");
  char line[128];
  double bytes = 0;
  if (!file) return 0;
  while (fgets(line, sizeof line, file))
    if (strncmp(line, "wchar: ", 7) == 0) bytes = strtod(line + 7, NULL);
  fclose(file);
  return bytes;
}

static double started_wall, started_own, started_bytes;

static void start(void) {
  started_bytes = written();
  started_own = (double)bench_now();
  started_wall = wall();
}

static void stop(figure *to, size_t round) {
  to->wall[round] = wall() - started_wall;
  to->own[round] = (double)bench_now() - started_own;
  to->bytes = written() - started_bytes;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const double *figures) {
  double sorted[ROUNDS];
  memcpy(sorted, figures, sizeof sorted);
  qsort(sorted, ROUNDS, sizeof *sorted, by_size);
  return sorted[ROUNDS / 2];
}

/* A mirror under measurement. */
typedef struct ours {
  seen_store *store;
  seen_mirror *mirror;
  uint64_t now;
} ours;

static void open_ours(ours *self, const char *name, uint64_t now) {
  seen_sqlite_options where;
  seen_options options;
  seen_error error = SEEN_ERROR_INIT;
  seen_sqlite_options_init(&where);
  where.path = path_of(name);
  seen_options_init(&options);
  options.user = "me";
  options.device = "here";
  self->now = now;
  if (seen_store_open_sqlite(&where, &self->store, &error) ||
      seen_mirror_open(&options, self->store, now, &self->mirror, NULL, &error))
    fail("can't open", &error);
}

static void close_ours(ours *self) {
  seen_mirror_free(self->mirror);
  self->store->close(self->store);
}

static void feed(ours *self, const seen_input *input) {
  seen_effect effect;
  seen_error error = SEEN_ERROR_INIT;
  if (seen_engine_feed(seen_mirror_engine(self->mirror), input, self->now,
                       &error))
    fail("can't feed", &error);
  while (seen_mirror_next(self->mirror, &effect))
    continue;
}

/* What came since the last time is written. */
static void flush(ours *self) {
  seen_input tick = {.size = sizeof tick};
  seen_error error = SEEN_ERROR_INIT;
  self->now += 200;
  feed(self, &tick);
  if (seen_mirror_commit(self->mirror, self->now, &error))
    fail("can't commit", &error);
}

static seen_input row_of(const load *of, size_t conv) {
  seen_input row = {
      .size = sizeof row, .type = SEEN_INPUT_CONVERSATION, .id = of->ids[conv]};
  row.u.snapshot.kind = SEEN_KIND_GROUP;
  row.u.snapshot.word.version = conv + 1;
  return row;
}

static void add_rows(ours *self, const load *of) {
  for (size_t i = 0; i < of->convs; i++) {
    seen_input row = row_of(of, i);
    feed(self, &row);
  }
  flush(self);
}

static seen_input message_of(const event *one, uint64_t seq) {
  seen_input input = {
      .size = sizeof input, .type = SEEN_INPUT_MESSAGE, .conv = one->conv + 1};
  input.u.message = (seen_message){
      .seq = seq,
      .from = names[one->from],
      .kind = one->text ? SEEN_MESSAGE_TEXT : SEEN_MESSAGE_SYSTEM,
      .mention = one->mention ? SEEN_MENTION_ME : SEEN_MENTION_NONE,
      .sent_at = 1000 + seq};
  return input;
}

static void write_ours(const load *of, const char *name, figure *to,
                       size_t round) {
  ours self;
  uint64_t *seqs = calloc(of->convs, sizeof *seqs);
  if (!seqs) fail("no memory", NULL);
  remove_files(name);
  open_ours(&self, name, 0);
  add_rows(&self, of);
  start();
  for (size_t i = 0; i < of->count; i++) {
    const event *one = &of->events[i];
    seen_input input = message_of(one, ++seqs[one->conv]);
    feed(&self, &input);
    if ((i + 1) % of->flush == 0 || i + 1 == of->count) flush(&self);
  }
  stop(to, round);
  close_ours(&self);
  free(seqs);
}

/* The same without a store: what is left of the time is the mirror's. */
static void feed_engine(const load *of, figure *to, size_t round) {
  seen_options options;
  seen_engine *engine;
  seen_effect effect;
  uint64_t *seqs = calloc(of->convs, sizeof *seqs), now = 0;
  seen_options_init(&options);
  options.user = "me";
  if (!seqs || seen_engine_new(&options, now, &engine, NULL))
    fail("no engine", NULL);
  for (size_t i = 0; i < of->convs; i++) {
    seen_input row = row_of(of, i);
    seen_engine_feed(engine, &row, now, NULL);
  }
  start();
  for (size_t i = 0; i < of->count; i++) {
    const event *one = &of->events[i];
    seen_input input = message_of(one, ++seqs[one->conv]);
    if (i % of->flush == 0) now += 200;
    if (seen_engine_feed(engine, &input, now, NULL)) fail("can't feed", NULL);
    while (seen_engine_next(engine, &effect))
      continue;
  }
  stop(to, round);
  seen_engine_free(engine);
  free(seqs);
}

/* How the bare rows are grouped: one by one, all of a flush, each once. */
typedef enum grouping { ONE_BY_ONE, ALL, EACH_ONCE } grouping;

/* Rows that changed, in the order in which they did. */
typedef struct dirty_rows {
  uint32_t *rows;
  size_t count;
  bool *is;
} dirty_rows;

static void note_dirty(dirty_rows *dirty, uint32_t conv) {
  if (dirty->is[conv]) return;
  dirty->is[conv] = true;
  dirty->rows[dirty->count++] = conv;
}

static void put_dirty(bare *self, const load *of, dirty_rows *dirty,
                      const uint64_t *seqs) {
  bare_begin(self);
  for (size_t i = 0; i < dirty->count; i++) {
    uint32_t conv = dirty->rows[i];
    bare_put(self, of->ids[conv], seqs[conv]);
    dirty->is[conv] = false;
  }
  dirty->count = 0;
  bare_commit(self);
}

static void put_events(bare *self, const load *of, grouping how, size_t count,
                       dirty_rows *dirty, uint64_t *seqs) {
  for (size_t i = 0; i < count; i++) {
    uint32_t conv = of->events[i].conv;
    bool last = (i + 1) % of->flush == 0 || i + 1 == count;
    if (how == ALL && i % of->flush == 0) bare_begin(self);
    seqs[conv]++;
    if (how == EACH_ONCE)
      note_dirty(dirty, conv);
    else
      bare_put(self, of->ids[conv], seqs[conv]);
    if (last && how == EACH_ONCE) put_dirty(self, of, dirty, seqs);
    if (last && how == ALL) bare_commit(self);
  }
}

static void write_bare(const load *of, grouping how, figure *to, size_t round) {
  bare self;
  uint64_t *seqs = calloc(of->convs, sizeof *seqs);
  dirty_rows dirty = {calloc(of->convs, sizeof *dirty.rows), 0,
                      calloc(of->convs, sizeof *dirty.is)};
  if (!seqs || !dirty.rows || !dirty.is) fail("no memory", NULL);
  remove_files("bare.db");
  bare_open(&self, path_of("bare.db"), of->record_size);
  for (size_t i = 0; i < of->convs; i++)
    note_dirty(&dirty, (uint32_t)i);
  put_dirty(&self, of, &dirty, seqs);
  start();
  put_events(&self, of, how,
             how == ONE_BY_ONE && of->count > AUTO ? AUTO : of->count, &dirty,
             seqs);
  stop(to, round);
  bare_close(&self);
  free(seqs);
  free(dirty.rows);
  free(dirty.is);
}

static void head(const char *title, const char *unit) {
  printf("\n%-52s %9s %9s  %s\n", title, unit, "own time", "aim");
}

static void line(const char *name, const figure *of, double count,
                 const char *rest) {
  printf("  %-50s %9.2f %9.2f%s\n", name, median(of->wall) / count / 1e3,
         median(of->own) / count / 1e3, rest);
  fflush(stdout);
}

static const char *verdict(bool met) {
  return met ? "met" : "MISSED";
}

/* What is written, beside what SQLite needs for the same rows: alone, and with
 * the engine in front of it, without which there is nothing to write. */
static void judge_writing(const figure *mirror, const figure *engine,
                          const figure *each, double times) {
  double all = median(mirror->wall), own = median(mirror->own);
  double floor = median(each->wall) + median(engine->wall);
  double share = floor / all;
  printf("  each row once / mirror: %.2f (own time %.2f)\n",
         median(each->wall) / all, median(each->own) / own);
  printf("  engine and each row once / mirror: %.2f (own time %.2f)"
         "  >= 0.8 %s\n",
         share, (median(each->own) + median(engine->own)) / own,
         verdict(share >= 0.8));
  printf("  one by one / mirror: %.0f  >= 20 %s\n", times,
         verdict(times >= 20));
}

static void compare_writing(load *of) {
  static figure mirror, engine, one, all, each;
  double count = (double)of->count;
  double few = of->count > AUTO ? AUTO : count;
  write_ours(of, "mirror.db", &mirror, 0);
  of->record_size = bare_record_size(path_of("mirror.db"));
  for (size_t i = 0; i < ROUNDS; i++) {
    write_ours(of, "mirror.db", &mirror, i);
    feed_engine(of, &engine, i);
    write_bare(of, ONE_BY_ONE, &one, i);
    write_bare(of, ALL, &all, i);
    write_bare(of, EACH_ONCE, &each, i);
  }
  head(of->name, "us/event");
  line("bare: one by one", &one, few, "");
  line("bare: all in as many transactions", &all, count, "");
  line("bare: each row once in each of them", &each, count, "");
  line("engine, and nothing written", &engine, count, "");
  line("engine and mirror", &mirror, count, "");
  judge_writing(&mirror, &engine, &each,
                median(one.wall) / few / (median(mirror.wall) / count));
  printf("  bytes an event: mirror %.0f, each row once %.0f, one by one %.0f;"
         " a record has %zu\n",
         mirror.bytes / count, each.bytes / count, one.bytes / few,
         of->record_size);
}

static void compare_start(load *of) {
  static figure mirror, table, rows;
  double count = (double)of->convs, ratio;
  bare_row *structs = calloc(of->convs, sizeof *structs);
  char title[64];
  if (!structs) fail("no memory", NULL);
  write_ours(of, "cold.db", &mirror, 0);
  remove_files("table.db");
  bare_make_table(path_of("table.db"), of->convs);
  for (size_t i = 0; i < ROUNDS; i++) {
    ours self;
    start();
    open_ours(&self, "cold.db", 1000000);
    stop(&mirror, i);
    if (seen_engine_count(seen_mirror_engine(self.mirror)) != of->convs)
      fail("rows are missing", NULL);
    close_ours(&self);
    start();
    bare_read_table(path_of("table.db"), structs, of->convs);
    stop(&table, i);
    start();
    bare_read_mirror(path_of("cold.db"), structs, of->convs);
    stop(&rows, i);
  }
  snprintf(title, sizeof title, "cold start with %zu conversations", of->convs);
  head(title, "us/row");
  line("bare: a column a field, into structs", &table, count, "");
  line("bare: the mirror's rows, as they are", &rows, count, "");
  line("engine and mirror", &mirror, count, "");
  ratio = median(mirror.wall) / median(table.wall);
  printf("  of the structs: %.2fx (own time %.2fx)  <= 1.5x %s\n", ratio,
         median(mirror.own) / median(table.own), verdict(ratio <= 1.5));
  free(structs);
}

static void measure_badge(size_t convs) {
  static figure totals, row;
  ours self;
  seen_error error = SEEN_ERROR_INIT;
  seen_totals got;
  seen_row one = {.size = sizeof one};
  char title[64];
  double us;
  open_ours(&self, "cold.db", 1000000);
  for (size_t i = 0; i < ROUNDS; i++) {
    start();
    for (size_t n = 0; n < READS; n++)
      if (seen_badge_read(path_of("cold.db"), NULL, &got, &error))
        fail("no badge", &error);
    stop(&totals, i);
    start();
    for (size_t n = 0; n < READS; n++)
      if (seen_badge_read_conversation(path_of("cold.db"), NULL,
                                       "conversation-000007", &one, &error))
        fail("no row", &error);
    stop(&row, i);
  }
  close_ours(&self);
  snprintf(title, sizeof title, "badge of %zu conversations", convs);
  head(title, "us/read");
  us = median(totals.wall) / READS / 1e3;
  line("seen_badge_read", &totals, READS,
       us <= 1000 ? "  <= 1 ms met" : "  <= 1 ms MISSED");
  line("seen_badge_read_conversation", &row, READS, "");
}

static void make_ids(load *of, size_t convs) {
  of->convs = convs;
  of->ids = calloc(convs, sizeof *of->ids);
  if (!of->ids) fail("no memory", NULL);
  for (size_t i = 0; i < convs; i++)
    snprintf(of->ids[i], sizeof *of->ids, "conversation-%06zu", i);
}

static event *add_event(load *of) {
  if ((of->count & (of->count - 1)) == 0)
    of->events = realloc(of->events, (of->count + 1) * 2 * sizeof *of->events);
  if (!of->events) fail("no memory", NULL);
  return &of->events[of->count++];
}

/* Messages to random conversations; every fiftieth names the user. */
static load random_load(const char *name, size_t count, size_t convs,
                        size_t flush) {
  load made = {.name = name, .flush = flush};
  uint64_t random = count + convs;
  make_ids(&made, convs);
  for (size_t i = 0; i < count; i++) {
    random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
    *add_event(&made) =
        (event){(uint32_t)((random >> 33) % convs),
                (uint16_t)((random >> 20) % PEOPLE), true, i % 50 == 0};
  }
  return made;
}

static void read_log(load *of, size_t conv, const char *name) {
  char path[512], text[512];
  FILE *file;
  snprintf(path, sizeof path, "%s/samples/data/%s", SEEN_ROOT, name);
  file = fopen(path, "r");
  if (!file) fail(path, NULL);
  while (fgets(text, sizeof text, file)) {
    const char *from = strstr(text, "\"from\":\"u");
    *add_event(of) =
        (event){(uint32_t)conv,
                (uint16_t)(from ? strtoul(from + 9, NULL, 10) % PEOPLE : 0),
                strstr(text, "\"kind\":\"text\"") != NULL,
                strstr(text, "\"u4\"") != NULL};
  }
  fclose(file);
}

static load real_load(void) {
  load made = {.name = "three real chats, written each 1,000", .flush = OFTEN};
  make_ids(&made, 3);
  read_log(&made, 0, "log050.jsonl");
  read_log(&made, 1, "log076.jsonl");
  read_log(&made, 2, "log080.jsonl");
  return made;
}

static void free_load(load *of) {
  free(of->events);
  free(of->ids);
}

static void bench_writing(load of) {
  compare_writing(&of);
  free_load(&of);
}

static void bench_start(size_t convs) {
  load of = random_load("", convs * 3, convs, convs * 3);
  compare_start(&of);
  if (convs == 10000) measure_badge(convs);
  free_load(&of);
}

static void clean(void) {
  static const char *const files[] = {"mirror.db", "bare.db", "cold.db",
                                      "table.db"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    remove_files(files[i]);
  rmdir(folder);
}

int main(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/seen-bench-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(folder)) fail("no folder", NULL);
  atexit(clean);
  for (size_t i = 0; i < PEOPLE; i++)
    snprintf(names[i], sizeof names[i], "u%zu", i);
  bench_writing(
      random_load("100,000 events, 1,000 conversations, written each 1,000",
                  EVENTS, CONVS, OFTEN));
  bench_writing(random_load("100,000 events, 1,000 conversations, one burst",
                            EVENTS, CONVS, EVENTS));
  bench_writing(
      random_load("100,000 events, 50 conversations, written each 1,000",
                  EVENTS, FEW, OFTEN));
  bench_writing(real_load());
  bench_start(10000);
  bench_start(100000);
  return 0;
}
