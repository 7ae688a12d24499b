/*
 * The server's time: ms since 1970 as it was when the program started, and a
 * monotonic clock on top, so that it never falls (F6).
 */
#ifndef SERVER_CLOCK_H
#define SERVER_CLOCK_H

#include <stdint.h>

uint64_t clock_now(void);     /* ms */
uint64_t clock_precise(void); /* ns, from anywhere: for differences */

#endif
