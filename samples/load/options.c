/*
 * The command line: one table of numbers, from which options are read, held
 * to what a load takes, and explained.
 */
#include "options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
  ALL = (1 << LOADS) - 1,
  MOST_GROUPS = 100000,
  MOST_MESSAGES = 10000000,
  MOST_SUBSCRIBED = 3200 /* 16 subscriptions of 200 messages */
};

const char *const load_names[LOADS] = {"reports", "durable", "receipts",
                                       "queries"};

typedef struct number {
  const char *name;
  size_t offset;
  uint32_t least, highest;
  unsigned loads;        /* those that take it */
  uint32_t usual[LOADS]; /* where it is not given */
  const char *help;
} number;

#define NUMBER(name, member, ...)                                              \
  { name, offsetof(options, member), __VA_ARGS__ }

static const number numbers[] = {
    NUMBER("users", users, 1, 15000, ALL, {100, 100, 400, 50},
           "virtual users, each with a connection"),
    NUMBER("members", members, 1, 100000, ALL, {100, 100, 400, 400},
           "of a group; above --users: the rest never connect"),
    NUMBER("conversations", conversations, 1, 1000, ALL, {20, 10, 4, 4},
           "of a user"),
    NUMBER("messages", messages, 1, 100000, ALL, {1000, 2000, 200, 100},
           "of a conversation; a user reports each once"),
    NUMBER("items", items, 1, 100, 1 << REPORTS, {20, 1, 1, 1}, "of a frame"),
    NUMBER("in-flight", in_flight, 1, 64, 1 << REPORTS, {4, 1, 1, 1},
           "frames of a connection without an answer"),
    NUMBER("subscribers", subscribers, 1, 100, 1 << RECEIPTS, {0, 0, 10, 0},
           "of a conversation"),
    NUMBER("rate", rate, 0, 1000000, ALL, {0, 0, 0, 0},
           "frames or queries a second; 0: the next after the answer"),
    NUMBER("duration-ms", duration_ms, 10, 3600000, ALL,
           {5000, 5000, 5000, 5000}, "of the load"),
    NUMBER("window-ms", window_ms, 0, 60000, ALL, {1000, 1000, 1000, 1000},
           "in which --start's server merges receipts"),
    NUMBER("give-up-ms", give_up_ms, 100, 600000, ALL,
           {10000, 10000, 10000, 10000}, "without an answer: it is lost"),
};

enum { NUMBERS = sizeof numbers / sizeof *numbers };

static uint32_t *member_of(options *self, const number *which) {
  return (uint32_t *)((char *)self + which->offset);
}

void options_usage(FILE *out) {
  fputs(
      "usage: seen-load LOAD --start SEEN-SERVER [OPTION VALUE]...\n"
      "       seen-load LOAD --server URL --token-key FILE [OPTION VALUE]...\n"
      "\n"
      "Virtual users put a load on a server and measure it. LOAD is one of\n"
      "\n"
      "  reports    how many reports are taken, many in a frame\n"
      "  durable    one report at a time: from the frame to its ack\n"
      "  receipts   readers of a group; subscribers are told merged counts\n"
      "  queries    counts, lists of readers, subscriptions\n"
      "\n"
      "  --start SEEN-SERVER  starts one, on a temporary database in TMPDIR\n"
      "  --server URL         ws://HOST:PORT or wss://HOST:PORT\n"
      "  --token-key FILE     signs tokens: the server's secret, or the PEM\n"
      "                       private key to the public one that it has\n"
      "  --insecure           takes any certificate\n"
      "  --usual-limits       --start's server keeps its limits of rate\n"
      "  --json               prints figures as JSON\n"
      "\n"
      "and numbers, with what stands behind them for the four loads:\n"
      "\n",
      out);
  for (size_t i = 0; i < NUMBERS; i++) {
    fprintf(out, "  --%-15s %s (", numbers[i].name, numbers[i].help);
    for (int load = 0, any = 0; load < LOADS; load++)
      if (numbers[i].loads >> load & 1)
        fprintf(out, "%s%u", any++ ? ", " : "",
                (unsigned)numbers[i].usual[load]);
    fputs(")\n", out);
  }
  fputs("\nExits 0 when it ran, 1 where the server was lost, 2 for what can't "
        "be run.\n",
        out);
}

static bool refuse(char *why, const char *what, const char *name) {
  snprintf(why, WHY_BYTES, what, name);
  return false;
}

static bool read_number(options *self, const number *which, const char *value,
                        char *why) {
  unsigned long long found;
  char *end;

  if ((which->loads >> self->load & 1) == 0) {
    snprintf(why, WHY_BYTES, "%s takes no --%s", load_names[self->load],
             which->name);
    return false;
  }
  errno = 0;
  found = strtoull(value, &end, 10);
  if (*value < '0' || *value > '9' || *end != '\0' || errno != 0 ||
      found < which->least || found > which->highest) {
    snprintf(why, WHY_BYTES, "--%s takes a number from %u to %u, not '%.60s'",
             which->name, (unsigned)which->least, (unsigned)which->highest,
             value);
    return false;
  }
  *member_of(self, which) = (uint32_t)found;
  return true;
}

