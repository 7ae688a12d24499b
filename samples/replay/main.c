/* seen-replay: runs traces through an engine, or plays a chat log. */
#include "database.h"
#include "kept.h"
#include "options.h"

/* Each trace has a database of its own: only the last one stays. */
static outcome run_all(const replay_options *options) {
  const char *store = options->run.store;
  outcome result = OUTCOME_HELD;
  int i;

  if (store != NULL && kept_is_there(store)) {
    fprintf(stderr, "seen-replay: %s is there already\n", store);
    return OUTCOME_ERROR;
  }
  if (options->recording != NULL)
    result = run_recording(options->recording, &options->run);
  for (i = 0; i < options->file_count; i++) {
    if (store != NULL && i > 0) kept_remove(store);
    result = worse(result, run_trace(options->files[i], &options->run));
  }
  return result;
}

int main(int argc, char **argv) {
  outcome result = OUTCOME_HELD;
  replay_options options;

  switch (replay_options_parse(&options, argc, argv)) {
  case REPLAY_TRACES: result = run_all(&options); break;
  case REPLAY_LOG: result = play_log(&options.play, &options.run.end); break;
  case REPLAY_DATABASE:
    result = database_show(options.database, options.check, &options.run.end);
    break;
  case REPLAY_HELP: replay_usage(stdout); break;
  case REPLAY_WRONG:
    replay_usage(stderr);
    result = OUTCOME_ERROR;
    break;
  }
  return (int)result;
}
