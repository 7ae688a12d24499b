/* Waiting for what another thread or process brings about, with a bound. */
#ifndef TESTS_SUPPORT_WAIT_H
#define TESTS_SUPPORT_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Asks again and again, for what no event tells; true as soon as it is so. */
bool test_wait_until(bool (*is_so)(void *argument), void *argument,
                     uint32_t most_ms);

/* What this process has open, and how many threads it is. */
size_t test_count_descriptors(void);
size_t test_count_threads(void);

/* As many as there are where only this one runs. */
size_t test_count_threads_alone(void);

#endif
