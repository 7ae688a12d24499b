/*
 * seen-server: a reference server for read state. Without one of its commands
 * it serves.
 */
#include "commands.h"
#include "database.h"
#include "front.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

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
      "Serves the protocol seen.v1 and prints `listening on "
      "ADDRESS:PORT`.\n"
      "SIGTERM drains. The commands:\n"
      "\n"
      "  token    prints a token that lasts S seconds (3600), signed by the\n"
      "           secret, or the PEM private key, in FILE\n"
      "  check    looks over a database that no server has open; exits 0:\n"
      "           nothing was found, 1: something, 2: it can't be checked\n"
      "  restore  names the history of a database that was put back from a\n"
      "           copy anew, so that clients take it whole\n"
      "  import   fills a new conversation from a chat log\n"
      "  admin    has a server that runs carry out takedown, approve, purge\n"
      "           (of a message), disable or enable (a user)\n"
      "\n"
      "The settings:\n"
      "\n",
      out);
  config_usage(out);
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
static bool fit_files(config *self, char *why) {
  struct rlimit files;
  rlim_t wanted = (rlim_t)self->connections + SPARE_FILES;

  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return true;
  files.rlim_cur = wanted < files.rlim_max ? wanted : files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur >= wanted) return true;
  if (files.rlim_cur <= SPARE_FILES) {
    snprintf(why, WHY_BYTES, "of files at once %u are given, over %d needed",
             (unsigned)files.rlim_cur, SPARE_FILES);
    return false;
  }
  self->connections = (uint32_t)(files.rlim_cur - SPARE_FILES);
  log_event(LEVEL_WARN, "few_files", "connections=%u",
            (unsigned)self->connections);
  return true;
}

static int serve_on(const config *from, const storage *opened,
                    const token_key *key) {
  char why[WHY_BYTES];
  int result;

  serving = front_open(from, opened, key, why);
  if (serving == NULL) return commands_complain(why);
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
  if (!config_read(&settings, count, arguments, why))
    return commands_complain(why);
  log_set_level(settings.level);
  if (!fit_files(&settings, why)) return commands_complain(why);
  key = open_public_key(&settings, why);
  if (key == NULL) return commands_complain(why);
  if (database_open(settings.db, &opened, why)) {
    result = serve_on(&settings, &opened, key);
    opened.close(opened.self);
  } else {
    result = commands_complain(why);
  }
  token_key_close(key);
  return result;
}

static bool asks_for_help(int count, char **arguments) {
  for (int i = 0; i < count; i++)
    if (strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0)
      return true;
  return false;
}

int main(int count, char **arguments) {
  command *run = count > 1 ? commands_find(arguments[1]) : NULL;

  umask(077); /* what people wrote is nobody else's */
  if (asks_for_help(count - 1, arguments + 1)) {
    usage(stdout);
    return 0;
  }
  return run != NULL ? run(count - 2, arguments + 2)
                     : serve(count - 1, arguments + 1);
}
