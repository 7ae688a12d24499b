/*
 * Who steers a client: one thread at a time, its own loop or a call that has
 * to do the loop's work itself. What only the loop uses, whoever steers may
 * use, and it needs no other lock.
 */
#ifndef SN_CLIENT_HELM_H
#define SN_CLIENT_HELM_H

#include "base/platform.h"

typedef struct sn_helm {
  const seen_allocator *memory;
  sn_mutex *mutex;
  sn_condition *changed;
  const sn_signal *signal; /* what the loop waits at while it steers */
  bool held;
  size_t callers; /* that wait: the loop gives way to them */
  bool threaded;  /* the loop is a thread's … */
  bool stepping;  /* … or in a step */
  bool closing;   /* somebody ends it all */
  bool ended;     /* there is no loop any more */
  sn_thread thread;
} sn_helm;

/* 0 or SEEN_ENOMEM; may be freed in both cases. */
int sn_helm_init(sn_helm *helm, const sn_signal *signal,
                 const seen_allocator *memory);
void sn_helm_free(sn_helm *helm);

/* A call takes it: false where it was not to be had in time. */
bool sn_helm_take(sn_helm *helm, uint32_t timeout_ms);
void sn_helm_give(sn_helm *helm);

/* The loop takes it for a turn; false also where it is to end. */
bool sn_helm_take_turn(sn_helm *helm, uint32_t timeout_ms);

/* Whether who steers should make room: others wait, or it is to end. */
bool sn_helm_wanted(sn_helm *helm);

/* The loop is this thread's from now on; SEEN_ESTATE, SEEN_ECLOSED, SEEN_EIO. */
int sn_helm_start(sn_helm *helm, void *(*run)(void *), void *argument,
                  seen_error *error);

/* A step begins, and ends: SEEN_ESTATE, SEEN_ECLOSED. */
int sn_helm_begin_step(sn_helm *helm, seen_error *error);
void sn_helm_end_step(sn_helm *helm);

/*
 * The caller is to end it all, and has the helm for ever: true. False:
 * another one does; it returns when that one has.
 */
bool sn_helm_close(sn_helm *helm);
bool sn_helm_is_closing(sn_helm *helm);

/* All is ended: joins the thread. */
void sn_helm_end(sn_helm *helm);

#endif
