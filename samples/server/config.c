/*
 * Settings as one table, from which the command line, the file and the help
 * are read.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WHY_BYTES = 512 };

typedef struct setting setting;

/* Takes a text apart. False: `why` says, after `where`, what is wrong. */
typedef bool take_text(config *self, const setting *of, const char *where,
                       char *why);

static take_text take_listen, take_db, take_level, look_into;

struct setting {
  const char *name;
  const char *value; /* what the help calls it */
  size_t offset;
  size_t size;    /* of a text; 0: a number */
  uint32_t least; /* of a number */
  uint32_t highest;
  take_text *take; /* NULL: any text will do */
  const char *help;
};

#define TEXT(name, value, member, take, help)                                  \
  {                                                                            \
    name, value, offsetof(config, member), sizeof(((config *)NULL)->member),   \
        0, 0, take, help                                                       \
  }
#define NUMBER(name, member, least, highest, help)                             \
  { name, "N", offsetof(config, member), 0, least, highest, NULL, help }

#define MOST_MS 86400000u

static const setting settings[] = {
    TEXT("listen", "ADDRESS:PORT", listen, take_listen,
         "where; port 0: any that is free"),
    TEXT("db", "FILE", db, take_db, "the database; without: in memory"),
    TEXT("token-key", "FILE", token_key, look_into, "checks tokens; needed"),
    TEXT("tls-cert", "FILE", tls_cert, look_into,
         "certificates (PEM): serves TLS"),
    TEXT("tls-key", "FILE", tls_key, look_into, "their key (PEM)"),
    TEXT("origins", "LIST", origins, NULL,
         "allowed Origin headers, with commas; *: any"),
    TEXT("log-level", "LEVEL", log_level, take_level,
         "error, warn, info or debug"),
    NUMBER("connections", connections, 1, 1000000, "at once"),
    NUMBER("hello-ms", hello_ms, 10, MOST_MS, "for request and hello"),
    NUMBER("ping-ms", ping_ms, 10, MOST_MS, "of silence, then a ping"),
    NUMBER("give-up-ms", give_up_ms, 20, MOST_MS, "of silence, then closed"),
    NUMBER("drain-ms", drain_ms, 0, MOST_MS, "for last reports on SIGTERM"),
    NUMBER("poll-ms", poll_ms, 0, MOST_MS, "that a poll may wait"),
    NUMBER("peer-limit", limits.peer_limit, 2, 500,
           "members: positions for all (R4)"),
    NUMBER("roster-limit", limits.roster_limit, 2, 500,
           "members of a group: lists (R4)"),
    NUMBER("large-limit", limits.large_limit, 2, 1000000,
           "members of a large conversation"),
    NUMBER("window-ms", limits.window_ms, 0, 60000,
           "in which receipts merge (R5)"),
    NUMBER("reports-per-second", limits.reports_per_second, 1, 1000000,
           "frames of a user"),
    NUMBER("reports-burst", limits.reports_burst, 1, 1000000, "at once"),
    NUMBER("requests-per-second", limits.requests_per_second, 1, 1000000,
           "other frames of a user"),
    NUMBER("requests-burst", limits.requests_burst, 1, 1000000, "at once"),
    NUMBER("lists-per-second", limits.lists_per_second, 1, 1000000,
           "pages of readers of a user"),
    NUMBER("lists-burst", limits.lists_burst, 1, 1000000, "at once"),
    NUMBER("queue-bytes", limits.queue_bytes, 4096, 1u << 30,
           "of live frames for a slow connection"),
    NUMBER("dirty-rows", limits.dirty_rows, 1, 1000000,
           "then a slow connection resyncs"),
    NUMBER("poll-idle-ms", limits.poll_idle_ms, 1000, MOST_MS,
           "a polled connection may be silent"),
};

enum { SETTINGS = sizeof settings / sizeof *settings };

void config_init(config *self) {
  char why[WHY_BYTES];

  memset(self, 0, sizeof *self);
  strcpy(self->listen, "127.0.0.1:8420");
  take_listen(self, NULL, "", why);
  strcpy(self->log_level, "info");
  take_level(self, NULL, "", why);
  self->connections = 16000;
  self->hello_ms = 10000;
  self->ping_ms = 25000;
  self->give_up_ms = 35000;
  self->drain_ms = 500;
  self->poll_ms = 30000;
  limits_init(&self->limits);
}

