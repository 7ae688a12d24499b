#include "served.h"

#include <stdio.h>
#include <stdlib.h>

enum { WHY_BYTES = 512, TOKEN_BYTES = 4096 };

bool served_import(const demo_server *server, const char *log,
                   const char *conv) {
  char db[300], line[512];
  const char *arguments[] = {"import", log, "--conv", conv, "--db", db, NULL};

  started_path(&server->on, "db", db);
  return started_ask(&server->on, arguments, line, sizeof line);
}

bool served_start(demo_server *server) {
  static const char *const settings[] = {"--window-ms", "200", "--log-level",
                                         "error", NULL};
  char why[WHY_BYTES];

  if (!started_run(&server->on, settings, why)) {
    fprintf(stderr, "seen-demo: %s\n", why);
    return false;
  }
  snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d",
           server->on.port);
  return true;
}

char *served_token(const demo_server *server, const char *user) {
  char key[300], *line = malloc(TOKEN_BYTES);
  const char *arguments[] = {"token", "--token-key", key,     "--user",
                             user,    "--ttl",       "86400", NULL};

  started_path(&server->on, "key", key);
  if (line != NULL && started_ask(&server->on, arguments, line, TOKEN_BYTES))
    return line;
  free(line);
  return NULL;
}
