/*
 * A listener that runs is removed by who runs it, when it returns; any other
 * one by who says so, at once.
 */
#include "client/listeners.h"

#include <string.h>

#include "base/memory.h"

struct sn_hearer {
  sn_hearer *next;
  uint64_t number;
  sn_wanted wanted;
  bool removed;
  char id[];
};

int sn_listeners_init(sn_listeners *listeners, const seen_allocator *memory) {
  *listeners = (sn_listeners){.memory = memory};
  listeners->mutex = sn_platform_mutex_new(memory);
  listeners->changed = sn_platform_condition_new(memory);
  return listeners->mutex && listeners->changed ? SEEN_OK : SEEN_ENOMEM;
}

void sn_listeners_free(sn_listeners *listeners) {
  sn_platform_condition_free(listeners->memory, listeners->changed);
  sn_platform_mutex_free(listeners->memory, listeners->mutex);
}

static void lock(sn_listeners *listeners) {
  sn_platform_mutex_lock(listeners->mutex);
}

static void unlock(sn_listeners *listeners) {
  sn_platform_mutex_unlock(listeners->mutex);
}

static sn_hearer *make(const seen_allocator *memory, const sn_wanted *wanted) {
  size_t size = wanted->id ? strlen(wanted->id) + 1 : 0;
  sn_hearer *hearer = sn_allocate(memory, sizeof *hearer + size);
  if (!hearer) return NULL;
  *hearer = (sn_hearer){.wanted = *wanted};
  if (size) hearer->wanted.id = memcpy(hearer->id, wanted->id, size);
  return hearer;
}

int sn_listeners_add(sn_listeners *listeners, const sn_wanted *wanted,
                     uint64_t *number) {
  sn_hearer *hearer = make(listeners->memory, wanted);
  bool ended;
  if (!hearer) return SEEN_ENOMEM;
  lock(listeners);
  ended = listeners->ended;
  if (!ended) {
    hearer->number = *number = ++listeners->number;
    if (listeners->last)
      listeners->last->next = hearer;
    else
      listeners->first = hearer;
    listeners->last = hearer;
    listeners->count++;
  }
  unlock(listeners);
  if (!ended) return SEEN_OK;
  sn_release(listeners->memory, hearer);
  return SEEN_ECLOSED;
}

/* The lock is held; nobody finds it any more. */
static void unlink_hearer(sn_listeners *listeners, sn_hearer *hearer) {
  sn_hearer *before = NULL, *at = listeners->first;
  for (; at != hearer; at = at->next)
    before = at;
  if (before)
    before->next = hearer->next;
  else
    listeners->first = hearer->next;
  if (listeners->last == hearer) listeners->last = before;
  for (sn_telling *now = listeners->now; now; now = now->outer)
    if (now->following == hearer) now->following = hearer->next;
}

static bool is_running(const sn_listeners *listeners, const sn_hearer *hearer) {
  const sn_telling *now = listeners->now;
  while (now && now->running != hearer)
    now = now->outer;
  return now != NULL;
}

/* The lock is held, and let go meanwhile. */
static void finish(sn_listeners *listeners, sn_hearer *hearer) {
  unlink_hearer(listeners, hearer);
  unlock(listeners);
  if (hearer->wanted.user_free)
    hearer->wanted.user_free(hearer->wanted.user_data);
  sn_release(listeners->memory, hearer);
  lock(listeners);
  listeners->count--;
  sn_platform_condition_tell(listeners->changed);
}

static bool i_tell(const sn_listeners *listeners) {
  return listeners->now && sn_platform_is_self(listeners->teller);
}

static sn_hearer *find(const sn_listeners *listeners, uint64_t number) {
  sn_hearer *hearer = listeners->first;
  while (hearer && hearer->number != number)
    hearer = hearer->next;
  return hearer;
}

void sn_listeners_remove(sn_listeners *listeners, uint64_t number) {
  sn_hearer *hearer;
  lock(listeners);
  hearer = find(listeners, number);
  if (hearer && !is_running(listeners, hearer)) {
    finish(listeners, hearer);
  } else if (hearer) {
    hearer->removed = true;
    while (!i_tell(listeners) && find(listeners, number))
      sn_platform_condition_wait(listeners->changed, listeners->mutex,
                                 SN_FOREVER);
  }
  unlock(listeners);
}

