/* The events of an engine that holds two rows: of "g" 6 to 9 are unread, of "h"
 * 1 and 2. */
#ifndef TESTS_SUPPORT_EVENTS_H
#define TESTS_SUPPORT_EVENTS_H

#include "client/events.h"
#include "support/engine.h"

typedef struct test_events {
  test_engine *t;
  test_alloc memory; /* of the events */
  sn_events events;
  sn_lent lent; /* with what was taken last */
} test_events;

/* Nothing waits; ends with nothing leaked. */
void events_begin(test_events *f);
void events_end(test_events *f);

/* The next event; false: there is none. */
bool events_take(test_events *f, seen_event *event);
size_t events_count(test_events *f); /* of all, which are taken */

seen_conv events_conv(const test_events *f, const char *id);

#endif
