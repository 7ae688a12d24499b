#include "naive/truth.h"

#include <stdlib.h>
#include <string.h>

struct chunk {
  chunk *next;
  size_t used;
  _Alignas(16) unsigned char bytes[60000];
};

/* Zeroed memory that lives as long as the world. */
void *world_allocate(naive_world *world, size_t count, size_t size) {
  size_t bytes = (count * size + 15) / 16 * 16;
  void *memory;

  if (world->chunks == NULL ||
      world->chunks->used + bytes > sizeof world->chunks->bytes) {
    size_t more = bytes > sizeof world->chunks->bytes ? bytes : 0;
    chunk *fresh = calloc(1, sizeof *fresh + more);

    if (fresh == NULL) abort();
    fresh->next = world->chunks;
    world->chunks = fresh;
  }
  memory = world->chunks->bytes + world->chunks->used;
  world->chunks->used += bytes;
  return memory;
}

static uint64_t byte(naive_world *world) {
  return naive_world_has_bytes(world) ? *world->bytes++ : 0;
}

uint64_t world_below(naive_world *world, uint64_t limit) {
  uint64_t number;

  if (naive_world_has_bytes(world)) {
    number = byte(world);
    return (limit > 256 ? number << 8 | byte(world) : number) % limit;
  }
  return test_random_below(&world->random, limit);
}

uint64_t world_between(naive_world *world, uint64_t lo, uint64_t hi) {
  return lo >= hi ? lo : lo + world_below(world, hi - lo + 1);
}

bool world_chance(naive_world *world, unsigned percent) {
  return world_below(world, 100) < percent;
}

seen_input world_input(seen_input_type type, const char *id) {
  seen_input input;

  memset(&input, 0, sizeof input);
  input.size = (uint32_t)sizeof input;
  input.type = type;
  input.id = id;
  return input;
}

/* Reaches the client now. */
void world_put(naive_world *world, const seen_input *input) {
  naive_step *queue;

  if (world->queue_first == world->queue_count)
    world->queue_first = world->queue_count = 0;
  queue = realloc(world->queue, (world->queue_count + 1) * sizeof *queue);
  if (queue == NULL) abort();
  world->queue = queue;
  queue[world->queue_count++] = (naive_step){world->now, NAIVE_FEED, *input};
}

event *world_later(naive_world *world, event_type type, uint64_t delay) {
  event *events =
      realloc(world->events, (world->event_count + 1) * sizeof *events);

  if (events == NULL) abort();
  world->events = events;
  events += world->event_count++;
  memset(events, 0, sizeof *events);
  events->type = type;
  events->at = world->now + delay;
  events->order = world->order++;
  events->link = world->link_number;
  return events;
}

/* Reaches the client later, if the link lives till then. */
void world_send(naive_world *world, const seen_input *input, uint64_t delay) {
  world_later(world, EVENT_INPUT, delay)->input = *input;
}

static const char *name_of(naive_world *world, seen_kind kind, size_t number) {
  static const char letters[] = "dgl";
  char *name = world_allocate(world, 8, 1);

  name[0] = letters[kind];
  name[1] = '_';
  if (number >= 100) name[2] = (char)('0' + number / 100);
  name[strlen(name)] = (char)('0' + number / 10 % 10);
  name[strlen(name)] = (char)('0' + number % 10);
  return name;
}

static void make_truths(naive_world *world) {
  size_t count = 2 + (size_t)world_below(world, 4);
  uint64_t most = world_chance(world, 5) ? 150 : 25;

  if (world->mood == NAIVE_MOOD_CROWD) count = 130, most = 4;
  world->truths = world_allocate(world, count, sizeof *world->truths);
  world->truth_count = count;
  for (size_t i = 0; i < count; i++) {
    truth *made = &world->truths[i];

    made->kind = (seen_kind)world_below(world, 3);
    made->id = name_of(world, made->kind, i);
    made->messages = world_allocate(world, WORLD_SEQS, sizeof *made->messages);
    made->join = 1;
    made->member = true;
    for (uint64_t n = world_below(world, most + 1); n > 0; n--)
      truth_write(world, made);
    truth_report(made, 0, world_between(world, 0, made->last), false);
    made->muted = world_chance(world, 25);
    made->pinned = world_chance(world, 20);
    made->updated_at = 100000 * world_below(world, 9);
    world_put(world, &(seen_input){0});
    world->queue[world->queue_count - 1].input = truth_row(world, made, true);
  }
}

