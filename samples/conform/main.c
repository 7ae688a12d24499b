/*
 * seen-conform: whether a server keeps the protocol seen.v1, by what it
 * answers over the network.
 */
#include "token.h"
#include "transport.h"
#include "vectors.h"

#include <curl/curl.h>
#include <string.h>

static int complain(const char *why) {
  fprintf(stderr, "seen-conform: %s\n", why);
  return 2;
}

/* Whether there is a token and a server at all: else nothing is tested. */
static bool is_there(const options *how, peers *all, char why[256]) {
  char token[TOKEN_BYTES];
  peer *first;
  bool open;

  if (!token_for(how, "seen-conform", false, 60, token)) {
    snprintf(why, 256, "no token came of %.200s",
             how->token_key != NULL ? how->token_key : how->token_command);
    return false;
  }
  first = peer_open(all, "first", token);
  open = peer_is_open(first);
  peer_close(first);
  if (!open)
    snprintf(why, 256, "no WebSocket can be opened at %.100s:%d", how->host,
             how->port);
  return open;
}

static int check(const options *how, peers *all) {
  table results = {0, 0};
  char why[256];
  names fresh;

  if (!is_there(how, all, why)) return complain(why);
  if (!names_open(&fresh)) return complain("there is no randomness");
  transport_check(how, all, &fresh, &results);
  for (int i = 0; i < how->count; i++)
    if (!vectors_play(how, all, &fresh, &results, how->files[i], why)) {
      names_close(&fresh);
      return complain(why);
    }
  names_close(&fresh);
  if (results.held + results.failed == 0)
    return complain("no title has what --only says");
  return table_end(&results);
}

int main(int count, char **arguments) {
  options how;
  char why[256];
  peers *all;
  int result;

  if (count > 1 && strcmp(arguments[1], "--help") == 0) {
    options_usage(stdout);
    return 0;
  }
  if (!options_read(&how, count - 1, arguments + 1, why)) return complain(why);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  all = peers_open(&how);
  if (all == NULL) return complain("there is no network");
  result = check(&how, all);
  peers_close(all);
  curl_global_cleanup();
  return result;
}
