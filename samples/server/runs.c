#include "runs.h"

bool runs_previous(const runs *self, uint64_t seq, seen_run *run) {
  uint64_t lo, length;
  if (!ranks_previous(&self->by_lo, seq, &lo, &length)) return false;
  *run = (seen_run){lo, lo + length - 1};
  return true;
}

static bool next_run(const runs *self, uint64_t seq, seen_run *run) {
  uint64_t lo, length;
  if (runs_previous(self, seq, run) && run->hi >= seq) return true;
  if (!ranks_next(&self->by_lo, seq, &lo, &length)) return false;
  *run = (seen_run){lo, lo + length - 1};
  return true;
}

bool runs_has(const runs *self, uint64_t seq) {
  seen_run run;
  return runs_previous(self, seq, &run) && run.hi >= seq;
}

void runs_add(runs *self, uint64_t seq) {
  seen_run before = {0, 0}, after;
  bool touches = runs_previous(self, seq, &before) && before.hi + 1 >= seq;
  if (touches && before.hi >= seq) return;
  uint64_t lo = touches ? before.lo : seq, length = 1;
  if (next_run(self, seq + 1, &after) && after.lo == seq + 1) {
    length += after.hi - after.lo + 1;
    ranks_take(&self->by_lo, after.lo, after.hi - after.lo + 1);
  }
  ranks_add(&self->by_lo, lo, length);
}

void runs_remove(runs *self, uint64_t seq) {
  seen_run run;
  if (!runs_previous(self, seq, &run) || run.hi < seq) return;
  ranks_take(&self->by_lo, run.lo, run.hi - seq + 1);
  if (run.hi > seq) ranks_add(&self->by_lo, seq + 1, run.hi - seq);
}

void runs_drop_to(runs *self, uint64_t floor) {
  seen_run run;
  while (runs_previous(self, floor, &run)) {
    ranks_take(&self->by_lo, run.lo, run.hi - run.lo + 1);
    if (run.hi > floor) ranks_add(&self->by_lo, floor + 1, run.hi - floor);
  }
}

/* How many at or below. */
static uint64_t count_to(const runs *self, uint64_t seq) {
  seen_run run;
  if (!runs_previous(self, seq, &run)) return 0;
  uint64_t end = run.hi < seq ? run.hi : seq;
  return ranks_below(&self->by_lo, run.lo) + end - run.lo + 1;
}

uint64_t runs_count(const runs *self, uint64_t lo, uint64_t hi) {
  return hi > lo ? count_to(self, hi) - count_to(self, lo) : 0;
}

size_t runs_size(const runs *self) {
  return self->by_lo.count;
}

void runs_free(runs *self) {
  ranks_free(&self->by_lo);
}
