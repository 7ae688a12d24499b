/* The terminal and the time of the machine: what C itself does not have. */
#ifndef DEMO_CLOCK_H
#define DEMO_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

uint64_t clock_now_ms(void); /* monotonic */
void clock_sleep_ms(uint64_t ms);
/* One that can move its cursor. */
bool clock_has_terminal(void);

#endif
