/* The command line of seen-replay. */
#ifndef REPLAY_OPTIONS_H
#define REPLAY_OPTIONS_H

#include "play.h"
#include "run.h"

#include <stdio.h>

typedef enum replay_task {
  REPLAY_TRACES,
  REPLAY_LOG,
  REPLAY_DATABASE,
  REPLAY_HELP,
  REPLAY_WRONG /* what is wrong was printed */
} replay_task;

typedef struct replay_options {
  run_options run;
  play_options play;
  const char *recording; /* a recorder's files, played as a trace */
  const char *database;
  bool check;   /* it */
  char **files; /* in argv, which is reordered for it */
  int file_count;
} replay_options;

replay_task replay_options_parse(replay_options *options, int argc,
                                 char **argv);
void replay_usage(FILE *out);

#endif
