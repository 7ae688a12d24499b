/*
 * How one order of a list becomes another: by the fewest moves there are.
 */
#ifndef SN_CLIENT_MOVES_H
#define SN_CLIENT_MOVES_H

#include <seen/event.h>

/* A list in display order; each handle stands in it once. */
typedef struct sn_rows {
  const seen_conv *convs;
  size_t count;
} sn_rows;

/*
 * Fills `moves` with the steps from one to the other, to be applied one after
 * the other (seen_move; ids are not filled in). `*count` becomes how many
 * there are; at most `limit` are filled in. 0 or SEEN_ENOMEM.
 */
int sn_moves_find(sn_rows before, sn_rows after, seen_move *moves, size_t limit,
                  size_t *count, const seen_allocator *memory);

#endif
