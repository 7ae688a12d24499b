/*
 * Lines of a trace on their way from one part of the recorder to the next.
 */
#ifndef SN_CLIENT_LINES_H
#define SN_CLIENT_LINES_H

#include <seen/sys/recorder.h>
#include <seen/sys/trace.h>

/* Takes a line that is the callee's only until it returns. */
typedef int (*sn_take_line)(const seen_trace_line *line, void *user_data,
                            seen_error *error);

/* Whatever gives lines, the same ones each time that it is asked. */
typedef struct sn_lines {
  int (*each)(void *source, sn_take_line take, void *user_data,
              seen_error *error);
  void *source;
} sn_lines;

/* Gives lines as text, by the names that are asked for. */
int sn_lines_write(sn_lines lines, seen_recorder_names names,
                   const seen_allocator *memory, seen_recorder_take take,
                   void *user_data, seen_error *error);

#endif
