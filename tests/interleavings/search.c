/* States by number in the order in which they were met, and a hash of them. */
#include "search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants some of those. */
#include <cmocka.h>

#include "rules.h"
#include "words.h"

enum { FIRST_ROOM = 1 << 12 };

/* How a state was met first, and where it goes when all is healed. */
typedef struct trail {
  uint32_t from;
  uint32_t heals; /* the number of a state, its own: it is quiet */
  model_act act;
  uint8_t swapped; /* the devices, when it was made canonical */
} trail;

typedef struct search {
  const model_scene *scene;
  model_result result;
  uint8_t *packed;
  trail *trails;
  uint32_t count;
  uint32_t room;
  uint32_t *slots; /* number + 1 */
  uint32_t mask;
} search;

static void *grown(void *block, size_t count, size_t size) {
  void *larger = realloc(block, count * size);
  assert_non_null(larger);
  return larger;
}

static uint8_t *packed_at(const search *self, uint32_t number) {
  return self->packed + (size_t)number * MODEL_PACKED_BYTES;
}

static uint32_t hash_of(const uint8_t *packed) {
  uint64_t hash = 0, word;
  for (size_t i = 0; i < MODEL_PACKED_BYTES; i += sizeof word) {
    size_t left = MODEL_PACKED_BYTES - i;
    word = 0;
    memcpy(&word, packed + i, left < sizeof word ? left : sizeof word);
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
  }
  return (uint32_t)(hash ^ hash >> 32);
}

static void place(search *self, uint32_t number) {
  uint32_t slot = hash_of(packed_at(self, number)) & self->mask;
  while (self->slots[slot])
    slot = (slot + 1) & self->mask;
  self->slots[slot] = number + 1;
}

static void make_room(search *self) {
  if (self->count < self->room) return;
  self->room = self->room ? self->room * 2 : FIRST_ROOM;
  self->packed = grown(self->packed, self->room, MODEL_PACKED_BYTES);
  self->trails = grown(self->trails, self->room, sizeof *self->trails);
  free(self->slots);
  self->slots = calloc((size_t)self->room * 2, sizeof *self->slots);
  assert_non_null(self->slots);
  self->mask = self->room * 2 - 1;
  for (uint32_t i = 0; i < self->count; i++)
    place(self, i);
}

/* The number of a state, which is new or not. */
static uint32_t number_of(search *self, model_state *state, trail met) {
  uint8_t packed[MODEL_PACKED_BYTES];
  met.swapped = model_canonical(state);
  model_store(state, packed);
  make_room(self);
  uint32_t slot = hash_of(packed) & self->mask, number;
  for (; (number = self->slots[slot]) != 0; slot = (slot + 1) & self->mask)
    if (memcmp(packed_at(self, number - 1), packed, sizeof packed) == 0)
      return number - 1;
  number = self->count++;
  self->slots[slot] = number + 1;
  memcpy(packed_at(self, number), packed, sizeof packed);
  self->trails[number] = met;
  return number;
}

/* The acts that led to a state, the first one first; for the caller to free. */
static model_act *way_to(const search *self, uint32_t number, model_act last,
                         unsigned *length, uint8_t **swapped) {
  unsigned count = 1;
  for (uint32_t i = number; i; i = self->trails[i].from)
    count++;
  model_act *acts = grown(NULL, count, sizeof *acts);
  *swapped = grown(NULL, count, sizeof **swapped);
  *length = count;
  acts[--count] = last;
  (*swapped)[count] = 0;
  for (uint32_t i = number; i; i = self->trails[i].from) {
    acts[--count] = self->trails[i].act;
    (*swapped)[count] = self->trails[i].swapped;
  }
  return acts;
}

static void tell(search *self, uint32_t number, model_act last,
                 const char *broken) {
  uint8_t *swapped;
  unsigned length;
  model_act *acts = way_to(self, number, last, &length, &swapped);
  self->result.broken = broken;
  self->result.length = last.kind == MODEL_ACT_KINDS ? length - 1 : length;
  model_say_way(self->scene, acts, swapped, self->result.length);
  printf("#   %s\n", broken);
  free(acts);
  free(swapped);
}

static void note(search *self, const model_state *from, model_act act) {
  const model_device *device = &from->device[act.device];
  self->result.steps++;
  self->result.acts[act.kind]++;
  if (act.kind == MODEL_DEVICE_TAKES)
    self->result.taken[device->to_device[0].kind]++;
  if (act.kind == MODEL_SERVER_TAKES)
    self->result.taken[device->to_server[0].kind]++;
}

static bool same(model_act a, model_act b) {
  return a.kind == b.kind && a.device == b.device && a.value == b.value;
}

/* One step; false where it breaks something. */
static bool step(search *self, uint32_t number, const model_state *from,
                 model_act act, bool heals) {
  model_state to = *from;
  if (!model_play(self->scene, act, &to)) return true;
  note(self, from, act);
  const char *broken = model_rule_broken(self->scene, from, act, &to);
  if (broken) {
    tell(self, number, act, broken);
    return false;
  }
  uint32_t next = number_of(self, &to, (trail){number, UINT32_MAX, act, false});
  if (heals) self->trails[number].heals = next;
  return true;
}

static bool expand(search *self, uint32_t number) {
  model_state from;
  model_act healing;
  model_load(packed_at(self, number), &from);
  bool heals = model_heal(self->scene, &from, &healing);
  if (!heals) {
    const char *broken = model_unquiet(&from);
    self->trails[number].heals = number;
    self->result.quiet++;
    if (broken) {
      tell(self, number, (model_act){MODEL_ACT_KINDS, 0, 0}, broken);
      return false;
    }
  }
  for (unsigned kind = 0; kind < MODEL_ACT_KINDS; kind++)
    for (unsigned d = 0; d < MODEL_DEVICES; d++)
      for (unsigned v = 0; v < model_values(self->scene, (model_act_kind)kind);
           v++) {
        model_act act = {(uint8_t)kind, (uint8_t)d, (uint8_t)v};
        if (!step(self, number, &from, act, heals && same(act, healing)))
          return false;
      }
  return true;
}

/* From every state the healed network leads to a quiet one. */
static void check_healing(search *self) {
  uint32_t *ways = calloc(self->room, sizeof *ways); /* length + 1 */
  assert_non_null(ways);
  for (uint32_t i = 0; i < self->count && !self->result.broken; i++) {
    uint32_t length = 0, at = i;
    for (; !ways[at] && self->trails[at].heals != at; length++) {
      at = self->trails[at].heals;
      if (length > self->count) break;
    }
    if (length > self->count) {
      tell(self, i, (model_act){MODEL_ACT_KINDS, 0, 0},
           "healed, and it never becomes quiet");
      break;
    }
    length += ways[at] ? ways[at] : 1;
    if (length - 1 > self->result.healing) self->result.healing = length - 1;
    for (at = i; !ways[at]; at = self->trails[at].heals)
      ways[at] = length--;
  }
  free(ways);
}

model_result model_search(const model_scene *scene) {
  search self = {.scene = scene};
  model_state start = model_start(scene);
  uint32_t layer = 0;
  number_of(&self, &start, (trail){0});
  for (uint32_t i = 0; i < self.count && !self.result.broken; i++) {
    if (i == layer) {
      layer = self.count;
      self.result.depth += i > 0;
    }
    expand(&self, i);
  }
  if (!self.result.broken) check_healing(&self);
  self.result.states = self.count;
  free(self.packed);
  free(self.trails);
  free(self.slots);
  return self.result;
}
