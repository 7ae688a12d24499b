/* Tokens, looking over a database, filling one, moderating a server. */
#include "commands.h"

#include "admin.h"
#include "arguments.h"
#include "check.h"
#include "clock.h"
#include "database.h"
#include "import.h"
#include "token.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WHY_BYTES = 512 };

int commands_complain(const char *why) {
  fprintf(stderr, "seen-server: %s\n", why);
  return 2;
}

static int complain_of(const char *what, const char *why) {
  fprintf(stderr, "seen-server: %s: %s\n", what, why);
  return 2;
}

/* A number but 0, which stands for none; up to `most` both ways. */
static bool read_number(const char *text, int64_t most, int64_t *number) {
  char *end;

  errno = 0;
  *number = strtoll(text, &end, 10);
  return errno == 0 && end != text && *end == '\0' && *number != 0 &&
         *number <= most && *number >= -most;
}

static int print_token(const char *key_file, const char *user, bool admin,
                       int64_t ttl_s) {
  char why[WHY_BYTES], *text;
  token_key *key = token_key_open(key_file, why);

  if (key == NULL) return commands_complain(why);
  text = token_make(key, user, admin, ttl_s, clock_now());
  token_key_close(key);
  if (text == NULL)
    return complain_of(key_file, "it can't sign a token for this user");
  puts(text);
  free(text);
  return 0;
}

static int make_token(int count, char **arguments) {
  const char *key = NULL, *user = NULL, *ttl = "3600";
  char why[WHY_BYTES];
  bool admin = false;
  int64_t ttl_s;
  const argument known[] = {{"--token-key", &key, NULL},
                            {"--user", &user, NULL},
                            {"--ttl", &ttl, NULL},
                            {"--admin", NULL, &admin},
                            {NULL, NULL, NULL}};

  if (!arguments_read(count, arguments, known, why))
    return commands_complain(why);
  if (key == NULL || user == NULL)
    return commands_complain("token needs --token-key and --user, takes --ttl "
                             "and --admin");
  if (!token_is_user(user))
    return complain_of("--user", "1 to 64 bytes without control characters");
  if (!read_number(ttl, INT32_MAX, &ttl_s))
    return complain_of("--ttl", "a number of seconds, not 0");
  return print_token(key, user, admin, ttl_s);
}

static void print_finding(void *to, const char *line) {
  fprintf(to, "%s\n", line);
}

static int check(int count, char **arguments) {
  check_report report = {print_finding, stdout, 0, 0};
  char why[WHY_BYTES], cause[WHY_BYTES / 2];
  const char *db = NULL;
  bool repair = false;
  const argument known[] = {
      {"--db", &db, NULL}, {"--repair", NULL, &repair}, {NULL, NULL, NULL}};

  if (!arguments_read(count, arguments, known, why))
    return commands_complain(why);
  if (db == NULL) return commands_complain("check needs --db, takes --repair");
  if (!database_lock(db, why)) return commands_complain(why);
  if (!check_file(db, repair, &report, cause, sizeof cause)) {
    snprintf(why, sizeof why, "db %.200s: %s", db, cause);
    return commands_complain(why);
  }
  printf("%zu found, %zu repaired\n", report.found, report.repaired);
  return report.found != 0;
}

/* The rows stay; whoever knew them by the old name asks for all of them. */
static int rename_history(const storage *of, const char *history) {
  stored_root root;
  int status = of->get_root(of->self, &root);

  if (status == SEEN_OK) status = of->begin(of->self);
  if (status == SEEN_OK) status = of->put_incarnation(of->self, history);
  if (status == SEEN_OK) status = of->commit(of->self, root.version);
  return status;
}

