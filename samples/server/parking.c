#include "parking.h"

#include "connections.h"
#include "memory.h"
#include "persons.h"
#include "requests.h"

#include <string.h>

static uint64_t spend(server *self, const connection *from) {
  return persons_spend(&from->person->reports, self->limits.reports_per_second,
                       self->limits.reports_burst, self->now);
}

static void apply(server *self, connection *from, const json *frame,
                  uint64_t id) {
  const char *type = json_is_text(json_member(frame, "t"));
  core_add_frame(self, from, id, false);
  if (self->failed) return;
  if (!strcmp(type, "read"))
    take_read(self, from, frame, id);
  else
    take_delivered(self, from, frame, id);
}

static void turn_away(server *self, connection *from, const json *frame,
                      const char *type, uint64_t id) {
  const json *items = json_member(frame, "items");
  core_add_frame(self, from, id, false);
  refuse_rate(from, frame, id, type, 1000);
  if (strcmp(type, "read") != 0 || !json_is_array(items)) return;
  self->metrics.reports += json_count(items);
  self->metrics.reports_refused += json_count(items);
}

bool parking_take(server *self, connection *from, json *frame, const char *type,
                  uint64_t id) {
  uint64_t wait = from->parked_count ? 1 : spend(self, from);
  if (!wait) {
    apply(self, from, frame, id);
    return false;
  }
  if (from->parked_count >= self->limits.reports_parked) {
    turn_away(self, from, frame, type, id);
    return false;
  }
  if (!from->parked_count) self->parked++;
  from->parked =
      MUST_GROW(from->parked, from->parked_count, from->parked_capacity);
  from->parked[from->parked_count++] = (parked_frame){frame, id, self->now};
  return true;
}

void parking_apply(server *self, connection *from) {
  for (size_t i = 0; i < from->parked_count; i++) {
    self->said_at = from->parked[i].said_at;
    apply(self, from, from->parked[i].frame, from->parked[i].id);
    json_free(from->parked[i].frame);
  }
  self->metrics.reports_merged += from->parked_count - 1;
  from->parked_count = 0;
  self->parked--;
}

uint64_t parking_deadline(const server *self) {
  uint64_t step = 1000 / self->limits.reports_per_second;
  return self->parked ? self->drained_at + most(step, 1) : SEEN_NEVER;
}

/*
 * Those who share a user's tokens take turns, the oldest connection last. What
 * waits to be told (R6) has the turns between two steps.
 */
void parking_tick(server *self) {
  if (!self->parked) return;
  if (self->ready_first && parking_deadline(self) > self->now) return;
  self->drained_at = self->now;
  for (connection *at = self->connections; at; at = at->next)
    if (at->parked_count && !spend(self, at)) parking_apply(self, at);
}
