/*
 * A client that a script leads: it says on its standard output how its link
 * is, and does what the lines of its standard input say. For foreign_test.py.
 *
 *   puppet USER TOKEN URL SERVER_PORT [CA_FILE [PINNED_KEY]]
 *
 * agree       compares it with the server until they are the same
 * token TEXT  gives a token
 * network     the network is another one
 * end         ends it
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <poll.h>
#include <unistd.h>

#include <libwebsockets.h>

#include <seen/client.h>

#include "base/platform.h"
#include "client_net/recount.h"

enum { AGREE_MS = 30000, STEP_MS = 10 };

typedef struct puppet {
  seen_client *client;
  test_server server; /* its port alone */
  const char *token;
} puppet;

static void hear(const seen_event *event, void *user_data) {
  static const char *const names[] = {"off",     "connecting",   "online",
                                      "waiting", "unauthorized", "disabled"};
  const seen_connection_state *now = &event->u.connection;
  (void)user_data;
  if (event->type == SEEN_EVENT_TOKEN) {
    printf("token\n");
  } else if (event->type == SEEN_EVENT_CONNECTION) {
    printf("%s cause %d code %u synced %d portal %d\n", names[now->connection],
           (int)now->cause, (unsigned)now->code, now->synced, now->portal);
  }
  fflush(stdout);
}

static void step(puppet *self) {
  (void)seen_client_step(self->client, STEP_MS, NULL);
  (void)seen_client_dispatch(self->client);
}

static void agree(puppet *self) {
  uint64_t end = sn_platform_clock() + AGREE_MS;
  seen_metrics metrics = {.size = sizeof metrics};
  test_dump why = {0};
  recount of;
  do {
    test_dump_clear(&why);
    step(self);
    if (!recount_ask(&self->server, self->token, &of)) {
      test_dump_say(&why, "# the server does not answer\n");
      continue;
    }
    recount_compare(&of, "it", self->client, &why);
    recount_free(&of);
  } while (why.length && sn_platform_clock() < end);
  seen_client_metrics(self->client, &metrics);
  if (metrics.unread_drift) test_dump_say(&why, "# a count drifted\n");
  printf("%s%s\n", why.text, why.length ? "differs" : "agrees");
  fflush(stdout);
  test_dump_free(&why);
}

/* False: it is over. */
static bool obey(puppet *self, char *line) {
  char *with = strchr(line, ' ');
  if (with) *with++ = '\0';
  if (strcmp(line, "agree") == 0) agree(self);
  if (strcmp(line, "token") == 0 && with)
    (void)seen_client_token(self->client, with);
  if (strcmp(line, "network") == 0)
    (void)seen_client_network_changed(self->client);
  return strcmp(line, "end") != 0;
}

/* False: there is no more to come. */
static bool take_lines(puppet *self) {
  struct pollfd wanted = {STDIN_FILENO, POLLIN, 0};
  char line[TEST_TOKEN_MAX + 16];
  while (poll(&wanted, 1, 0) == 1) {
    if (!fgets(line, sizeof line, stdin)) return false;
    line[strcspn(line, "\n")] = '\0';
    if (!obey(self, line)) return false;
  }
  return true;
}

static void set_options(seen_client_options *options, int count, char **words) {
  seen_client_options_init(options);
  options->policy.user = words[1];
  options->policy.device = "puppet";
  options->token = words[2];
  options->url = words[3];
  options->ca_file = count > 5 ? words[5] : NULL;
  options->pinned_key = count > 6 ? words[6] : NULL;
  options->policy.fetch_wait_ms = 50;
  options->backoff_min_ms = options->backoff_max_ms = 5000;
}

int main(int count, char **words) {
  puppet self = {0};
  seen_client_options options;
  seen_error error = SEEN_ERROR_INIT;
  uint64_t number;
  if (count < 5) return 2;
  lws_set_log_level(0, NULL);
  setvbuf(stdin, NULL, _IONBF, 0); /* what poll() does not know of */
  set_options(&options, count, words);
  self.server.port = (uint16_t)strtoul(words[4], NULL, 10);
  self.token = words[2];
  if (seen_client_open(&options, &self.client, &error)) {
    printf("%s\n", error.message);
    return 1;
  }
  if (seen_client_listen(self.client, SEEN_EVENT_ALL, NULL, hear, NULL, NULL,
                         &number))
    return 1;
  do {
    step(&self);
  } while (take_lines(&self));
  seen_client_free(self.client);
  return 0;
}