static bool read_url(options *self, const char *url, char *why) {
  const char *host, *colon;
  char *end;
  long port;

  self->tls = strncmp(url, "wss://", 6) == 0;
  if (!self->tls && strncmp(url, "ws://", 5) != 0) goto wrong;
  host = strstr(url, "://") + 3;
  colon = strrchr(host, ':');
  if (colon == NULL || colon == host ||
      (size_t)(colon - host) >= sizeof self->host)
    goto wrong;
  memcpy(self->host, host, (size_t)(colon - host));
  port = strtol(colon + 1, &end, 10);
  if (port < 1 || port > 65535 || (*end != '\0' && strcmp(end, "/") != 0))
    goto wrong;
  self->port = (uint32_t)port;
  return true;
wrong:
  return refuse(why, "'%.100s' is not ws://HOST:PORT or wss://HOST:PORT", url);
}

static bool *flag_of(options *self, const char *name) {
  if (strcmp(name, "json") == 0) return &self->json;
  if (strcmp(name, "insecure") == 0) return &self->insecure;
  if (strcmp(name, "usual-limits") == 0) return &self->usual_limits;
  return NULL;
}

static const number *number_of(const char *name) {
  for (size_t i = 0; i < NUMBERS; i++)
    if (strcmp(numbers[i].name, name) == 0) return &numbers[i];
  return NULL;
}

/* An option with a value. */
static bool read_valued(options *self, const char *name, const char *value,
                        char *why) {
  const number *which = number_of(name);

  if (which != NULL) return read_number(self, which, value, why);
  if (strcmp(name, "start") == 0) {
    self->start = value;
    return true;
  }
  if (strcmp(name, "token-key") == 0) {
    self->token_key = value;
    return true;
  }
  return read_url(self, value, why);
}

static bool is_valued(const char *name) {
  return number_of(name) != NULL || strcmp(name, "start") == 0 ||
         strcmp(name, "token-key") == 0 || strcmp(name, "server") == 0;
}

static bool read_load(options *self, const char *name, char *why) {
  for (int load = 0; load < LOADS; load++)
    if (strcmp(name, load_names[load]) == 0) {
      self->load = (load_name)load;
      for (size_t i = 0; i < NUMBERS; i++)
        *member_of(self, &numbers[i]) = numbers[i].usual[load];
      return true;
    }
  return refuse(why, "there is no load '%.60s'; --help lists them", name);
}

uint32_t options_blocks(const options *self) {
  return (self->users + self->members - 1) / self->members;
}

uint32_t options_groups(const options *self) {
  return options_blocks(self) * self->conversations;
}

/* What does not fit together. */
static bool check(const options *self, bool has_window, char *why) {
  const char *wrong = NULL;

  if ((self->start == NULL) == (self->port == 0))
    wrong = "one of --start, --server is needed";
  else if (self->port != 0 && self->token_key == NULL)
    wrong = "--server needs --token-key";
  else if (self->start != NULL && self->token_key != NULL)
    wrong = "--token-key goes with --server";
  else if (self->port != 0 && has_window)
    wrong = "--window-ms goes with --start: a server that runs has its own";
  else if (self->port != 0 && self->usual_limits)
    wrong = "--usual-limits goes with --start";
  else if (self->insecure && !self->tls)
    wrong = "--insecure goes with wss://";
  else if (self->items > self->conversations)
    wrong = "--items must not be above --conversations";
  else if (options_groups(self) > MOST_GROUPS)
    wrong = "these are more than 100000 groups; --members makes them larger";
  else if ((uint64_t)options_groups(self) * self->messages > MOST_MESSAGES)
    wrong = "these are more than 10000000 messages";
  else if (self->load == RECEIPTS && self->messages > MOST_SUBSCRIBED)
    wrong = "a subscriber can't watch more than 3200 --messages";
  return wrong == NULL || refuse(why, "%s", wrong);
}

bool options_read(options *self, int count, char **arguments, char *why) {
  bool has_window = false, has_items = false;

  memset(self, 0, sizeof *self);
  if (count == 0) return refuse(why, "%s", "which load? --help lists them");
  if (!read_load(self, arguments[0], why)) return false;
  for (int i = 1; i < count; i++) {
    const char *name = arguments[i] + 2;
    bool *flag;

    if (strncmp(arguments[i], "--", 2) != 0)
      return refuse(why, "'%.60s' is no option; --help lists them",
                    arguments[i]);
    if ((flag = flag_of(self, name)) != NULL) {
      *flag = true;
      continue;
    }
    if (!is_valued(name))
      return refuse(why, "there is no option '%.60s'; --help lists them",
                    arguments[i]);
    if (++i == count)
      return refuse(why, "%.60s needs a value", arguments[i - 1]);
    has_window = has_window || strcmp(name, "window-ms") == 0;
    has_items = has_items || strcmp(name, "items") == 0;
    if (!read_valued(self, name, arguments[i], why)) return false;
  }
  if (!has_items && self->items > self->conversations)
    self->items = self->conversations;
  return check(self, has_window, why);
}
