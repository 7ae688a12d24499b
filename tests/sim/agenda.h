/*
 * Virtual time: what is going to happen, in order. Of two things at the same
 * time the one that was planned first happens first.
 */
#ifndef TESTS_SIM_AGENDA_H
#define TESTS_SIM_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sim_happening {
  SIM_ACT,      /* a: of the plan */
  SIM_DEVICE,   /* a: device; b: its life; it may have something to do */
  SIM_BOOT,     /* a: device; b: its life */
  SIM_SERVER,   /* the server may have something to do */
  SIM_COMMIT,   /* the server's turn ends */
  SIM_START,    /* the server is there again */
  SIM_DRAINED,  /* it goes */
  SIM_OPENED,   /* a: link; the client's end is open */
  SIM_UP,       /* a: link, text: a frame reaches the server */
  SIM_DOWN,     /* a: link, text: a frame reaches the client */
  SIM_PONG,     /* a: link */
  SIM_ENDED,    /* a: link, b: reason and code, for the client */
  SIM_GONE,     /* a: link; the server learns that it is gone */
  SIM_ASKED,    /* a: request, text: a request reaches the server */
  SIM_ANSWERED, /* a: request, b: status, text: the answer's body */
  SIM_RELEASE,  /* a: link; a slow link moves again */
  SIM_LOGIN,    /* a: device; b: its life: the person tries again */
  SIM_TOKEN     /* a: device; b: its life: the provider has answered */
} sim_happening;

typedef struct sim_event {
  uint64_t at;
  uint64_t order;
  sim_happening what;
  size_t a;
  uint64_t b;
  char *text; /* the agenda's until it is taken, then the taker's */
  size_t length;
} sim_event;

typedef struct sim_agenda {
  sim_event *heap;
  size_t count;
  size_t capacity;
  uint64_t order;
} sim_agenda;

void agenda_add(sim_agenda *agenda, uint64_t at, sim_happening what, size_t a,
                uint64_t b);

/* The same with a text, which is copied. */
void agenda_add_text(sim_agenda *agenda, uint64_t at, sim_happening what,
                     size_t a, uint64_t b, const char *text, size_t length);

/* Takes the next one; false: nothing is going to happen. */
bool agenda_take(sim_agenda *agenda, sim_event *event);

/* When the next one is; SEEN_NEVER: there is none. */
uint64_t agenda_next(const sim_agenda *agenda);

void agenda_free(sim_agenda *agenda);

#endif