static bool wants(const sn_hearer *hearer, const seen_event *event) {
  const char *id = hearer->wanted.id;
  return hearer->wanted.types & (uint32_t)event->type &&
         (!id || !event->id || !strcmp(id, event->id));
}

/* The lock is held, and let go meanwhile. */
static void run(sn_listeners *listeners, sn_hearer *hearer,
                const seen_event *event) {
  listeners->now->running = hearer;
  unlock(listeners);
  hearer->wanted.listener(event, hearer->wanted.user_data);
  lock(listeners);
  listeners->now->running = NULL;
  if (hearer->removed && !is_running(listeners, hearer))
    finish(listeners, hearer);
}

/* Who comes while an event is told does not hear it. */
static void tell_all(sn_listeners *listeners, const seen_event *event) {
  sn_telling *now = listeners->now;
  uint64_t newest;
  lock(listeners);
  newest = listeners->number;
  now->following = listeners->first;
  while (!listeners->ended && now->following &&
         now->following->number <= newest) {
    sn_hearer *hearer = now->following;
    now->following = hearer->next;
    if (!hearer->removed && wants(hearer, event)) run(listeners, hearer, event);
  }
  now->following = NULL;
  unlock(listeners);
}

/* One thread at a time. False: there is nobody to tell. */
static bool begin(sn_listeners *listeners, sn_telling *now) {
  bool ended;
  lock(listeners);
  while (listeners->now && !i_tell(listeners))
    sn_platform_condition_wait(listeners->changed, listeners->mutex,
                               SN_FOREVER);
  ended = listeners->ended;
  if (!ended) {
    now->outer = listeners->now;
    listeners->now = now;
    listeners->teller = sn_platform_self();
  }
  unlock(listeners);
  return !ended;
}

static bool go_on(sn_listeners *listeners) {
  bool ended;
  lock(listeners);
  ended = listeners->ended;
  unlock(listeners);
  return !ended;
}

size_t sn_listeners_tell(sn_listeners *listeners, sn_next_event next,
                         void *source) {
  sn_telling now = {0};
  seen_event event;
  size_t count = 0;
  if (!begin(listeners, &now)) return 0;
  for (; go_on(listeners) && next(source, &event); count++)
    tell_all(listeners, &event);
  lock(listeners);
  listeners->now = now.outer;
  sn_platform_condition_tell(listeners->changed);
  unlock(listeners);
  return count;
}

bool sn_listeners_in_one(sn_listeners *listeners) {
  bool mine;
  lock(listeners);
  mine = i_tell(listeners);
  unlock(listeners);
  return mine;
}

/* One that can be removed at once; those that run are removed after that. */
static sn_hearer *idle(sn_listeners *listeners) {
  sn_hearer *hearer = listeners->first;
  for (; hearer && is_running(listeners, hearer); hearer = hearer->next)
    hearer->removed = true;
  return hearer;
}

/* What others free is freed, and nothing runs on another thread. */
static bool is_over(const sn_listeners *listeners) {
  const sn_hearer *hearer = listeners->first;
  size_t left = 0;
  for (; hearer; hearer = hearer->next)
    left++;
  return left == listeners->count && (!listeners->now || i_tell(listeners));
}

void sn_listeners_stop(sn_listeners *listeners) {
  lock(listeners);
  listeners->ended = true;
  unlock(listeners);
}

void sn_listeners_end(sn_listeners *listeners) {
  sn_hearer *hearer;
  lock(listeners);
  listeners->ended = true;
  while ((hearer = idle(listeners)))
    finish(listeners, hearer);
  while (!is_over(listeners))
    sn_platform_condition_wait(listeners->changed, listeners->mutex,
                               SN_FOREVER);
  unlock(listeners);
}

size_t sn_listeners_count(sn_listeners *listeners) {
  size_t count;
  lock(listeners);
  count = listeners->count;
  unlock(listeners);
  return count;
}
