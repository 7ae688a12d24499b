/*
 * All that an engine holds, shows and sends, as text: two engines that write
 * the same are the same.
 */
#ifndef TESTS_SUPPORT_DUMP_H
#define TESTS_SUPPORT_DUMP_H

#include <seen/sys/engine.h>

/* Text that grows; all zero is empty. */
typedef struct test_dump {
  char *text; /* never NULL once something was written */
  size_t length;
  size_t size;
} test_dump;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void test_dump_say(test_dump *dump, const char *format, ...);
void test_dump_clear(test_dump *dump);
void test_dump_free(test_dump *dump);

/* One conversation's record as the state line of a trace; false: it has none.
 */
bool test_dump_record(test_dump *dump, seen_engine *engine, seen_conv conv);

/* One conversation: record, state, mentions, receipts, what is in work. */
void test_dump_conv(test_dump *dump, seen_engine *engine, seen_conv conv);

/* Every conversation, the list, totals, metrics and the next deadline. */
void test_dump_engine(test_dump *dump, seen_engine *engine);

/* One line an effect. */
void test_dump_effect(test_dump *dump, const seen_engine *engine,
                      const seen_effect *effect);

#endif