static int restore(int count, char **arguments) {
  char why[WHY_BYTES], history[33];
  const char *db = NULL;
  const argument known[] = {{"--db", &db, NULL}, {NULL, NULL, NULL}};
  storage opened;
  int status;

  if (!arguments_read(count, arguments, known, why))
    return commands_complain(why);
  if (db == NULL) return commands_complain("restore needs --db");
  if (access(db, F_OK) != 0) return complain_of(db, strerror(errno));
  if (!database_name_history(history))
    return commands_complain("there is no randomness");
  if (!database_open(db, &opened, why)) return commands_complain(why);
  status = rename_history(&opened, history);
  opened.close(opened.self);
  if (status != SEEN_OK) return complain_of(db, seen_error_text(status));
  printf("another history: %s\n", history);
  return 0;
}

static bool import_into(const storage *opened, FILE *log, const char *conv,
                        import_report *report, char *why) {
  bool taken =
      import_log(log, conv, opened, clock_now(), report, why, WHY_BYTES / 2);

  opened->close(opened->self);
  return taken;
}

/* Into memory first: a log that is refused makes no database. */
static int import_file(FILE *log, const char *path, const char *conv,
                       const char *db) {
  char why[WHY_BYTES];
  import_report report;
  storage opened;

  if (!database_open("", &opened, why)) return commands_complain(why);
  if (!import_into(&opened, log, conv, &report, why))
    return complain_of(path, why);
  if (!database_open(db, &opened, why)) return commands_complain(why);
  if (!import_into(&opened, log, conv, &report, why))
    return complain_of(path, why);
  printf("%llu messages of %llu members\n", (unsigned long long)report.messages,
         (unsigned long long)report.members);
  return 0;
}

static int import(int count, char **arguments) {
  const char *path = NULL, *conv = NULL, *db = NULL;
  const argument known[] = {{"LOG", &path, NULL},
                            {"--conv", &conv, NULL},
                            {"--db", &db, NULL},
                            {NULL, NULL, NULL}};
  char why[WHY_BYTES];
  FILE *log;
  int result;

  if (!arguments_read(count, arguments, known, why))
    return commands_complain(why);
  if (path == NULL || conv == NULL || db == NULL || *db == '\0')
    return commands_complain("import needs LOG, --conv and --db");
  if ((log = fopen(path, "r")) == NULL)
    return complain_of(path, strerror(errno));
  result = import_file(log, path, conv, db);
  fclose(log);
  return result;
}

#ifdef SERVER_WITH_ADMIN
static int administer(int count, char **arguments) {
  admin_act act = {NULL, NULL, NULL, NULL, NULL, 0, NULL};
  const char *seq = NULL;
  const argument known[] = {
      {"URL", &act.url, NULL},       {"ACT", &act.name, NULL},
      {"--token", &act.token, NULL}, {"--op", &act.op, NULL},
      {"--conv", &act.conv, NULL},   {"--seq", &seq, NULL},
      {"--user", &act.user, NULL},   {NULL, NULL, NULL}};
  char why[WHY_BYTES] = "";
  int64_t number = 0;
  int result;

  if (!arguments_read(count, arguments, known, why))
    return commands_complain(why);
  if (act.name == NULL || act.token == NULL ||
      (act.user != NULL) == (act.conv != NULL && seq != NULL))
    return commands_complain("admin needs URL, ACT and --token, and --conv "
                             "with --seq or --user; takes --op");
  if (seq != NULL && (!read_number(seq, SEEN_SEQ_MAX, &number) || number < 0))
    return complain_of("--seq", "a number of a message");
  act.seq = (uint64_t)number;
  result = admin_run(&act, clock_now(), why, sizeof why);
  if (result != 0) complain_of(act.name, why);
  return result;
}
#else
static int administer(int count, char **arguments) {
  (void)count;
  (void)arguments;
  return commands_complain("admin needs libcurl, which this build was made "
                           "without");
}
#endif

command *commands_find(const char *name) {
  static const struct {
    const char *name;
    command *run;
  } commands[] = {{"token", make_token},
                  {"check", check},
                  {"restore", restore},
                  {"import", import},
                  {"admin", administer}};

  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(commands[i].name, name) == 0) return commands[i].run;
  return NULL;
}