static void *member_of(config *self, const setting *found) {
  return (char *)self + found->offset;
}

/* Splits `host:port`; a host with colons stands in brackets. */
static bool take_listen(config *self, const setting *of, const char *where,
                        char *why) {
  const char *colon = strrchr(self->listen, ':'), *host = self->listen;
  size_t length;
  char *end;
  long port;

  (void)of;
  if (colon == NULL || colon == host || colon[1] < '0' || colon[1] > '9')
    goto wrong;
  port = strtol(colon + 1, &end, 10);
  if (*end != '\0' || port > 65535) goto wrong;
  length = (size_t)(colon - host);
  if (*host == '[' && host[length - 1] == ']') {
    host++;
    length -= 2;
    if (length == 0) goto wrong;
  }
  memcpy(self->host, host, length);
  self->host[length] = '\0';
  self->port = (int)port;
  return true;
wrong:
  snprintf(why, WHY_BYTES, "%slisten takes ADDRESS:PORT, not '%.100s'", where,
           self->listen);
  return false;
}

/* A name that came out empty must not cost the messages of a whole run. */
static bool take_db(config *self, const setting *of, const char *where,
                    char *why) {
  (void)of;
  if (*self->db != '\0') return true;
  snprintf(why, WHY_BYTES, "%sdb names no file; without it all is in memory",
           where);
  return false;
}

static bool take_level(config *self, const setting *of, const char *where,
                       char *why) {
  (void)of;
  for (int i = 0; i < 4; i++)
    if (strcmp(self->log_level, log_level_names[i]) == 0) {
      self->level = (log_level)i;
      return true;
    }
  snprintf(why, WHY_BYTES, "%slog-level takes error, warn, info or debug",
           where);
  return false;
}

/*
 * Whether a file can be read; who reads it later does not always say why. A
 * pipe can be read once, so that it is left alone.
 */
static bool look_into(config *self, const setting *of, const char *where,
                      char *why) {
  const char *path = member_of(self, of);
  struct stat found;

  if (access(path, R_OK) == 0 && stat(path, &found) == 0) {
    if (!S_ISDIR(found.st_mode)) return true;
    errno = EISDIR;
  }
  snprintf(why, WHY_BYTES, "%s%s %.100s can't be read: %s", where, of->name,
           path, strerror(errno));
  return false;
}

void config_usage(FILE *out) {
  config usual;

  config_init(&usual);
  for (size_t i = 0; i < SETTINGS; i++) {
    const setting *each = &settings[i];
    char left[64], now[64];

    snprintf(left, sizeof left, "--%s %s", each->name, each->value);
    if (each->size == 0)
      snprintf(now, sizeof now, " (%u)",
               (unsigned)*(uint32_t *)member_of(&usual, each));
    else if (*(char *)member_of(&usual, each) != '\0')
      snprintf(now, sizeof now, " (%s)", (char *)member_of(&usual, each));
    else
      *now = '\0';
    fprintf(out, "  %-26s %s%s\n", left, each->help, now);
  }
  fputs("  --config FILE              lines `name = value` of the above; what\n"
        "                             the command line says wins\n",
        out);
}

static const setting *find(const char *name, size_t length) {
  for (size_t i = 0; i < SETTINGS; i++)
    if (strlen(settings[i].name) == length &&
        memcmp(settings[i].name, name, length) == 0)
      return &settings[i];
  return NULL;
}

static bool set_number(config *self, const setting *found, const char *value,
                       const char *where, char *why) {
  char *end;
  unsigned long long number;

  errno = 0;
  number = strtoull(value, &end, 10);
  if (*value < '0' || *value > '9' || *end != '\0' || errno != 0 ||
      number < found->least || number > found->highest) {
    snprintf(why, WHY_BYTES, "%s%s takes a number from %u to %u, not '%.60s'",
             where, found->name, (unsigned)found->least,
             (unsigned)found->highest, value);
    return false;
  }
  *(uint32_t *)member_of(self, found) = (uint32_t)number;
  return true;
}

