/*
 * An engine under test, spoken to in one line: what the server says, what the
 * person does, what time it is, what was sent. It is user u1 on device d1, its
 * memory is watched, and whatever is said is asserted to be taken in.
 */
#ifndef TESTS_SUPPORT_ENGINE_H
#define TESTS_SUPPORT_ENGINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <seen/sys/engine.h>

#include "support/alloc.h"

enum { TEST_LOG_SIZE = 1 << 16 };

/* Effects as words, gathered until they are expected. */
typedef struct test_log {
  char text[TEST_LOG_SIZE];
  size_t length;
} test_log;

typedef struct test_engine {
  test_alloc memory;
  seen_options options;
  seen_engine *engine;
  uint64_t now;
  test_log sent;
  test_log stored;
  test_log told;
} test_engine;

/* Begins at 0; ends with nothing leaked. */
seen_options engine_options(void);
test_engine *engine_start(void);
test_engine *engine_start_with(const seen_options *options);
void engine_end(test_engine *t);

/* What goes on at the same time from this one's records (S6). */
test_engine *engine_restart(test_engine *t);

/* Inputs happen at t->now; at() lets time pass to then. */
void at(test_engine *t, uint64_t now);
int feed(test_engine *t, const seen_input *input);

/* The server speaks. */
seen_word word_at(uint64_t epoch, uint64_t seq, uint64_t high, uint64_t last);
void say_snapshot(test_engine *t, const char *id, seen_snapshot snapshot);
void say_row(test_engine *t, const char *id, seen_word word); /* of a group */
void say_word(test_engine *t, const char *id, seen_word word);
void say_message(test_engine *t, const char *id, uint64_t seq,
                 const char *from);
void say_message_as(test_engine *t, const char *id, seen_message message);
void say_ack(test_engine *t, const char *id, seen_request of, seen_word word);
void say_refusal(test_engine *t, const char *id, seen_request of,
                 seen_refusal why, seen_word word);
void say_found(test_engine *t, const char *id, uint64_t seq,
               seen_mention_why mention); /* NONE: does not count */
void say_peer(test_engine *t, const char *id, const char *user, uint64_t read,
              uint64_t delivered);

/* The person acts, or an input that is no more than its type. */
void say(test_engine *t, seen_input_type type, const char *id);
void say_on(test_engine *t, seen_input_type type, const char *id, bool on);
void say_visible(test_engine *t, const char *id, uint64_t lo, uint64_t hi);
void say_mark_read(test_engine *t, const char *id, uint64_t seq);
void say_mark_unread(test_engine *t, const char *id, uint64_t target);

/* What is shown; that there is a row is asserted. */
seen_state state_of(test_engine *t, const char *id);
bool has_row(test_engine *t, const char *id);
seen_totals totals_of(test_engine *t);
seen_metrics metrics_of(test_engine *t);
seen_receipt receipt_of(test_engine *t, const char *id, uint64_t seq);

/*
 * What left since the last time, in order:
 *   "report g 0:10 cleared 3 4 keep, mark_unread g 0:10 to 5, read_all,
 *    delivered g 11, fetch g, subscribe g 3-9, mute g on, resync"
 */
void expect_sent(test_engine *t, const char *sent);
/* "store g, delete h, sync" */
void expect_stored(test_engine *t, const char *stored);
/* "changed g, list, totals, drift" */
void expect_told(test_engine *t, const char *told);

#endif
