#include "options.h"

#include <string.h>

void replay_usage(FILE *out) {
  fputs(
      "usage: seen-replay [--states] [--explain CONV] FILE...\n"
      "\n"
      "Runs traces (\"-\" is the standard input) and prints what differs from\n"
      "what they expect. Exits 0 if all held, 1 if some did not, 2 for a\n"
      "malformed trace.\n"
      "\n"
      "  --states        print a table of the conversations at the end\n"
      "  --explain CONV  print how its unread came about\n"
      "  --help          print this\n",
      out);
}

static replay_task wrong(const char *what, const char *argument) {
  fprintf(stderr, "seen-replay: %s '%s'\n", what, argument);
  return REPLAY_WRONG;
}

/* Takes the option at `*i`, and what follows it. */
static replay_task take_option(replay_options *options, int argc, char **argv,
                               int *i) {
  const char *option = argv[*i];

  if (strcmp(option, "--help") == 0) return REPLAY_HELP;
  if (strcmp(option, "--store") == 0)
    return wrong("this build has no database for", option);
  if (strcmp(option, "--states") == 0) {
    options->end.states = true;
    return REPLAY_TRACES;
  }
  if (strcmp(option, "--explain") != 0) return wrong("unknown option", option);
  if (++*i == argc) return wrong("no conversation behind", option);
  options->end.explain = argv[*i];
  return REPLAY_TRACES;
}

replay_task replay_options_parse(replay_options *options, int argc,
                                 char **argv) {
  int i;

  memset(options, 0, sizeof *options);
  options->files = argv;
  for (i = 1; i < argc; i++) {
    if (argv[i][0] == '-' && argv[i][1] != '\0') {
      replay_task task = take_option(options, argc, argv, &i);

      if (task != REPLAY_TRACES) return task;
    } else {
      options->files[options->file_count++] = argv[i];
    }
  }
  if (options->file_count == 0)
    return wrong("no FILE to run by", "seen-replay");
  return REPLAY_TRACES;
}
