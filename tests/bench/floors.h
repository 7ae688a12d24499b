/*
 * What cannot be done for less: a field updated in a dense array, and the same
 * behind a hash lookup by id. Records are as large as a conversation of the
 * engine and are visited in the same order.
 */
#ifndef BENCH_FLOORS_H
#define BENCH_FLOORS_H

#include <stddef.h>
#include <stdint.h>

typedef struct floor_record floor_record;

typedef struct floor_table {
  floor_record *records;
  const char **ids; /* by record */
  uint32_t *slots;  /* record + 1; 0: free */
  size_t mask;
} floor_table;

/* `ids` are as many as `count` and are kept, not copied. */
void floor_table_make(floor_table *table, const char **ids, size_t count);
void floor_table_free(floor_table *table);

void floor_update(floor_table *table, size_t record, uint64_t seq);
void floor_update_by_id(floor_table *table, const char *id, uint64_t seq);

#endif
