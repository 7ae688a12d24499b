/* What is measured of a client. */
#ifndef BENCH_CLIENT_PARTS_H
#define BENCH_CLIENT_PARTS_H

/* From what the host says until the badge can be drawn. */
void measure_badge(void);

/* From what the host says until the server has it, and the client's word. */
void measure_report(const char *server, const char *echo);

/* Until there is a badge, what then still begins, and the memory of it all. */
void measure_start(const char *self);

/* Alone in its process: what `measure_start` runs for the memory. */
void print_memory(const char *mirror);

#endif
