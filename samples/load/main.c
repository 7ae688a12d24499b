/*
 * seen-load: what a server of seen.v1 takes, by virtual users over real
 * sockets.
 */
#include "environment.h"
#include "figures.h"
#include "phases.h"

#include <curl/curl.h>
#include <string.h>

static int complain(int result, const char *why) {
  fprintf(stderr, "seen-load: %s\n", why);
  return result;
}

static int measure(const options *how, const started *on) {
  static figures told;
  char why[WHY_BYTES];
  int result = phases_run(how, &told, why);
  cJSON *tree;

  if (result == 0) {
    tree = figures_tree(&told, how, environment_tree(on));
    figures_print(tree, how->json, stdout);
    cJSON_Delete(tree);
  } else {
    complain(result, why);
  }
  cJSON_Delete(told.own);
  return result;
}

/* A server of our own, of which `how` is told the port and the key. */
static bool start(started *on, options *how, char *why) {
  static const char *const lifted[] = {
      "--reports-per-second", "--reports-burst",    "--requests-per-second",
      "--requests-burst",     "--lists-per-second", "--lists-burst"};
  static char key[300];
  const char *settings[32] = {"--drain-ms", "0", "--log-level", "warn",
                              "--window-ms"};
  size_t count = 5;
  char window[16], cause[WHY_BYTES];

  snprintf(window, sizeof window, "%u", (unsigned)how->window_ms);
  settings[count++] = window;
  for (size_t i = 0; !how->usual_limits && i < sizeof lifted / sizeof *lifted;
       i++) {
    settings[count++] = lifted[i];
    settings[count++] = "1000000";
  }
  if (!started_prepare(on, how->start, "seen-load", cause) ||
      !started_run(on, settings, cause)) {
    snprintf(why, WHY_BYTES, "--start %.400s", cause);
    started_close(on);
    return false;
  }
  started_path(on, "key", key);
  how->token_key = key;
  strcpy(how->host, "127.0.0.1");
  how->port = (uint32_t)on->port;
  return true;
}

int main(int count, char **arguments) {
  char why[WHY_BYTES];
  started on;
  options how;
  int result;

  if (count > 1 && strcmp(arguments[1], "--help") == 0) {
    options_usage(stdout);
    return 0;
  }
  if (!options_read(&how, count - 1, arguments + 1, why))
    return complain(2, why);
  phases_catch_signals();
  if (how.start != NULL && !start(&on, &how, why)) return complain(2, why);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  result = measure(&how, how.start != NULL ? &on : NULL);
  curl_global_cleanup();
  if (how.start != NULL) started_close(&on);
  return result;
}
