/*
 * What the engine's operations cost, beside floors measured in the same run,
 * and how that grows with the number of conversations. Nothing here fails for
 * being slow; docs/performance.md says how to read it.
 */
#include <stdio.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/memory.h"
#include "bench/world.h"

static seen_input input_of(seen_input_type type) {
  return (seen_input){.size = sizeof(seen_input), .type = type};
}

static seen_input text(void) {
  seen_input input = input_of(SEEN_INPUT_MESSAGE);
  input.u.message.from = "u1";
  return input;
}

static void feed_message(bench_world *world, seen_input *input,
                         world_visit *visit) {
  input->conv = visit->conv;
  input->u.message.seq = visit->seq++;
  world_feed(world, input);
}

static uint64_t dense(void *subject, size_t ops) {
  bench_world *world = subject;
  uint64_t start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    world_visit *visit = world_next(world);
    floor_update(&world->floors, visit->conv - 1, visit->seq);
  }
  return bench_now() - start;
}

static uint64_t lookup(void *subject, size_t ops) {
  bench_world *world = subject;
  uint64_t start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    world_visit *visit = world_next(world);
    floor_update_by_id(&world->floors, visit->id, visit->seq);
  }
  return bench_now() - start;
}

static uint64_t message(void *subject, size_t ops) {
  bench_world *world = subject;
  seen_input input = text();
  uint64_t start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    world->now++;
    feed_message(world, &input, world_next(world));
  }
  return bench_now() - start;
}

/* It does not count, and who sent it is kept: the long way. */
static uint64_t message_own(void *subject, size_t ops) {
  bench_world *world = subject;
  seen_input input = text();
  input.u.message.from = WORLD_USER;
  uint64_t start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    world->now++;
    feed_message(world, &input, world_next(world));
  }
  return bench_now() - start;
}

static uint64_t message_by_id(void *subject, size_t ops) {
  bench_world *world = subject;
  seen_input input = text();
  uint64_t start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    world_visit *visit = world_next(world);
    input.id = visit->id;
    input.u.message.seq = visit->seq++;
    world->now++;
    world_feed(world, &input);
  }
  return bench_now() - start;
}

static uint64_t message_dated(void *subject, size_t ops) {
  bench_world *world = subject;
  seen_input input = text();
  uint64_t start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    input.u.message.sent_at = ++world->sent_at;
    world->now++;
    feed_message(world, &input, world_next(world));
  }
  return bench_now() - start;
}

static uint64_t message_drained(void *subject, size_t ops) {
  bench_world *world = subject;
  seen_input input = text();
  world_drain(world);
  uint64_t start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    world->now++;
    feed_message(world, &input, world_next(world));
    world_drain(world);
  }
  return bench_now() - start;
}

/* Another device has read everything. */
static uint64_t position(void *subject, size_t ops) {
  bench_world *world = subject;
  seen_input input = input_of(SEEN_INPUT_POSITION);
  seen_word *word = &input.u.word;
  uint64_t start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    world_visit *visit = world_next(world);
    input.conv = visit->conv;
    word->read.seq = word->read.high = word->last_seq = visit->seq - 1;
    word->version = ++world->version;
    world->now++;
    world_feed(world, &input);
  }
  return bench_now() - start;
}

static uint64_t position_stale(void *subject, size_t ops) {
  bench_world *world = subject;
  seen_input input = input_of(SEEN_INPUT_POSITION);
  input.u.word.read = (seen_position){0, 50, 50};
  input.u.word.last_seq = 60;
  uint64_t start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    input.conv = world_next(world)->conv;
    world->now++;
    world_feed(world, &input);
  }
  return bench_now() - start;
}

/* What was read must be used, or the compiler drops the reading. */
static volatile uint64_t used;

static uint64_t totals(void *subject, size_t ops) {
  bench_world *world = subject;
  seen_totals totals;
  uint64_t sum = 0, start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    seen_engine_totals(world->engine, &totals);
    sum += totals.unread + totals.mentions;
  }
  used = sum;
  return bench_now() - start;
}

