/* A list behind a mutex. Nobody is woken while it is locked. */
#include "net/arrivals.h"

#include "base/memory.h"

#include <string.h>

static char *text_of(sn_arrival *event) {
  return (char *)(event + 1);
}

sn_arrival *sn_arrival_new(const seen_allocator *memory,
                           seen_transport_event_type type, uint64_t number,
                           size_t room) {
  sn_arrival *event;

  if (room > SIZE_MAX - sizeof *event - 1) return NULL;
  event = sn_allocate(memory, sizeof *event + room + 1);
  if (!event) return NULL;
  memset(event, 0, sizeof *event);
  event->said.size = sizeof event->said;
  event->said.type = type;
  event->said.number = number;
  event->room = room;
  *text_of(event) = '\0';
  return event;
}

void sn_arrival_write(sn_arrival *event, const char *text, size_t length) {
  if (length > event->room) length = event->room;
  memcpy(text_of(event), text, length);
  text_of(event)[length] = '\0';
  event->said.text = text_of(event);
  event->said.length = length;
}

int sn_arrivals_open(const seen_allocator *memory, seen_transport_wake wake,
                     void *user_data, sn_arrivals *events) {
  memset(events, 0, sizeof *events);
  events->memory = memory;
  events->wake = wake;
  events->user_data = user_data;
  events->lock = sn_platform_mutex_new(memory);
  return events->lock ? SEEN_OK : SEEN_ENOMEM;
}

void sn_arrivals_close(sn_arrivals *events) {
  sn_arrival *next;

  for (sn_arrival *at = events->first; at; at = next) {
    next = at->next;
    sn_release(events->memory, at);
  }
  sn_release(events->memory, events->pulled);
  sn_platform_mutex_free(events->memory, events->lock);
  memset(events, 0, sizeof *events);
}

/* What an event weighs, so that many small ones are many too. */
static size_t weight_of(const sn_arrival *event) {
  return sizeof *event + event->said.length;
}

void sn_arrivals_push(sn_arrivals *events, sn_arrival *event) {
  bool first;

  event->next = NULL;
  sn_platform_mutex_lock(events->lock);
  first = events->first == NULL;
  if (first)
    events->first = event;
  else
    events->last->next = event;
  events->last = event;
  events->bytes += weight_of(event);
  sn_platform_mutex_unlock(events->lock);
  if (first) events->wake(events->user_data);
}

bool sn_arrivals_full(sn_arrivals *events) {
  bool full;

  sn_platform_mutex_lock(events->lock);
  full = events->bytes >= SN_ARRIVALS_BYTES;
  if (full) events->was_full = true;
  sn_platform_mutex_unlock(events->lock);
  return full;
}

bool sn_arrivals_next(sn_arrivals *events, seen_transport_event *event,
                      bool *drained) {
  sn_arrival *first;

  sn_release(events->memory, events->pulled);
  events->pulled = NULL;
  sn_platform_mutex_lock(events->lock);
  first = events->first;
  if (first) {
    events->first = first->next;
    events->bytes -= weight_of(first);
  }
  *drained = events->was_full && events->bytes <= SN_ARRIVALS_BYTES / 2;
  if (*drained) events->was_full = false;
  sn_platform_mutex_unlock(events->lock);
  events->pulled = first;
  if (first) *event = first->said;
  return first != NULL;
}
