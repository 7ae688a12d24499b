/*
 * seen-server: a reference server for read state. Without a command it
 * serves; `token` makes a token for the key, `check` looks over a database,
 * `restore` names the history of one that was put back from a copy, `import`
 * fills a conversation from a chat log, `admin` moderates.
 */
#include "admin.h"
#include "check.h"
#include "clock.h"
#include "front.h"
#include "import.h"
#include "map.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WHY_BYTES = 512, SPARE_FILES = 64 };

static front *serving;

static void usage(FILE *out) {
  fputs(
      "usage: seen-server --token-key FILE [--SETTING VALUE]...\n"
      "       seen-server token --token-key FILE --user U [--ttl S] [--admin]\n"
      "       seen-server check --db FILE [--repair]\n"
      "       seen-server restore --db FILE\n"
      "       seen-server import LOG --conv C --db FILE\n"
      "       seen-server admin URL ACT --token T [--op OP]\n"
      "                         (--conv C --seq N | --user U)\n"
      "\n"
      "Serves the protocol seen.v1 and prints `listening on ADDRESS:PORT`. "
      "SIGTERM\n"
      "drains. `token` prints a token that lasts S seconds (3600) and is "
      "signed\n"
      "by the secret, or the PEM private key, in FILE.\n"
      "`check` looks over a database that no server has open; 0: nothing "
      "found,\n"
      "1: something, 2: it can't be checked. `restore` gives one that was put "
      "back\n"
      "from a copy the name of another history, so that clients take it "
      "whole.\n"
      "`import` fills a new conversation from a chat log. `admin` has a "
      "server\n"
      "that runs carry out takedown, approve, purge (of a message), disable "
      "or\n"
      "enable (a user).\n"
      "\n",
      out);
  config_usage(out);
}

static int complain(const char *why) {
  fprintf(stderr, "seen-server: %s\n", why);
  return 2;
}

static void on_signal(int number) {
  (void)number;
  if (serving != NULL) front_stop(serving);
}

static void catch_signals(void) {
  struct sigaction how;

  memset(&how, 0, sizeof how);
  how.sa_handler = on_signal;
  sigaction(SIGTERM, &how, NULL);
  sigaction(SIGINT, &how, NULL);
  how.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &how, NULL);
  sigaction(SIGXFSZ, &how, NULL); /* a full disk, as for everybody else */
}

/*
 * Files for as many connections, or fewer connections. The limit is lowered
 * too: libwebsockets sizes its tables by it, and finds a socket in them only
 * then without a search.
 */
static void fit_files(config *self) {
  struct rlimit files;
  rlim_t wanted = (rlim_t)self->connections + SPARE_FILES;

  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = wanted < files.rlim_max ? wanted : files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur >= wanted || files.rlim_cur <= SPARE_FILES) return;
  self->connections = (uint32_t)(files.rlim_cur - SPARE_FILES);
  log_event(LEVEL_WARN, "few_files", "connections=%u",
            (unsigned)self->connections);
}

static bool read_random(void *into, size_t size) {
  FILE *random = fopen("/dev/urandom", "rb");
  bool read = random != NULL && fread(into, 1, size, random) == size;

  if (random != NULL) fclose(random);
  return read;
}

/* The name of a new history: where a database is made, or for memory. */
static bool make_incarnation(char name[33]) {
  unsigned char bytes[16];
  bool read = read_random(bytes, sizeof bytes);

  for (size_t i = 0; read && i < sizeof bytes; i++)
    snprintf(name + 2 * i, 3, "%02x", bytes[i]);
  return read;
}

/* The lock's path, the same whatever links lead to the database. */
static bool find_lock(const char *db, bool makes, char path[PATH_MAX + 8]) {
  int file = open(db, (makes ? O_CREAT : 0) | O_RDWR | O_CLOEXEC, 0600);

  if (file < 0 || close(file) != 0 || realpath(db, path) == NULL) return false;
  strcat(path, "-lock");
  return true;
}

/*
 * One server a database: another's writes would be missing in what the state
 * part keeps in memory. The lock goes with the process, however that ends; a
 * backup may read meanwhile. The database is made where that is asked for.
 */