static uint64_t deadline(void *subject, size_t ops) {
  bench_world *world = subject;
  uint64_t sum = 0, start = bench_now();
  for (size_t i = 0; i < ops; i++)
    sum += seen_engine_deadline(world->engine);
  used = sum;
  return bench_now() - start;
}

enum { PAGE = 20 };

static uint64_t pages(bench_world *world, size_t offset, size_t ops) {
  seen_state rows[PAGE];
  uint64_t sum = 0, start;
  seen_engine_page(world->engine, offset, PAGE, rows); /* puts rows in place */
  start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    seen_engine_page(world->engine, offset, PAGE, rows);
    sum += rows[0].unread;
  }
  used = sum;
  return bench_now() - start;
}

static uint64_t page_top(void *subject, size_t ops) {
  return pages(subject, 0, ops);
}

static uint64_t page_middle(void *subject, size_t ops) {
  bench_world *world = subject;
  return pages(world, world->count / 2, ops);
}

static uint64_t page_moved(void *subject, size_t ops) {
  bench_world *world = subject;
  seen_state rows[PAGE];
  seen_input input = text();
  uint64_t sum = 0, start;
  seen_engine_page(world->engine, 0, PAGE, rows);
  start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    input.u.message.sent_at = ++world->sent_at;
    world->now++;
    feed_message(world, &input, world_next(world));
    seen_engine_page(world->engine, 0, PAGE, rows);
    sum += rows[0].unread;
  }
  used = sum;
  return bench_now() - start;
}

static void show(bench_world *world, uint64_t top) {
  seen_input input = input_of(SEEN_INPUT_VISIBLE);
  input.conv = world->special;
  input.u.range = (seen_run){top, top + PAGE};
  world_feed(world, &input);
}

/* A long conversation, opened at its first row. */
static void open_reading(bench_world *world) {
  seen_input input = input_of(SEEN_INPUT_OPEN);
  world->special = world_add(world, "long", 0, 1u << 30);
  world->top = 1;
  input.conv = world->special;
  world_feed(world, &input);
  show(world, world->top);
}

static void close_reading(bench_world *world) {
  seen_input input = input_of(SEEN_INPUT_CLOSE);
  input.conv = world->special;
  world_feed(world, &input);
  world_drain(world);
}

static uint64_t visible(void *subject, size_t ops) {
  bench_world *world = subject;
  world->now += 10000; /* all of it was read and reported */
  show(world, world->top);
  world_drain(world);
  seen_input input = input_of(SEEN_INPUT_VISIBLE);
  input.conv = world->special;
  input.u.range = (seen_run){world->top, world->top + PAGE};
  uint64_t start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    world->now++;
    world_feed(world, &input);
  }
  return bench_now() - start;
}

/* A row further at each frame of the screen, with what is read on the way. */
static uint64_t scroll(void *subject, size_t ops) {
  bench_world *world = subject;
  uint64_t start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    world->now += 16;
    show(world, ++world->top);
    world_drain(world);
  }
  return bench_now() - start;
}

static void acknowledge(bench_world *world, const world_visit *visit) {
  seen_input input = input_of(SEEN_INPUT_ACK);
  seen_word *word = &input.u.answer.word;
  input.conv = visit->conv;
  input.u.answer.has_word = true;
  word->read.seq = word->read.high = word->last_seq = visit->seq - 1;
  word->version = ++world->version;
  world_feed(world, &input);
  world_drain(world);
}

static size_t read_by_name(bench_world *world, const world_visit *visit) {
  seen_input input = input_of(SEEN_INPUT_MARK_READ);
  input.conv = visit->conv;
  world_feed(world, &input);
  return world_drain(world);
}

/* A message to each of the next conversations, so that there is to read. */
static void feed_messages(bench_world *world, size_t count) {
  seen_input input = text();
  size_t next = world->next;
  for (size_t i = 0; i < count; i++)
    feed_message(world, &input, world_next(world));
  world_drain(world);
  world->next = next;
}

