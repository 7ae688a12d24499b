/*
 * Settings: the first line is the command line, cut at its spaces; the rest is
 * a file.
 */
#include "fuzz/target.h"

#include "config.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 20, WHY_BYTES = 512 };

static void check(const config *self) {
  REQUIRE(self->port >= 0 && self->port <= 65535 && *self->host != '\0');
  REQUIRE(*self->token_key != '\0');
  REQUIRE(self->give_up_ms > self->ping_ms);
  REQUIRE(self->limits.poll_idle_ms > self->poll_ms);
  REQUIRE(self->limits.peer_limit >= 2 && self->limits.peer_limit <= 500);
  REQUIRE(self->limits.reports_burst >= 1);
}

/* `--config=` and the file, then the words of the line. */
static int take_apart(char *line, char **arguments) {
  int count = 1;

  for (char *word = strtok(line, " "); word != NULL && count < MOST_ARGUMENTS;
       word = strtok(NULL, " "))
    arguments[count++] = word;
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const uint8_t *end = size > 0 ? memchr(bytes, '\n', size) : NULL;
  size_t first = end != NULL ? (size_t)(end - bytes) : size;
  char *line = target_text(bytes, first);
  char *arguments[MOST_ARGUMENTS];
  char option[300] = "--config=";
  char why[WHY_BYTES] = "";
  config self;

  /* No other file of the machine is read. */
  if (strstr(line, "config") == NULL) {
    strcat(option, target_file(bytes + first, size - first));
    arguments[0] = option;
    config_init(&self);
    if (config_read(&self, take_apart(line, arguments), arguments, why))
      check(&self);
    else
      REQUIRE(*why != '\0' && memchr(why, '\0', sizeof why) != NULL);
  }
  free(line);
  return 0;
}