static bool lock_database(const char *db, bool makes, char *why) {
  char path[PATH_MAX + 8];
  int file = -1;

  if (find_lock(db, makes, path))
    file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) return true;
  snprintf(why, WHY_BYTES, "db %.200s: %s", db,
           file >= 0 ? "another server has it open" : strerror(errno));
  if (file >= 0) close(file);
  return false;
}

static bool open_storage(const config *from, storage *opened, char *why) {
  char incarnation[33];
  seen_error error;
  uint64_t seed;
  int status;

  if (!make_incarnation(incarnation) || !read_random(&seed, sizeof seed)) {
    snprintf(why, WHY_BYTES, "there is no randomness");
    return false;
  }
  map_seed(seed);
  seen_error_init(&error);
  if (*from->db != '\0' && !lock_database(from->db, true, why)) return false;
  if (*from->db == '\0')
    status = storage_memory_open(opened, incarnation);
  else
    status = storage_sqlite_open(opened, from->db, incarnation, &error);
  if (status != SEEN_OK) snprintf(why, WHY_BYTES, "db %.300s", error.message);
  return status == SEEN_OK;
}

static int serve_on(const config *from, const storage *opened,
                    const token_key *key) {
  char why[WHY_BYTES];
  int result;

  serving = front_open(from, opened, key, why);
  if (serving == NULL) return complain(why);
  catch_signals();
  printf(strchr(from->host, ':') != NULL ? "listening on [%s]:%d\n"
                                         : "listening on %s:%d\n",
         from->host, front_port(serving));
  fflush(stdout);
  log_event(LEVEL_INFO, "ready", "port=%d db=\"%s\"", front_port(serving),
            from->db);
  result = front_run(serving);
  front_close(serving);
  serving = NULL;
  return result;
}

static token_key *open_public_key(const config *from, char *why) {
  token_key *key = token_key_open(from->token_key, why);

  if (key == NULL || token_key_can_check(key)) return key;
  snprintf(why, WHY_BYTES,
           "token-key %.256s is no public key: a server takes "
           "that, the private one stays with who signs",
           from->token_key);
  token_key_close(key);
  return NULL;
}

static int serve(int count, char **arguments) {
  static config settings;
  char why[WHY_BYTES];
  token_key *key;
  storage opened;
  int result;

  config_init(&settings);
  if (!config_read(&settings, count, arguments, why)) return complain(why);
  log_set_level(settings.level);
  fit_files(&settings);
  key = open_public_key(&settings, why);
  if (key == NULL) return complain(why);
  if (open_storage(&settings, &opened, why)) {
    result = serve_on(&settings, &opened, key);
    opened.close(opened.self);
  } else {
    result = complain(why);
  }
  token_key_close(key);
  return result;
}

typedef struct wanted_token {
  const char *key, *user;
  int64_t ttl_s;
  bool admin;
} wanted_token;

static bool read_wanted(int count, char **arguments, wanted_token *wanted) {
  for (int i = 0; i < count; i++) {
    const char *name = arguments[i], *value = NULL;
    char *end;

    if (strcmp(name, "--admin") == 0) {
      wanted->admin = true;
      continue;
    }
    if (i + 1 == count) return false;
    value = arguments[++i];
    if (strcmp(name, "--token-key") == 0)
      wanted->key = value;
    else if (strcmp(name, "--user") == 0)
      wanted->user = value;
    else if (strcmp(name, "--ttl") != 0)
      return false;
    else if ((wanted->ttl_s = strtoll(value, &end, 10)) == 0 || *end != '\0' ||
             wanted->ttl_s > INT32_MAX || wanted->ttl_s < INT32_MIN)
      return false;
  }
  return wanted->key != NULL && wanted->user != NULL;
}

