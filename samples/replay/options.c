#include "options.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SECONDS 31536000
#define MOST_ROWS 1000000

void replay_usage(FILE *out) {
  fputs(
      "usage: seen-replay [--states] [--explain CONV] FILE...\n"
      "       seen-replay --log LOG --me USER [--reader every=SECONDS,rows=N]\n"
      "                   [--write-trace OUT] [--states] [--explain CONV]\n"
      "\n"
      "Runs traces (\"-\" is the standard input) and prints what differs from\n"
      "what they expect. Exits 0 if all held, 1 if some did not, 2 for what\n"
      "can't be run. Or plays a chat log as it came to one of its people.\n"
      "\n"
      "  --states           print a table of the conversations at the end\n"
      "  --explain CONV     print how its unread came about\n"
      "  --log LOG          the chat, a conversation named as the file\n"
      "  --me USER          whose client it is\n"
      "  --reader every=SECONDS,rows=N\n"
      "                     the person comes back every so often and scrolls\n"
      "                     by N rows to the end; left out: never\n"
      "  --write-trace OUT  write what was done as a trace\n"
      "  --help             print this\n",
      out);
}

static replay_task wrong(const char *what, const char *argument) {
  fprintf(stderr, "seen-replay: %s '%s'\n", what, argument);
  return REPLAY_WRONG;
}

/* Reads NAME=NUMBER at `*text` and moves behind it. */
static bool read_part(const char **text, const char *name, uint64_t most,
                      uint64_t *number) {
  size_t size = strlen(name);
  char *end;

  if (strncmp(*text, name, size) != 0 || (*text)[size] != '=') return false;
  *text += size + 1;
  if (**text < '0' || **text > '9') return false;
  *number = strtoull(*text, &end, 10);
  *text = end;
  return *number > 0 && *number <= most;
}

static bool read_habit(const char *text, reader_habit *habit) {
  uint64_t every;

  if (!read_part(&text, "every", MOST_SECONDS, &every) || *text++ != ',' ||
      !read_part(&text, "rows", MOST_ROWS, &habit->rows) || *text != '\0')
    return false;
  habit->every_ms = every * 1000;
  return true;
}

/* Takes an option that has a value. */
static replay_task take_value(replay_options *options, const char *option,
                              const char *value) {
  if (strcmp(option, "--explain") == 0)
    options->end.explain = value;
  else if (strcmp(option, "--log") == 0)
    options->play.log = value;
  else if (strcmp(option, "--me") == 0)
    options->play.user = value;
  else if (strcmp(option, "--write-trace") == 0)
    options->play.trace = value;
  else if (!read_habit(value, &options->play.habit))
    return wrong("not every=SECONDS,rows=N:", value);
  return REPLAY_TRACES;
}

static bool has_value(const char *option) {
  static const char *const names[] = {"--explain", "--log", "--me",
                                      "--write-trace", "--reader"};
  size_t i;

  for (i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(option, names[i]) == 0) return true;
  return false;
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
  if (!has_value(option)) return wrong("unknown option", option);
  if (++*i == argc) return wrong("nothing behind", option);
  return take_value(options, option, argv[*i]);
}

/* Which of the two tasks it is, and whether what it needs is there. */
static replay_task choose(const replay_options *options) {
  const play_options *play = &options->play;

  if (play->log == NULL) {
    if (play->user != NULL || play->trace != NULL || play->habit.rows > 0)
      return wrong("--me, --reader and --write-trace need", "--log");
    return options->file_count > 0 ? REPLAY_TRACES
                                   : wrong("nothing to run:", "FILE");
  }
  if (play->user == NULL || play->user[0] == '\0')
    return wrong("--log needs", "--me");
  return options->file_count == 0
             ? REPLAY_LOG
             : wrong("with --log there is no", options->files[0]);
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
  return choose(options);
}