/* A read by name, its report, and the server's answer. */
static uint64_t report(void *subject, size_t ops) {
  bench_world *world = subject;
  feed_messages(world, ops);
  uint64_t start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    world_visit *visit = world_next(world);
    world->now += 500; /* a token */
    read_by_name(world, visit);
    acknowledge(world, visit);
  }
  return bench_now() - start;
}

enum { FRAME = 100 };

/* The turn in which the reports of a hundred reads leave together. */
static uint64_t report_frame(void *subject, size_t ops) {
  bench_world *world = subject;
  seen_input tick = input_of(SEEN_INPUT_TICK);
  uint64_t took = 0;
  for (size_t done = 0; done < ops; done += FRAME) {
    size_t next = world->next, sent = 0;
    feed_messages(world, FRAME);
    for (size_t i = 0; i < FRAME; i++) /* at one time: no token comes */
      sent += read_by_name(world, world_next(world));
    world->now += 500;
    uint64_t start = bench_now();
    world_feed(world, &tick);
    sent += world_drain(world);
    took += bench_now() - start;
    if (sent != FRAME) world_fail("not every read was reported");
    world->next = next;
    for (size_t i = 0; i < FRAME; i++)
      acknowledge(world, world_next(world));
  }
  return took;
}

static uint64_t receipts(void *subject, size_t ops) {
  bench_world *world = subject;
  seen_receipt receipt;
  uint64_t sum = 0, start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    seen_engine_receipt(world->engine, world->special,
                        1 + world_random(world) % WORLD_LAST, &receipt);
    sum += receipt.read;
  }
  used = sum;
  return bench_now() - start;
}

/* From one member after the other, so that each one's name is kept. */
static uint64_t message_in_roster(void *subject, size_t ops) {
  bench_world *world = subject;
  seen_input input = text();
  input.conv = world->special;
  uint64_t start = bench_now();
  for (size_t i = 0; i < ops; i++) {
    input.u.message.from = world->members[i % world->member_count];
    input.u.message.seq = ++world->top;
    world->now++;
    world_feed(world, &input);
  }
  return bench_now() - start;
}

enum { DENSE, LOOKUP };

static const bench_case CASES[] = {
    [DENSE] = {"floor: update in a dense array", dense, 20000, -1, 0, 0, 0, 0},
    [LOOKUP] = {"floor: lookup by id, update", lookup, 20000, -1, 0, 0, 0, 0},
    {"message by handle", message, 20000, DENSE, 60, 10, 0, 0},
    {"message by handle, effects pulled", message_drained, 20000, DENSE, 0, 0,
     0, 0},
    {"message by handle, dated", message_dated, 20000, DENSE, 0, 0, 0, 0},
    {"message by id", message_by_id, 20000, LOOKUP, 0, 2, 0, 0},
    {"position, new", position, 20000, DENSE, 0, 0, 0, 0},
    {"position, stale", position_stale, 20000, DENSE, 0, 0, 0, 0},
    {"totals", totals, 100000, DENSE, 5, 0, 0, 0},
    {"deadline", deadline, 100000, DENSE, 0, 0, 0, 0},
    {"page of 20 at the top", page_top, 1000, DENSE, 2000, 0, 0, 0},
    {"page of 20 in the middle", page_middle, 1000, DENSE, 2000, 0, 0, 0},
    {"message, dated, and a page after it", page_moved, 1000, DENSE, 0, 0, 0,
     0},
};

static const bench_case READING_CASES[] = {
    [DENSE] = {"floor: update in a dense array", dense, 20000, -1, 0, 0, 0, 0},
    {"visible, without change", visible, 20000, DENSE, 25, 0, 0, 0},
    {"visible, a row further, with its reads", scroll, 20000, DENSE, 0, 0, 0,
     0},
    {"read by name, its report, its answer", report, 1000, DENSE, 0, 0, 0, 0},
    {"turn of 100 reports, a report", report_frame, 1000, DENSE, 0, 0, 0, 0},
    {"own message", message_own, 20000, DENSE, 0, 0, 0, 0},
    {"message where something was read", message, 20000, DENSE, 60, 10, 0, 0},
};