static int make_token(int count, char **arguments) {
  wanted_token wanted = {NULL, NULL, 3600, false};
  char why[WHY_BYTES], *text;
  token_key *key;

  if (!read_wanted(count, arguments, &wanted))
    return complain("token needs --token-key and --user, takes --ttl and "
                    "--admin");
  key = token_key_open(wanted.key, why);
  if (key == NULL) return complain(why);
  text = token_make(key, wanted.user, wanted.admin, wanted.ttl_s, clock_now());
  token_key_close(key);
  if (text == NULL) return complain("this key can't sign");
  puts(text);
  free(text);
  return 0;
}

static void print_finding(void *to, const char *line) {
  fprintf(to, "%s\n", line);
}

static int check(int count, char **arguments) {
  static config settings;
  check_report report = {print_finding, stdout, 0, 0};
  char why[WHY_BYTES], cause[WHY_BYTES / 2];
  bool repair = false;

  for (int i = 0; i < count; i++) {
    if (strcmp(arguments[i], "--repair") == 0)
      repair = true;
    else if (strcmp(arguments[i], "--db") == 0 && i + 1 < count &&
             strlen(arguments[i + 1]) < sizeof settings.db)
      snprintf(settings.db, sizeof settings.db, "%s", arguments[++i]);
    else
      return complain("check needs --db, takes --repair");
  }
  if (*settings.db == '\0') return complain("check needs --db");
  if (!lock_database(settings.db, false, why)) return complain(why);
  if (!check_file(settings.db, repair, &report, cause, sizeof cause)) {
    snprintf(why, sizeof why, "db %.200s: %s", settings.db, cause);
    return complain(why);
  }
  printf("%zu found, %zu repaired\n", report.found, report.repaired);
  return report.found != 0;
}

typedef struct wanted_import {
  const char *path, *conv;
  config settings; /* its database */
} wanted_import;

static bool read_import(int count, char **arguments, wanted_import *wanted) {
  for (int i = 0; i < count; i++) {
    if (*arguments[i] != '-' && wanted->path == NULL)
      wanted->path = arguments[i];
    else if (strcmp(arguments[i], "--conv") == 0 && i + 1 < count)
      wanted->conv = arguments[++i];
    else if (strcmp(arguments[i], "--db") == 0 && i + 1 < count &&
             strlen(arguments[i + 1]) < sizeof wanted->settings.db)
      snprintf(wanted->settings.db, sizeof wanted->settings.db, "%s",
               arguments[++i]);
    else
      return false;
  }
  return wanted->path != NULL && wanted->conv != NULL &&
         *wanted->settings.db != '\0';
}

static bool import_into(const storage *opened, const wanted_import *wanted,
                        FILE *log, import_report *report, char *why) {
  char cause[WHY_BYTES / 2];
  bool taken = import_log(log, wanted->conv, opened, clock_now(), report, cause,
                          sizeof cause);

  opened->close(opened->self);
  if (!taken) snprintf(why, WHY_BYTES, "%.200s: %s", wanted->path, cause);
  return taken;
}

/* Into memory first: a log that is refused makes no database. */
static bool import_file(const wanted_import *wanted, FILE *log,
                        import_report *report, char *why) {
  storage opened;

  if (storage_memory_open(&opened, "rehearsal") != SEEN_OK) {
    snprintf(why, WHY_BYTES, "no memory");
    return false;
  }
  return import_into(&opened, wanted, log, report, why) &&
         open_storage(&wanted->settings, &opened, why) &&
         import_into(&opened, wanted, log, report, why);
}

/* The rows stay; whoever knew them by the old name asks for all of them. */
static int rename_history(const config *of, const char *incarnation,
                          char *why) {
  stored_root root;
  storage opened;
  int status;

  if (!open_storage(of, &opened, why)) return complain(why);
  status = opened.get_root(opened.self, &root);
  if (status == SEEN_OK) status = opened.begin(opened.self);
  if (status == SEEN_OK)
    status = opened.put_incarnation(opened.self, incarnation);
  if (status == SEEN_OK) status = opened.commit(opened.self, root.version);
  opened.close(opened.self);
  if (status == SEEN_OK) return 0;
  snprintf(why, WHY_BYTES, "db %.200s: %s", of->db, seen_error_text(status));
  return complain(why);
}

