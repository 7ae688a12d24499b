/*
 * A trace as lines in memory, from a file or from a recorder.
 */
#ifndef TESTS_REPLAY_SCRIPT_H
#define TESTS_REPLAY_SCRIPT_H

#include <seen/sys/recorder.h>
#include <seen/sys/trace.h>

typedef struct script {
  seen_trace_line **lines; /* no blank ones; the first is `me` */
  size_t count;
  size_t capacity;
} script;

void script_read(script *self, const char *path);
void script_dump(script *self, seen_recorder *recorder);

/* Adds a line of text; nothing where it is blank. */
void script_add(script *self, const char *text, size_t size);

/* Adds a copy of a line. */
void script_add_line(script *self, const seen_trace_line *line);

void script_free(script *self);

/* Calls `play` with each trace of tests/traces/FOLDER, or every SEEN_SCALE-th;
 * returns how many there were. */
size_t script_each(const char *folder,
                   void (*play)(const script *trace, const char *name));

#endif
