/* Records of conversations: some to write, and their text to compare. */
#ifndef TESTS_SUPPORT_RECORD_H
#define TESTS_SUPPORT_RECORD_H

#include <seen/sys/store.h>

#include "support/dump.h"

/* As the state line of a trace, with its id. */
void test_record_text(test_dump *dump, const seen_record *record);

/* Both are the same in each field. */
void test_record_check(const seen_record *got, const seen_record *wanted);

/* One with every field said and `count` items in every list. It, and what it
 * points at, is good until the next. */
const seen_record *test_record_full(const char *id, size_t count);

/* One with nothing but a position. */
seen_record test_record_plain(const char *id, uint64_t seq);

/* A row that shows so many unread. */
seen_row test_row(uint64_t unread);

#endif
