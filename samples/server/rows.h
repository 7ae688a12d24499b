/* The names of a user's rows, copied out of the storage. */
#ifndef SERVER_ROWS_H
#define SERVER_ROWS_H

#include "core.h"

typedef struct row_name {
  char *conv;
  uint64_t version;
  uint64_t last_seq;
  uint64_t read_seq;
  uint64_t leave_seq;
} row_name;

typedef struct rows {
  row_name *rows;
  size_t count;
  size_t capacity;
} rows;

/* Those above a version, by rising version. */
void rows_of(server *self, const char *user, uint64_t above, size_t limit,
             rows *into);
void rows_free(rows *self);

#endif
