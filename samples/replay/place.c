#include "place.h"

#include <stdio.h>

outcome place_differs(const place *at, const char *expected, const char *got) {
  printf("%s:%zu: expected %s, got %s\n", at->file, at->line, expected, got);
  return OUTCOME_DIFFERED;
}

outcome place_error(const place *at, const char *what) {
  printf("%s:%zu: error: %s\n", at->file, at->line, what);
  return OUTCOME_ERROR;
}

outcome worse(outcome a, outcome b) {
  return a > b ? a : b;
}
