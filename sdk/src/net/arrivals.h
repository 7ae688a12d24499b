/*
 * What has happened, from the threads that carry to the thread that pulls.
 * Behind a mutex; bounded by bytes, in that whoever reads from a network asks
 * first whether there is room.
 */
#ifndef SN_NET_ARRIVALS_H
#define SN_NET_ARRIVALS_H

#include "base/platform.h"

#include <seen/sys/transport.h>

typedef struct sn_arrival {
  struct sn_arrival *next;
  seen_transport_event said; /* its text stands behind this struct */
  size_t room;               /* for text, without the NUL */
} sn_arrival;

/* With room for a text; NULL: no memory. */
sn_arrival *sn_arrival_new(const seen_allocator *memory,
                           seen_transport_event_type type, uint64_t number,
                           size_t room);

/* Sets its text, cut to its room. */
void sn_arrival_write(sn_arrival *event, const char *text, size_t length);

typedef struct sn_arrivals {
  const seen_allocator *memory;
  sn_mutex *lock;
  sn_arrival *first, *last;
  size_t bytes;
  bool was_full; /* since it was last found to have room again */
  sn_arrival *pulled;
  seen_transport_wake wake;
  void *user_data;
} sn_arrivals;

/* So many bytes of text may wait before nothing more is read. */
#define SN_ARRIVALS_BYTES ((size_t)1 << 20)

int sn_arrivals_open(const seen_allocator *memory, seen_transport_wake wake,
                     void *user_data, sn_arrivals *events);
void sn_arrivals_close(sn_arrivals *events);

/* Takes the event. */
void sn_arrivals_push(sn_arrivals *events, sn_arrival *event);

/* Whether there is no room; whoever heard "yes" is woken when there is. */
bool sn_arrivals_full(sn_arrivals *events);

/*
 * Pulls; the text is valid until the next call. `*drained`: there is room
 * again for those who heard that there was none.
 */
bool sn_arrivals_next(sn_arrivals *events, seen_transport_event *event,
                      bool *drained);

#endif
