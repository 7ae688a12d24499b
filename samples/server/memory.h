/*
 * Memory for a server that ends without it. What was acknowledged is durable
 * by then, so that running out is like any other crash.
 */
#ifndef SERVER_MEMORY_H
#define SERVER_MEMORY_H

#include <stddef.h>

void *must_allocate(size_t count, size_t size); /* zeroed */
void *must_resize(void *memory, size_t count, size_t size);
char *must_copy(const char *text, size_t size); /* with a NUL behind it */
char *must_copy_text(const char *text);

/* Room for one more item in an array of `capacity`. */
#define MUST_GROW(items, count, capacity)                                      \
  ((count) < (capacity) ? (items)                                              \
                        : ((capacity) = (capacity)*2 + 4,                      \
                           must_resize((items), (capacity), sizeof *(items))))

#endif
