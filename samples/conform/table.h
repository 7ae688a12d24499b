/* The table of what holds. */
#ifndef CONFORM_TABLE_H
#define CONFORM_TABLE_H

#include <stdbool.h>

typedef struct table {
  unsigned held, failed;
} table;

/* A row; `why` is NULL where it holds. */
void table_row(table *self, const char *group, const char *title,
               const char *why);

/* The sum; the exit code. */
int table_end(const table *self);

#endif
