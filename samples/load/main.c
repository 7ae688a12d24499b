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
  if (how.start != NULL && !started_open(&on, &how, why))
    return complain(2, why);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  result = measure(&how, how.start != NULL ? &on : NULL);
  curl_global_cleanup();
  if (how.start != NULL) started_close(&on);
  return result;
}
