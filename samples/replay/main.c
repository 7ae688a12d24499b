/* seen-replay: runs traces through an engine, or plays a chat log. */
#include "options.h"

static outcome run_all(const replay_options *options) {
  outcome result = OUTCOME_HELD;
  int i;

  for (i = 0; i < options->file_count; i++)
    result = worse(result, run_trace(options->files[i], &options->end));
  return result;
}

int main(int argc, char **argv) {
  outcome result = OUTCOME_HELD;
  replay_options options;

  switch (replay_options_parse(&options, argc, argv)) {
  case REPLAY_TRACES: result = run_all(&options); break;
  case REPLAY_LOG: result = play_log(&options.play, &options.end); break;
  case REPLAY_HELP: replay_usage(stdout); break;
  case REPLAY_WRONG:
    replay_usage(stderr);
    result = OUTCOME_ERROR;
    break;
  }
  return (int)result;
}
