/*
 * A mirror under test, spoken to in one line. Its store is one in memory, or
 * another, behind a spy that counts calls and fails them when it is told to.
 */
#ifndef TESTS_SUPPORT_MIRROR_H
#define TESTS_SUPPORT_MIRROR_H

#include <seen/sys/mirror.h>

#include "support/alloc.h"
#include "support/dump.h"

/* The calls of a store, in the order of a transaction. */
typedef enum spy_call {
  SPY_META,
  SPY_TOTALS,
  SPY_LOAD,
  SPY_BEGIN,
  SPY_PUT,
  SPY_REMOVE,
  SPY_PUT_TOTALS,
  SPY_PUT_META,
  SPY_COMMIT,
  SPY_ROLLBACK,
  SPY_CALLS
} spy_call;

typedef struct spy_store {
  seen_store store; /* first */
  seen_store *inner;
  size_t calls[SPY_CALLS]; /* that were made */
  size_t durable;          /* of begin */
  spy_call failing;        /* fails with … */
  int code;                /* … this; 0: none does */
} spy_store;

typedef struct test_mirror {
  test_alloc memory;
  seen_options options;
  spy_store spy;
  seen_mirror *mirror;
  uint64_t now;
  size_t left_out;
} test_mirror;

/* Begins at 0 with a store in memory, or with this one, which is closed at
 * the end. Nothing leaks. */
test_mirror *mirror_start(void);
test_mirror *mirror_start_with(seen_store *store);
void mirror_end(test_mirror *t);

/* Opens the mirror: asserted, or tried. */
void mirror_open(test_mirror *t);
int mirror_try(test_mirror *t, seen_error *error);

/* As a process that is killed, and started again. */
void mirror_restart(test_mirror *t);

/* Inputs at t->now; each pulls what the engine has to say. */
void mirror_feed(test_mirror *t, const seen_input *input);
void mirror_at(test_mirror *t, uint64_t now);
void mirror_row(test_mirror *t, const char *id, uint64_t read, uint64_t last);
void mirror_message(test_mirror *t, const char *id, uint64_t seq);
void mirror_say(test_mirror *t, seen_input_type type, const char *id);

/* A turn's end: asserted to go well, or with its code. */
void mirror_commit(test_mirror *t);
int mirror_commit_code(test_mirror *t);

/* All is written: what waited in the engine too. */
void mirror_write(test_mirror *t);

uint64_t mirror_unread(const test_mirror *t, const char *id);

/* What the store holds: the totals, which are the sum of the rows, and meta. */
seen_totals mirror_stored(const test_mirror *t);
void mirror_agrees(const test_mirror *t);
seen_meta mirror_stored_meta(const test_mirror *t);

/* What the engine holds of conversations, and what it shows. */
char *mirror_text(test_mirror *t);

void spy_forget(test_mirror *t);

#endif
