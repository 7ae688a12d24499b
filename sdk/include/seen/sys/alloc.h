/*
 * seen/sys/alloc.h: the memory that libseen uses is the host's to give.
 */
#ifndef SEEN_SYS_ALLOC_H
#define SEEN_SYS_ALLOC_H

#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Where memory comes from. Each function is called with `user_data` last, on
 * the thread that called the library, and may return NULL for "no memory":
 * the call then fails with SEEN_ENOMEM and the state is what it was before.
 */
typedef struct seen_allocator {
  /** As malloc, and aligned as malloc does; `size` is never 0. */
  void *SEEN_NULLABLE (*SEEN_NONNULL allocate)(size_t size,
                                               void *SEEN_NULLABLE user_data);
  /** As realloc; `memory` may be NULL, `size` is never 0. */
  void *SEEN_NULLABLE (*SEEN_NONNULL resize)(void *SEEN_NULLABLE memory,
                                             size_t size,
                                             void *SEEN_NULLABLE user_data);
  /** As free; `memory` may be NULL. */
  void (*SEEN_NONNULL release)(void *SEEN_NULLABLE memory,
                               void *SEEN_NULLABLE user_data);
  void *SEEN_NULLABLE user_data;
} seen_allocator;

/**
 * The allocator used where none is given: malloc, realloc and free.
 *
 * Thread: any. Ownership: static, never freed. Offline: yes.
 */
SEEN_API const seen_allocator *seen_allocator_default(void);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
