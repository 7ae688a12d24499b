/* What seen-conform is asked to do. */
#ifndef CONFORM_OPTIONS_H
#define CONFORM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct options {
  char host[256];
  int port;
  bool tls;
  bool insecure;             /* any certificate is taken */
  const char *token_key;     /* the secret of HS256; or */
  const char *token_command; /* prints a token for $SEEN_USER */
  const char *only;          /* vectors whose title has this in it */
  const char *patience;      /* as it was said, or NULL */
  int patience_ms;           /* for what has to come */
  char **files;
  int count;
} options;

/* False: `why` (at least 256 bytes) says what is wrong. */
bool options_read(options *self, int count, char **arguments, char *why);

void options_usage(FILE *out);

#endif
