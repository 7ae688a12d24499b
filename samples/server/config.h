/*
 * What can be configured: a setting is `--name VALUE` on the command line, or
 * a line `name = value` in the file that `--config` names. The command line
 * wins.
 */
#ifndef SERVER_CONFIG_H
#define SERVER_CONFIG_H

#include "log.h"
#include "state.h"

#include <stdio.h>

enum { CONFIG_PATH_BYTES = 1024 };

typedef struct config {
  char listen[256];
  char db[CONFIG_PATH_BYTES]; /* "": in memory */
  char token_key[CONFIG_PATH_BYTES];
  char tls_cert[CONFIG_PATH_BYTES]; /* "": no TLS */
  char tls_key[CONFIG_PATH_BYTES];
  char origins[4096]; /* with commas between; "*": any */
  char log_level[16];
  uint32_t connections;
  uint32_t hello_ms;
  uint32_t ping_ms;
  uint32_t give_up_ms;
  uint32_t drain_ms;
  uint32_t poll_ms;
  struct limits limits;
  /* Taken apart. */
  char host[256];
  int port;
  log_level level;
} config;

void config_init(config *self);

/*
 * Takes what the command line says, and the file that it names. False: `why`
 * (at least 512 bytes) says what is wrong, and where.
 */
bool config_read(config *self, int count, char **arguments, char *why);

void config_usage(FILE *out);

#endif
