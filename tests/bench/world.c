/* Ids and the order of visits come from a fixed seed. */
#include "bench/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The size of a block stands before it. */
typedef union header {
  size_t size;
  max_align_t align;
} header;

static void *resize(void *block, size_t size, void *user_data) {
  world_memory *memory = user_data;
  header *old = block ? (header *)block - 1 : NULL;
  size_t before = old ? old->size : 0;
  header *made = realloc(old, sizeof *made + size);
  memory->calls++;
  if (!made) return NULL;
  made->size = size;
  memory->bytes += size - before;
  return made + 1;
}

static void *allocate(size_t size, void *user_data) {
  return resize(NULL, size, user_data);
}

static void release(void *block, void *user_data) {
  world_memory *memory = user_data;
  if (!block) return;
  memory->bytes -= ((header *)block - 1)->size;
  free((header *)block - 1);
}

void world_fail(const char *what) {
  fprintf(stderr, "engine_bench: %s\n", what);
  exit(1);
}

/* splitmix64 */
uint64_t world_random(bench_world *world) {
  uint64_t z = world->random += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

uint64_t world_allocs(const void *subject) {
  return ((const bench_world *)subject)->memory.calls;
}

void world_feed(bench_world *world, const seen_input *input) {
  if (seen_engine_feed(world->engine, input, world->now, &world->error))
    world_fail(world->error.message);
}

size_t world_drain(bench_world *world) {
  seen_effect effect;
  size_t sent = 0;
  while (seen_engine_next(world->engine, &effect))
    sent += effect.type <= SEEN_EFFECT_SUBSCRIBE;
  return sent;
}

static seen_input snapshot(bench_world *world, const char *id, uint64_t read,
                           uint64_t last) {
  seen_input input = {
      .size = sizeof input, .type = SEEN_INPUT_CONVERSATION, .id = id};
  seen_snapshot *said = &input.u.snapshot;
  said->kind = SEEN_KIND_GROUP;
  said->word.read = (seen_position){0, read, read};
  said->word.last_seq = last;
  said->word.version = ++world->version;
  said->fields = SEEN_SNAPSHOT_UPDATED_AT;
  said->updated_at = world->sent_at + world_random(world) % 1000000;
  return input;
}

static seen_conv add(bench_world *world, const seen_input *input) {
  world_feed(world, input);
  return seen_engine_find(world->engine, input->id);
}

seen_conv world_add(bench_world *world, const char *id, uint64_t read,
                    uint64_t last) {
  seen_input input = snapshot(world, id, read, last);
  return add(world, &input);
}

static seen_member member(bench_world *world, char *name, size_t number) {
  snprintf(name, WORLD_ID_SIZE, "u%zu", number + 1);
  seen_member member = {.user = name};
  member.join_seq = 1 + world_random(world) % WORLD_LAST;
  uint64_t length = WORLD_LAST + 1 - member.join_seq;
  if (world_random(world) % 4 == 0)
    member.leave_seq = member.join_seq + world_random(world) % length;
  member.read_seq = member.join_seq + world_random(world) % length;
  member.delivered_seq = WORLD_LAST;
  return member;
}

seen_conv world_add_roster(bench_world *world, const char *id, size_t count) {
  seen_input input = snapshot(world, id, 0, WORLD_LAST);
  seen_member *members = calloc(count, sizeof *members);
  free(world->members);
  world->members = calloc(count, sizeof *world->members);
  if (!members || !world->members) world_fail("no memory");
  for (size_t i = 0; i < count; i++)
    members[i] = member(world, world->members[i], i);
  world->member_count = count;
  input.u.snapshot.fields |= SEEN_SNAPSHOT_ROSTER;
  input.u.snapshot.roster = members;
  input.u.snapshot.roster_count = count;
  seen_conv conv = add(world, &input);
  free(members);
  return conv;
}

static void make_engine(bench_world *world) {
  seen_options options;
  seen_options_init(&options);
  options.user = WORLD_USER;
  options.device = "d0";
  options.allocator = &world->allocator;
  if (seen_engine_new(&options, world->now, &world->engine, NULL))
    world_fail("no engine");
}

static void shuffle(bench_world *world) {
  for (size_t i = world->count; i-- > 1;) {
    size_t j = (size_t)(world_random(world) % (i + 1));
    world_visit held = world->visits[i];
    world->visits[i] = world->visits[j];
    world->visits[j] = held;
  }
}

void world_make(bench_world *world, size_t count) {
  memset(world, 0, sizeof *world);
  world->allocator =
      (seen_allocator){allocate, resize, release, &world->memory};
  world->error = (seen_error)SEEN_ERROR_INIT;
  world->now = 1000;
  world->sent_at = UINT64_C(1700000000000);
  world->random = count;
  world->count = count;
  make_engine(world);
  world->visits = calloc(count + 1, sizeof *world->visits);
  world->ids = calloc(count + 1, sizeof *world->ids);
  if (!world->visits || !world->ids) world_fail("no memory");
  for (size_t i = 0; i < count; i++) {
    world_visit *visit = &world->visits[i];
    snprintf(visit->id, sizeof visit->id, "conv-%016" PRIx64,
             world_random(world));
    visit->conv = world_add(world, visit->id, 90, 100);
    visit->seq = 101;
  }
  world->sent_at += 1000000;
  world_drain(world);
  shuffle(world);
  for (seen_conv i = 1; i <= count; i++)
    world->ids[i - 1] = seen_engine_id(world->engine, i);
  floor_table_make(&world->floors, world->ids, count);
}

void world_free(bench_world *world) {
  seen_engine_free(world->engine);
  if (world->memory.bytes) world_fail("memory leaked");
  floor_table_free(&world->floors);
  free(world->visits);
  free(world->members);
  free(world->ids);
}

world_visit *world_next(bench_world *world) {
  if (world->next == world->count) world->next = 0;
  return &world->visits[world->next++];
}

void world_check(bench_world *world) {
  enum { PAGE = 64 };
  seen_state rows[PAGE];
  seen_totals totals, sum = {0, 0, 0, 0};
  size_t offset = 0, got;
  while ((got = seen_engine_page(world->engine, offset, PAGE, rows)) > 0) {
    for (size_t i = 0; i < got; i++) {
      sum.unread += rows[i].unread;
      sum.mentions += rows[i].mentions;
      sum.conversations += rows[i].unread || rows[i].marked_unread;
    }
    offset += got;
  }
  seen_engine_totals(world->engine, &totals);
  if (totals.unread != sum.unread || totals.mentions != sum.mentions ||
      totals.conversations != sum.conversations)
    world_fail("the totals are not the sum over the rows");
}