static void choose_options(naive_world *world) {
  seen_options *options = &world->options;

  seen_options_init(options);
  options->user = "u1";
  options->device = "d1";
  switch (world_below(world, 12)) {
  case 0: options->dwell_ms = 0; break;
  case 1: options->debounce_ms = 300, options->max_wait_ms = 700; break;
  case 2: options->own_send = SEEN_OWN_SEND_READS; break;
  case 3: options->cap = 9, options->fetch_wait_ms = 300; break;
  case 4: options->burst = 1, options->reports_per_second = 1; break;
  case 5: options->read = SEEN_READ_ON_OPEN; break;
  case 6: options->delivered = true; break;
  case 7: options->subscriptions = true; break;
  case 8: options->burst = 2, options->reports_per_second = 7; break;
  case 9:
    options->delivered = options->subscriptions = true;
    options->debounce_ms = 200;
    break;
  default: break;
  }
}

static naive_world *make(naive_mood mood) {
  naive_world *world = calloc(1, sizeof *world);

  if (world == NULL) abort();
  world->mood = mood;
  return world;
}

static naive_world *begin(naive_world *world) {
  world->link = true;
  world->versions = world_chance(world, 60);
  choose_options(world);
  make_truths(world);
  return world;
}

naive_world *naive_world_new(uint64_t seed, naive_mood mood) {
  naive_world *world = make(mood);

  world->random.state = seed;
  return begin(world);
}

naive_world *naive_world_of_bytes(const uint8_t *bytes, size_t size,
                                  naive_mood mood) {
  naive_world *world = make(mood);

  world->bytes = bytes;
  world->bytes_end = bytes + size;
  return begin(world);
}

bool naive_world_has_bytes(const naive_world *world) {
  return world->bytes < world->bytes_end;
}

void naive_world_free(naive_world *world) {
  if (world == NULL) return;
  while (world->chunks != NULL) {
    chunk *next = world->chunks->next;

    free(world->chunks);
    world->chunks = next;
  }
  free(world->events);
  free(world->queue);
  free(world);
}

const seen_options *naive_world_options(const naive_world *world) {
  return &world->options;
}

static event *soonest(naive_world *world) {
  event *found = NULL;

  for (size_t i = 0; i < world->event_count; i++) {
    event *other = &world->events[i];

    if (found == NULL || other->at < found->at ||
        (other->at == found->at && other->order < found->order))
      found = other;
  }
  return found;
}

static void happen(naive_world *world, event *due) {
  event taken = *due;
  bool connected = world->link && taken.link == world->link_number;
  seen_input row;

  *due = world->events[--world->event_count];
  switch (taken.type) {
  case EVENT_INPUT:
    if (connected) world_put(world, &taken.input);
    break;
  case EVENT_OUTPUT:
    if (connected || taken.survives) truth_hear(world, &taken);
    break;
  case EVENT_ROW:
    if (!connected || !taken.truth->member) break;
    row = truth_row(world, taken.truth, false);
    world_put(world, &row);
    break;
  }
}

/* Times at which something might just fire, or not yet. */
static uint64_t pause(naive_world *world) {
  static const uint64_t pauses[] = {0,   0,   0,   0,    10,   40,  100, 149,
                                    150, 151, 200, 250,  300,  499, 500, 501,
                                    600, 650, 999, 1000, 1500, 3000};

  return pauses[world_below(world, sizeof pauses / sizeof *pauses)];
}

void naive_world_finish(naive_world *world) {
  world->finishing = 1;
}

bool naive_world_finished(const naive_world *world) {
  return world->finishing > WORLD_LAST_ACTS;
}

naive_step naive_world_next(naive_world *world, const naive *model) {
  uint64_t until;

  while (world->queue_first == world->queue_count) {
    event *due;

    until = world->now + pause(world);
    for (due = soonest(world); due != NULL && due->at <= until &&
                               world->queue_first == world->queue_count;
         due = soonest(world)) {
      if (due->at > world->now) world->now = due->at;
      happen(world, due);
    }
    if (world->queue_first < world->queue_count) break;
    world->now = until;
    if (world->finishing > 0)
      world_act_last(world);
    else if (world->mood == NAIVE_MOOD_HOSTILE && world_chance(world, 30))
      world_act_badly(world, model);
    else
      world_act(world, model);
  }
  return world->queue[world->queue_first++];
}

/* What was sent arrives in order, after a while, or is lost with its link. */
void naive_world_hear(naive_world *world, const naive *model) {
  static const uint64_t delays[] = {5, 20, 60, 200};
  const naive_output *outputs;
  size_t count = naive_outputs(model, &outputs);

  for (size_t i = 0; i < count; i++) {
    uint64_t at = world->now + delays[world_below(world, 4)];
    event *sent;

    if (at < world->last_arrival) at = world->last_arrival;
    world->last_arrival = at;
    sent = world_later(world, EVENT_OUTPUT, at - world->now);
    sent->survives = world_chance(world, 50);
    sent->output = outputs[i];
    sent->output.cleared =
        world_allocate(world, outputs[i].cleared_count + 1, sizeof(uint64_t));
    if (outputs[i].cleared_count > 0)
      memcpy(sent->output.cleared, outputs[i].cleared,
             outputs[i].cleared_count * sizeof(uint64_t));
  }
}
