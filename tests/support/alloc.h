/*
 * An allocator for tests: it counts what is held, fails when it is told to,
 * fills fresh and released memory with junk, and moves a block at each resize,
 * so that a pointer kept too long shows.
 */
#ifndef TESTS_SUPPORT_ALLOC_H
#define TESTS_SUPPORT_ALLOC_H

#include <seen/sys/alloc.h>

/* Does not move once it is initialised: `allocator` points back to it. */
typedef struct test_alloc {
  seen_allocator allocator; /* what the code under test is given */
  uint64_t calls;           /* of allocate and resize, failed ones too */
  uint64_t fail_at;         /* the call that fails, from 1; 0: none */
  bool fail_on;             /* and each one after it */
  uint64_t failures;        /* calls that were failed so far */
  size_t blocks;            /* held now */
  size_t bytes;             /* held now */
  size_t most_bytes;        /* held at one time */
} test_alloc;

void test_alloc_init(test_alloc *memory);

/* Fails one call: the n-th from now, 1 being the next; 0: none. */
void test_alloc_fail(test_alloc *memory, uint64_t n);

/* Fails the n-th call from now and all that follow. */
void test_alloc_fail_on(test_alloc *memory, uint64_t n);

/* Asserts that all was released. */
void test_alloc_check(const test_alloc *memory);

#endif
