/* Floors of the same run: SQLite and a sorted array without a server. */
#ifndef BENCH_SERVER_BARE_H
#define BENCH_SERVER_BARE_H

#include <stddef.h>

/* Upserts a second, `batch` in a transaction, in a database at `path`. */
double bare_upserts(const char *path, size_t batch, size_t transactions);

/* ns of counting who read at least a seq, of `members`; by SQL's index. */
double bare_count_sql(size_t members);

/* The same by a binary search in a sorted array. */
double bare_count_tree(size_t members);

/* ns of a page of 100 who have read, by SQL's index. */
double bare_list_sql(size_t members);

#endif