static const bench_case ROSTER_CASES[] = {
    [DENSE] = {"floor: update in a dense array", dense, 20000, -1, 0, 0, 0, 0},
    {"receipt of a message", receipts, 10000, DENSE, 1000, 0, 0, 0},
    {"message by handle, its sender kept", message_in_roster, 10000, DENSE, 0,
     0, 0, 0},
};

enum {
  SIZES = 3,
  CASE_COUNT = sizeof CASES / sizeof *CASES,
  READING_COUNT = sizeof READING_CASES / sizeof *READING_CASES,
  ROSTER_COUNT = sizeof ROSTER_CASES / sizeof *ROSTER_CASES
};

static void head(const char *what, size_t count) {
  char title[64];
  snprintf(title, sizeof title, "%zu %s", count, what);
  bench_head(title);
}

static void run_conversations(bench_case *cases, bench_case *reading,
                              size_t count) {
  bench_world world;
  memcpy(cases, CASES, sizeof CASES);
  memcpy(reading, READING_CASES, sizeof READING_CASES);
  world_make(&world, count);
  for (size_t i = 0; i < count; i += 1000)
    message(&world, 1000); /* each has had its first message */
  bench_measure(cases, CASE_COUNT, &world, world_allocs);
  world_check(&world);
  head("conversations", count);
  bench_print(cases, CASE_COUNT);
  open_reading(&world);
  bench_measure(reading, READING_COUNT, &world, world_allocs);
  close_reading(&world);
  world_check(&world);
  head("conversations, one of them open", count);
  bench_print(reading, READING_COUNT);
  world_free(&world);
}

static void run_roster(bench_case *cases, size_t members) {
  bench_world world;
  memcpy(cases, ROSTER_CASES, sizeof ROSTER_CASES);
  world_make(&world, 1000);
  world.special = world_add_roster(&world, "group", members);
  world.top = WORLD_LAST;
  bench_measure(cases, ROSTER_COUNT, &world, world_allocs);
  world_check(&world);
  head("members in a group", members);
  bench_print(cases, ROSTER_COUNT);
  world_free(&world);
}

/* How each case grows from the smallest to the largest size. */
static void print_growth(const char *title, const bench_case *const *measured,
                         size_t sizes, size_t count) {
  printf("\n%-50s %9s\n", title, "growth");
  for (size_t i = 0; i < count; i++) {
    printf("  %-48s ", measured[0][i].name);
    for (size_t size = 0; size < sizes; size++)
      printf("%9.1f", measured[size][i].ns);
    printf(" %6.1fx\n", measured[sizes - 1][i].ns / measured[0][i].ns);
  }
}

int main(void) {
  static const size_t counts[SIZES] = {1000, 10000, 100000};
  static bench_case cases[SIZES][CASE_COUNT], reading[SIZES][READING_COUNT];
  static bench_case rosters[2][ROSTER_COUNT];
  for (size_t i = 0; i < SIZES; i++)
    run_conversations(cases[i], reading[i], counts[i]);
  run_roster(rosters[0], 500);
  run_roster(rosters[1], 20000);
  print_growth("ns at 1,000, 10,000 and 100,000 conversations",
               (const bench_case *const[]){cases[0], cases[1], cases[2]}, SIZES,
               CASE_COUNT);
  print_growth("the same, one of them open",
               (const bench_case *const[]){reading[0], reading[1], reading[2]},
               SIZES, READING_COUNT);
  print_growth("ns at 500 and 20,000 members",
               (const bench_case *const[]){rosters[0], rosters[1]}, 2,
               ROSTER_COUNT);
  bench_memory(counts, SIZES);
  return 0;
}
