#include "figure.h"

#include <stdio.h>
#include <stdlib.h>

void figure_add(figure *self, uint64_t ns) {
  if (self->count < FIGURES_MAX) self->times[self->count++] = (double)ns;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double figure_at(figure *self, unsigned percent) {
  if (self->count == 0) return 0;
  qsort(self->times, self->count, sizeof *self->times, by_size);
  return self->times[(self->count - 1) * percent / 100];
}

void figure_head(const char *title) {
  printf("\n%-52s %9s %9s %7s  %s\n", title, "us", "99 %", "ratio", "aim");
}

static void print(const char *name, figure *self) {
  printf("  %-50s %9.1f %9.1f", name, figure_at(self, 50) / 1e3,
         figure_at(self, 99) / 1e3);
}

static const char *verdict(double what, double aim) {
  return what <= aim ? "met" : "MISSED";
}

static void end(void) {
  printf("\n");
  fflush(stdout);
}

void figure_floor(const char *name, figure *self) {
  print(name, self);
  end();
}

void figure_beside(const char *name, figure *self, double floor_ns,
                   double aim) {
  double ratio = figure_at(self, 50) / floor_ns;
  print(name, self);
  printf(" %6.2fx", ratio);
  if (aim > 0) printf("  <= %.1fx %s", aim, verdict(ratio, aim));
  end();
}

void figure_within(const char *name, figure *self, double ms) {
  print(name, self);
  printf(" %7s  <= %.0f ms %s", "", ms, verdict(figure_at(self, 50) / 1e6, ms));
  end();
}

void figure_number(const char *name, double number, const char *unit,
                   double aim) {
  printf("  %-50s %9.1f %s", name, number, unit);
  if (aim > 0) printf("  <= %.0f %s", aim, verdict(number, aim));
  end();
}
