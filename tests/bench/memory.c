/*
 * Bytes are those asked of the allocator. A conversation is all that the
 * engine holds more with it, its hash entry, its place in the order and the
 * room for its notices included, less the bytes of its id.
 */
#include "bench/memory.h"

#include <stdio.h>

#include "bench/world.h"

enum { QUIET_AIM = 256, CONVS = 1000, RUNS = 10000, MENTIONS = 256 };

static void print(const char *what, double bytes) {
  printf("  %-48s %9.1f\n", what, bytes);
}

static void print_quiet(const char *what, size_t count, double bytes) {
  char name[64];
  snprintf(name, sizeof name, "a quiet conversation, %s %zu", what, count);
  printf("  %-48s %9.1f  <= %d  %s\n", name, bytes, QUIET_AIM,
         bytes <= QUIET_AIM ? "met" : "MISSED");
}

/* Arrays grow by steps, so the worst on the way is looked for too. */
static void measure_quiet(const size_t *counts, size_t sizes) {
  bench_world world;
  double worst = 0;
  size_t worst_at = 0, id_bytes = 0, size = 0;
  world_make(&world, 0);
  size_t empty = world.memory.bytes;
  for (size_t n = 1; n <= counts[sizes - 1]; n++) {
    char id[24];
    id_bytes += (size_t)snprintf(id, sizeof id, "conv-%zu", n) + 1;
    world_add(&world, id, 90, 100);
    double bytes = (double)(world.memory.bytes - empty - id_bytes) / (double)n;
    if (n >= counts[0] && bytes > worst) {
      worst = bytes;
      worst_at = n;
    }
    if (n == counts[size]) print_quiet("of", counts[size++], bytes);
  }
  print_quiet("at worst: of", worst_at, worst);
  world_free(&world);
}

static seen_input of_first(const bench_world *world, seen_input_type type) {
  return (seen_input){
      .size = sizeof(seen_input), .type = type, .conv = world->visits[0].conv};
}

/* What the engine holds more after an input to each of its conversations. */
static double grows_by(bench_world *world, seen_input input) {
  size_t before = world->memory.bytes;
  for (size_t i = 0; i < world->count; i++) {
    input.conv = world->visits[i].conv;
    world_feed(world, &input);
    world_drain(world);
  }
  return (double)(world->memory.bytes - before) / (double)world->count;
}

static void measure_active(void) {
  bench_world world;
  world_make(&world, CONVS);
  seen_input text = of_first(&world, SEEN_INPUT_MESSAGE);
  text.u.message.from = "u1";
  text.u.message.seq = 101;
  seen_input own = text;
  own.u.message.from = WORLD_USER;
  own.u.message.seq = 102;
  seen_input read = of_first(&world, SEEN_INPUT_MARK_READ);
  seen_input open = of_first(&world, SEEN_INPUT_OPEN);
  seen_input show = of_first(&world, SEEN_INPUT_VISIBLE);
  show.u.range = (seen_run){80, 100};
  print("more for a live message", grows_by(&world, text));
  print("more for an own message", grows_by(&world, own));
  print("more for a read here", grows_by(&world, read));
  print("more while open", grows_by(&world, open));
  print("more while rows are shown", grows_by(&world, show));
  world_free(&world);
}

/* A word on the one conversation: how much the engine holds more after it. */
static size_t say(bench_world *world, seen_input *input) {
  size_t before = world->memory.bytes;
  input->u.word.version = ++world->version;
  input->u.word.last_seq = UINT64_C(1) << 20;
  world_feed(world, input);
  world_drain(world);
  return world->memory.bytes - before;
}

static void measure_runs(void) {
  static seen_run runs[RUNS];
  bench_world world;
  world_make(&world, 1);
  seen_input input = of_first(&world, SEEN_INPUT_POSITION);
  for (uint64_t i = 0; i < RUNS; i++)
    runs[i] = (seen_run){101 + 2 * i, 101 + 2 * i};
  input.u.word.uncountable = runs;
  input.u.word.uncountable_count = RUNS;
  print("a run of uncountable seqs", (double)say(&world, &input) / RUNS);
  world_free(&world);
}

static void measure_mentions(void) {
  static seen_mention mentions[MENTIONS];
  bench_world world;
  world_make(&world, 1);
  seen_input input = of_first(&world, SEEN_INPUT_POSITION);
  for (uint64_t i = 0; i < MENTIONS; i++)
    mentions[i] = (seen_mention){101 + 2 * i, SEEN_MENTION_ME};
  input.u.word.mentions = mentions;
  input.u.word.mention_count = MENTIONS;
  print("a mention", (double)say(&world, &input) / MENTIONS);
  world_free(&world);
}

/* The second conversation with the same people: their names are there. */
static void measure_members(void) {
  enum { MEMBERS = 20000 };
  bench_world world;
  world_make(&world, 1);
  world_add_roster(&world, "first", MEMBERS);
  size_t before = world.memory.bytes;
  world_add_roster(&world, "second", MEMBERS);
  print("a member, the name apart",
        (double)(world.memory.bytes - before) / MEMBERS);
  world_free(&world);
}

void bench_memory(const size_t *counts, size_t sizes) {
  printf("\n%-50s %9s  aim\n", "memory", "bytes");
  measure_quiet(counts, sizes);
  measure_active();
  measure_runs();
  measure_mentions();
  measure_members();
}
