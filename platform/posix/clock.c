/* Time: one clock that only rises, and the date. */
#define _POSIX_C_SOURCE 200809L

#include "base/platform.h"

#include <time.h>

uint64_t sn_platform_clock(void) {
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void sn_platform_date(char date[SN_DATE_MAX]) {
  time_t now = time(NULL);
  struct tm parts;
  if (!gmtime_r(&now, &parts) ||
      !strftime(date, SN_DATE_MAX, "%Y%m%dT%H%M%SZ", &parts))
    date[0] = '\0';
}
