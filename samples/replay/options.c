#include "options.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SECONDS 31536000
#define MOST_ROWS 1000000

void replay_usage(FILE *out) {
  fputs(
      "usage: seen-replay [--store DB] [--dump OUT [--pseudonyms]] [--states]\n"
      "                   [--explain CONV] FILE...\n"
      "       seen-replay --recording PATH [the same options]\n"
      "       seen-replay --db DB [--states] [--check] [--explain CONV]\n"
      "       seen-replay --log LOG --me USER [--reader every=SECONDS,rows=N]\n"
      "                   [--write-trace OUT] [--states] [--explain CONV]\n"
      "\n"
      "Runs traces (\"-\" is the standard input) and prints what differs from\n"
      "what they expect. Exits 0 if all held, 1 if some did not, 2 for what\n"
      "can't be run. Or looks at a mirror, or plays a chat log as it came to\n"
      "one of its people.\n"
      "\n"
      "  --states           print a table of the conversations at the end\n"
      "  --explain CONV     print how its unread came about\n"
      "  --store DB         write to a database that is made for it and "
      "stays;\n"
      "                     of several traces the last one's\n"
      "  --dump OUT         write what a flight recorder recorded as a trace\n"
      "  --pseudonyms       with other names for conversations and people\n"
      "  --recording PATH   run what a recorder wrote to its files PATH-0 and\n"
      "                     PATH-1\n"
      "  --db DB            look at a mirror, without writing to it\n"
      "  --check            recount it, and print what would be corrected\n"
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

/* Where an option's value goes; NULL for one that has none. */
static const char **place_of(replay_options *options, const char *option) {
  const struct {
    const char *option;
    const char **value;
  } places[] = {{"--explain", &options->run.end.explain},
                {"--store", &options->run.store},
                {"--dump", &options->run.dump},
                {"--recording", &options->recording},
                {"--db", &options->database},
                {"--log", &options->play.log},
                {"--me", &options->play.user},
                {"--write-trace", &options->play.trace}};
  size_t i;

  for (i = 0; i < sizeof places / sizeof *places; i++)
    if (strcmp(option, places[i].option) == 0) return places[i].value;
  return NULL;
}

static bool take_switch(replay_options *options, const char *option) {
  if (strcmp(option, "--states") == 0)
    options->run.end.states = true;
  else if (strcmp(option, "--check") == 0)
    options->check = true;
  else if (strcmp(option, "--pseudonyms") == 0)
    options->run.names = SEEN_NAMES_PSEUDONYMS;
  else
    return false;
  return true;
}

/* Takes the option at `*i`, and what follows it. */
static replay_task take_option(replay_options *options, int argc, char **argv,
                               int *i) {
  const char *option = argv[*i];
  const char **value = place_of(options, option);
  bool is_reader = strcmp(option, "--reader") == 0;

  if (strcmp(option, "--help") == 0) return REPLAY_HELP;
  if (take_switch(options, option)) return REPLAY_TRACES;
  if (value == NULL && !is_reader) return wrong("unknown option", option);
  if (++*i == argc) return wrong("nothing behind", option);
  if (!is_reader)
    *value = argv[*i];
  else if (!read_habit(argv[*i], &options->play.habit))
    return wrong("not every=SECONDS,rows=N:", argv[*i]);
  return REPLAY_TRACES;
}

/* Whether it has options that only belong to a trace, and which. */
static const char *of_a_trace(const replay_options *options) {
  if (options->run.store != NULL) return "--store";
  if (options->run.dump != NULL) return "--dump";
  if (options->recording != NULL) return "--recording";
  return options->file_count > 0 ? options->files[0] : NULL;
}

static replay_task choose_traces(const replay_options *options) {
  int count = options->file_count + (options->recording != NULL);

  if (options->run.names != SEEN_NAMES_REAL && options->run.dump == NULL)
    return wrong("--pseudonyms needs", "--dump");
  if (count == 0) return wrong("nothing to run:", "FILE");
  if (options->recording != NULL && options->file_count > 0)
    return wrong("with --recording there is no", options->files[0]);
  if (options->run.dump != NULL && count > 1)
    return wrong("one trace only with", "--dump");
  return REPLAY_TRACES;
}

/* Which of the tasks it is, and whether what it needs is there. */
static replay_task choose(const replay_options *options) {
  const play_options *play = &options->play;
  const char *other = of_a_trace(options);

  if (options->check && options->database == NULL)
    return wrong("--check needs", "--db");
  if (play->log == NULL &&
      (play->user != NULL || play->trace != NULL || play->habit.rows > 0))
    return wrong("--me, --reader and --write-trace need", "--log");
  if (play->log == NULL && options->database == NULL)
    return choose_traces(options);
  if (other != NULL)
    return wrong(play->log != NULL ? "with --log there is no"
                                   : "with --db there is no",
                 other);
  if (play->log == NULL) return REPLAY_DATABASE;
  if (options->database != NULL) return wrong("with --log there is no", "--db");
  if (play->user == NULL || play->user[0] == '\0')
    return wrong("--log needs", "--me");
  return REPLAY_LOG;
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
