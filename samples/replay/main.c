/* seen-replay: runs traces through an engine and checks what they expect. */
#include "options.h"
#include "run.h"

#include <stdio.h>

int main(int argc, char **argv) {
  outcome result = OUTCOME_HELD;
  replay_options options;
  int i;

  switch (replay_options_parse(&options, argc, argv)) {
  case REPLAY_HELP: replay_usage(stdout); return OUTCOME_HELD;
  case REPLAY_WRONG: replay_usage(stderr); return OUTCOME_ERROR;
  case REPLAY_TRACES: break;
  }
  for (i = 0; i < options.file_count; i++)
    result = worse(result, run_trace(options.files[i], &options.end));
  return (int)result;
}
