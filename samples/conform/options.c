/* The command line. */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WHY_BYTES = 256, PATIENCE_MS = 3000, MOST_MS = 3600000 };

void options_usage(FILE *out) {
  fputs(
      "usage: seen-conform URL (--token-key FILE | --token-command COMMAND)\n"
      "                    [--only TEXT] [--insecure] [--patience-ms MS]\n"
      "                    VECTORS...\n"
      "\n"
      "Plays vectors (docs/vectors/*.jsonl) and the rules of the transport\n"
      "against the server at URL, ws://HOST:PORT or wss://HOST:PORT, and "
      "prints\n"
      "what holds. Exits 0 if all did, 1 if some did not, 2 for what can't be\n"
      "run.\n"
      "\n"
      "  --token-key FILE         the secret with which the server checks\n"
      "                           tokens (HS256)\n"
      "  --token-command COMMAND  a shell command that prints a token for the\n"
      "                           user $SEEN_USER, an admin's where $SEEN_ADMIN"
      "\n"
      "                           is 1\n"
      "  --only TEXT              only what has TEXT in its title\n"
      "  --insecure               takes any certificate\n"
      "  --patience-ms MS         how long what has to come is waited for; "
      "3000\n",
      out);
}

static bool read_url(options *self, const char *url, char *why) {
  const char *host = url, *colon;
  char *end;
  long port;

  if (strncmp(url, "wss://", 6) == 0)
    self->tls = true;
  else if (strncmp(url, "ws://", 5) != 0)
    goto wrong;
  host = strstr(url, "://") + 3;
  colon = strrchr(host, ':');
  if (colon == NULL || colon == host ||
      (size_t)(colon - host) >= sizeof self->host)
    goto wrong;
  memcpy(self->host, host, (size_t)(colon - host));
  port = strtol(colon + 1, &end, 10);
  self->port = (int)port;
  if (port > 0 && port < 65536 && (*end == '\0' || strcmp(end, "/") == 0))
    return true;
wrong:
  snprintf(why, WHY_BYTES, "'%.100s' is not ws://HOST:PORT", url);
  return false;
}

static const char **text_option(options *self, const char *name) {
  if (strcmp(name, "--token-key") == 0) return &self->token_key;
  if (strcmp(name, "--token-command") == 0) return &self->token_command;
  if (strcmp(name, "--only") == 0) return &self->only;
  if (strcmp(name, "--patience-ms") == 0) return &self->patience;
  return NULL;
}

static bool read_patience(options *self, char *why) {
  char *end;
  long ms;

  self->patience_ms = PATIENCE_MS;
  if (self->patience == NULL) return true;
  ms = strtol(self->patience, &end, 10);
  self->patience_ms = (int)ms;
  if (ms > 0 && ms <= MOST_MS && *end == '\0') return true;
  snprintf(why, WHY_BYTES, "--patience-ms takes a number from 1 to %d",
           MOST_MS);
  return false;
}

bool options_read(options *self, int count, char **arguments, char *why) {
  const char *url = NULL, **text;

  memset(self, 0, sizeof *self);
  self->files = arguments;
  for (int i = 0; i < count; i++) {
    const char *each = arguments[i];

    if (strcmp(each, "--insecure") == 0) {
      self->insecure = true;
    } else if ((text = text_option(self, each)) != NULL) {
      if (++i == count) {
        snprintf(why, WHY_BYTES, "%s needs a value", each);
        return false;
      }
      *text = arguments[i];
    } else if (strncmp(each, "--", 2) == 0) {
      snprintf(why, WHY_BYTES, "there is no option '%.60s'", each);
      return false;
    } else if (url == NULL) {
      url = each;
    } else if (access(each, R_OK) != 0) {
      snprintf(why, WHY_BYTES, "%.150s: %s", each, strerror(errno));
      return false;
    } else {
      self->files[self->count++] = arguments[i];
    }
  }
  if (url == NULL) {
    snprintf(why, WHY_BYTES, "which server? --help says how to ask");
    return false;
  }
  if ((self->token_key == NULL) == (self->token_command == NULL)) {
    snprintf(why, WHY_BYTES, "one of --token-key, --token-command is needed");
    return false;
  }
  return read_patience(self, why) && read_url(self, url, why);
}
