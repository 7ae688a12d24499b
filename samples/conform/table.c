/* The table, a row as soon as it is known. */
#include "table.h"

#include <stdio.h>

void table_row(table *self, const char *group, const char *title,
               const char *why) {
  if (why == NULL)
    self->held++;
  else
    self->failed++;
  printf("%-5s  %-18s  %s\n", why == NULL ? "holds" : "FAILS", group, title);
  if (why != NULL) printf("       %s\n", why);
  fflush(stdout);
}

int table_end(const table *self) {
  printf("%u hold, %u fail\n", self->held, self->failed);
  return self->failed == 0 && self->held > 0 ? 0 : 1;
}
