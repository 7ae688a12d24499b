/* What was measured of one thing, and how it is printed beside another. */
#ifndef BENCH_CLIENT_FIGURE_H
#define BENCH_CLIENT_FIGURE_H

#include <stddef.h>
#include <stdint.h>

enum { FIGURES_MAX = 4096 };

/* Times in ns, of all rounds. */
typedef struct figure {
  double times[FIGURES_MAX];
  size_t count;
} figure;

void figure_add(figure *self, uint64_t ns);

/* The time that so many of a hundred did not pass. */
double figure_at(figure *self, unsigned percent);

void figure_head(const char *title);

/* A floor, or a figure without one: median and 99 of a hundred, in µs. */
void figure_floor(const char *name, figure *self);

/* The same beside its floor; an aim of 0 is none. */
void figure_beside(const char *name, figure *self, double floor_ns, double aim);

/* The same beside an aim in ms. */
void figure_within(const char *name, figure *self, double ms);

/* A plain number beside an aim; 0: none. */
void figure_number(const char *name, double number, const char *unit,
                   double aim);

#endif
