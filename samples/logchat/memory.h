/* Memory for programs that give up without it. */
#ifndef LOGCHAT_MEMORY_H
#define LOGCHAT_MEMORY_H

#include <stddef.h>

void *must_allocate(size_t count, size_t size); /* zeroed */
void *must_resize(void *memory, size_t count, size_t size);
char *must_copy(const char *text, size_t size); /* with a NUL behind it */

/* Room for one more item in an array of `*capacity`. */
#define MUST_GROW(items, count, capacity)                                      \
  ((count) < (capacity) ? (items)                                              \
                        : ((capacity) = (capacity)*2 + 8,                      \
                           must_resize((items), (capacity), sizeof *(items))))

#endif
