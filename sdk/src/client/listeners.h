/*
 * Who wants to hear, and one thread at a time that tells them. No lock is held
 * while a listener or a user_free runs, so both may call here.
 */
#ifndef SN_CLIENT_LISTENERS_H
#define SN_CLIENT_LISTENERS_H

#include <seen/event.h>

#include "base/platform.h"

typedef struct sn_hearer sn_hearer;

/* An event on its way; one can be told within another. */
typedef struct sn_telling {
  struct sn_telling *outer;
  sn_hearer *running;
  sn_hearer *following; /* who is looked at after that */
} sn_telling;

typedef struct sn_listeners {
  const seen_allocator *memory;
  sn_mutex *mutex;
  sn_condition *changed;
  sn_hearer *first; /* by number */
  sn_hearer *last;
  size_t count; /* those too that are removed and run still */
  uint64_t number;
  bool ended;
  sn_thread teller; /* where … */
  sn_telling *now;  /* … this is not NULL */
} sn_listeners;

/* What a listener wants. */
typedef struct sn_wanted {
  uint32_t types;
  const char *id; /* NULL: of every conversation */
  seen_listener listener;
  void *user_data;
  seen_user_free user_free;
} sn_wanted;

/* Gives the next event, until it is false; called by who tells. */
typedef bool (*sn_next_event)(void *source, seen_event *event);

/* 0 or SEEN_ENOMEM; may be freed in both cases. */
int sn_listeners_init(sn_listeners *listeners, const seen_allocator *memory);
void sn_listeners_free(sn_listeners *listeners); /* after their end */

/* SEEN_ENOMEM, SEEN_ECLOSED. */
int sn_listeners_add(sn_listeners *listeners, const sn_wanted *wanted,
                     uint64_t *number);
void sn_listeners_remove(sn_listeners *listeners, uint64_t number);

/* Tells all events that `next` gives, also from within a listener; how many
 * there were. */
size_t sn_listeners_tell(sn_listeners *listeners, sn_next_event next,
                         void *source);

/* Whether this thread is in a listener. */
bool sn_listeners_in_one(sn_listeners *listeners);

/* Nobody is told any more, but for one who is being told. */
void sn_listeners_stop(sn_listeners *listeners);

/*
 * Nobody is told any more. When it returns all are removed, and none runs on
 * another thread; any number of threads may call it.
 */
void sn_listeners_end(sn_listeners *listeners);

size_t sn_listeners_count(sn_listeners *listeners);

#endif
