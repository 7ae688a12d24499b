/* What two threads take to hand something over: the floor of a client. */
#ifndef BENCH_CLIENT_HANDOVER_H
#define BENCH_CLIENT_HANDOVER_H

#include "figure.h"

#include <pthread.h>
#include <semaphore.h>

/* Another thread that waits as a client does, and answers. */
typedef struct partner {
  int ends[2];
  sem_t answered;
  pthread_t thread;
} partner;

void partner_begin(partner *self);
void partner_end(partner *self);

/* There and back, once. */
void partner_ask(partner *self, figure *to);

#endif
