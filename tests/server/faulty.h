/*
 * A storage over another one that counts writes, and fails when it is told.
 */
#ifndef TESTS_SERVER_FAULTY_H
#define TESTS_SERVER_FAULTY_H

#include "storage.h"

typedef struct faulty {
  storage storage; /* what the server gets */
  storage inner;
  uint64_t writes;
  uint64_t calls;
  uint64_t fails_at; /* the n-th call from now on, once; 0: never */
} faulty;

/* Takes the inner storage over; stays where it is. */
void faulty_begin(faulty *self, storage inner);

#endif