static int restore(int count, char **arguments) {
  static config settings;
  char why[WHY_BYTES], incarnation[33];
  int result;

  if (count != 2 || strcmp(arguments[0], "--db") != 0 ||
      strlen(arguments[1]) >= sizeof settings.db)
    return complain("restore needs --db");
  snprintf(settings.db, sizeof settings.db, "%s", arguments[1]);
  if (access(settings.db, F_OK) != 0) return complain("there is no such db");
  if (!make_incarnation(incarnation)) return complain("there is no randomness");
  result = rename_history(&settings, incarnation, why);
  if (result == 0) printf("another history: %s\n", incarnation);
  return result;
}

static int import(int count, char **arguments) {
  static wanted_import wanted;
  char why[WHY_BYTES];
  import_report report;
  FILE *log;
  bool taken;

  if (!read_import(count, arguments, &wanted))
    return complain("import needs LOG, --conv and --db");
  if ((log = fopen(wanted.path, "r")) == NULL) {
    snprintf(why, sizeof why, "%.200s: %s", wanted.path, strerror(errno));
    return complain(why);
  }
  taken = import_file(&wanted, log, &report, why);
  fclose(log);
  if (!taken) return complain(why);
  printf("%llu messages of %llu members\n", (unsigned long long)report.messages,
         (unsigned long long)report.members);
  return 0;
}

#ifdef SERVER_WITH_ADMIN
static bool read_act(int count, char **arguments, admin_act *act) {
  char *end = NULL;

  for (int i = 0; i < count; i++) {
    const char *name = arguments[i];

    if (*name != '-') {
      if (act->url == NULL)
        act->url = name;
      else if (act->name == NULL)
        act->name = name;
      else
        return false;
      continue;
    }
    if (i + 1 == count) return false;
    name = arguments[i++];
    if (strcmp(name, "--token") == 0)
      act->token = arguments[i];
    else if (strcmp(name, "--op") == 0)
      act->op = arguments[i];
    else if (strcmp(name, "--conv") == 0)
      act->conv = arguments[i];
    else if (strcmp(name, "--user") == 0)
      act->user = arguments[i];
    else if (strcmp(name, "--seq") != 0 ||
             (act->seq = strtoull(arguments[i], &end, 10)) == 0 ||
             *end != '\0' || act->seq > SEEN_SEQ_MAX)
      return false;
  }
  return act->name != NULL && act->token != NULL &&
         (act->user != NULL) != (act->conv != NULL && act->seq != 0);
}

static int administer(int count, char **arguments) {
  admin_act act = {NULL, NULL, NULL, NULL, NULL, 0, NULL};
  char why[WHY_BYTES] = "";
  int result;

  if (!read_act(count, arguments, &act))
    return complain("admin needs URL, ACT and --token, and --conv with --seq "
                    "or --user; takes --op");
  result = admin_run(&act, clock_now(), why, sizeof why);
  if (result != 0) fprintf(stderr, "seen-server: %s: %s\n", act.name, why);
  return result;
}
#else
static int administer(int count, char **arguments) {
  (void)count;
  (void)arguments;
  return complain("admin needs libcurl, which this build was made without");
}
#endif

int main(int count, char **arguments) {
  umask(077); /* what people wrote is nobody else's */
  if (count > 1 && (strcmp(arguments[1], "--help") == 0 ||
                    strcmp(arguments[1], "-h") == 0)) {
    usage(stdout);
    return 0;
  }
  if (count > 1 && strcmp(arguments[1], "token") == 0)
    return make_token(count - 2, arguments + 2);
  if (count > 1 && strcmp(arguments[1], "check") == 0)
    return check(count - 2, arguments + 2);
  if (count > 1 && strcmp(arguments[1], "restore") == 0)
    return restore(count - 2, arguments + 2);
  if (count > 1 && strcmp(arguments[1], "import") == 0)
    return import(count - 2, arguments + 2);
  if (count > 1 && strcmp(arguments[1], "admin") == 0)
    return administer(count - 2, arguments + 2);
  return serve(count - 1, arguments + 1);
}