static bool set(config *self, const setting *found, const char *value,
                const char *where, char *why) {
  if (found->size == 0) return set_number(self, found, value, where, why);
  if (strlen(value) >= found->size) {
    snprintf(why, WHY_BYTES, "%s%s is longer than %zu bytes", where,
             found->name, found->size - 1);
    return false;
  }
  strcpy((char *)member_of(self, found), value);
  return found->take == NULL || found->take(self, found, where, why);
}

/* Cuts blanks off both ends. */
static char *trim(char *text) {
  char *end = text + strlen(text);

  while (end > text && strchr(" \t\r\n", end[-1]) != NULL)
    *--end = '\0';
  return text + strspn(text, " \t");
}

static bool read_line(config *self, char *line, const char *where, char *why) {
  char *name = trim(line), *equals;
  const setting *found;

  if (*name == '\0' || *name == '#') return true;
  equals = strchr(name, '=');
  if (equals == NULL) {
    snprintf(why, WHY_BYTES, "%s'%.60s' is not `name = value`", where, name);
    return false;
  }
  *equals = '\0';
  name = trim(name);
  found = find(name, strlen(name));
  if (found == NULL) {
    snprintf(why, WHY_BYTES, "%sthere is no setting '%.60s'", where, name);
    return false;
  }
  return set(self, found, trim(equals + 1), where, why);
}

static bool read_file(config *self, const char *path, char *why) {
  FILE *file = fopen(path, "r");
  char line[8192], where[300];
  bool good = true;

  if (file == NULL) {
    snprintf(why, WHY_BYTES, "%.256s can't be read: %s", path, strerror(errno));
    return false;
  }
  for (unsigned number = 1; good && fgets(line, sizeof line, file) != NULL;
       number++) {
    snprintf(where, sizeof where, "%.256s:%u: ", path, number);
    if (strlen(line) == sizeof line - 1) {
      snprintf(why, WHY_BYTES, "%sthe line is too long", where);
      good = false;
    } else {
      good = read_line(self, line, where, why);
    }
  }
  if (good && ferror(file)) {
    snprintf(why, WHY_BYTES, "%.256s can't be read: %s", path, strerror(errno));
    good = false;
  }
  fclose(file);
  return good;
}

/* What only several settings together can be. */
static bool config_check(const config *self, char *why) {
  if (*self->token_key == '\0')
    snprintf(why, WHY_BYTES, "token-key is needed: a file that checks tokens");
  else if ((*self->tls_cert == '\0') != (*self->tls_key == '\0'))
    snprintf(why, WHY_BYTES, "tls-cert and tls-key go together");
  else if (self->give_up_ms <= self->ping_ms)
    snprintf(why, WHY_BYTES, "give-up-ms must be above ping-ms");
  else if (self->limits.poll_idle_ms <= self->poll_ms)
    snprintf(why, WHY_BYTES, "poll-idle-ms must be above poll-ms");
  else
    return true;
  return false;
}

/* The value behind the option at `*at`, or after its `=`. */
static const char *value_of(int count, char **arguments, int *at) {
  const char *equals = strchr(arguments[*at], '=');

  if (equals != NULL) return equals + 1;
  return *at + 1 < count ? arguments[++*at] : NULL;
}

static bool read_option(config *self, int count, char **arguments, int *at,
                        bool files, char *why) {
  const char *option = arguments[*at], *value;
  const char *name = strncmp(option, "--", 2) == 0 ? option + 2 : "";
  size_t length = strcspn(name, "=");
  bool is_file = length == 6 && memcmp(name, "config", 6) == 0;
  const setting *found = is_file ? NULL : find(name, length);

  if (found == NULL && !is_file) {
    snprintf(why, WHY_BYTES, "there is no option '%.60s'; --help lists them",
             option);
    return false;
  }
  value = value_of(count, arguments, at);
  if (value == NULL) {
    snprintf(why, WHY_BYTES, "%.60s needs a value", option);
    return false;
  }
  if (is_file) return !files || read_file(self, value, why);
  return files || set(self, found, value, "", why);
}

/* Files first, so that the command line wins wherever it names them. */
bool config_read(config *self, int count, char **arguments, char *why) {
  for (int pass = 0; pass < 2; pass++)
    for (int at = 0; at < count; at++)
      if (!read_option(self, count, arguments, &at, pass == 0, why))
        return false;
  return config_check(self, why);
}
