#include "support/events.h"

#include <string.h>

void events_begin(test_events *f) {
  memset(f, 0, sizeof *f);
  f->t = engine_start();
  test_alloc_init(&f->memory);
  say_row(f->t, "g", word_at(0, 5, 0, 9));
  say_row(f->t, "h", word_at(0, 0, 0, 2));
  assert_int_equal(
      sn_events_init(&f->events, f->t->engine, &f->memory.allocator), SEEN_OK);
}

void events_end(test_events *f) {
  sn_lent_release(&f->lent, &f->memory.allocator);
  sn_events_free(&f->events);
  test_alloc_check(&f->memory);
  engine_end(f->t);
}

bool events_take(test_events *f, seen_event *event) {
  sn_lent_release(&f->lent, &f->memory.allocator);
  return sn_events_next(&f->events, UINT64_MAX, event, &f->lent);
}

size_t events_count(test_events *f) {
  seen_event event;
  size_t n = 0;
  while (events_take(f, &event))
    n++;
  return n;
}

seen_conv events_conv(const test_events *f, const char *id) {
  return seen_engine_find(f->t->engine, id);
}
