/*
 * What stands on the command line of seen-chat.
 */
#ifndef CHAT_OPTIONS_H
#define CHAT_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct chat_options {
  const char *server;
  const char *db;
  const char *device;
  const char *ca_file; /* NULL: those of the system */
  const char *proxy;
  const char *script;     /* NULL: none; "-": the standard input */
  const char *record;     /* where the flight recorder writes; NULL: nowhere */
  const char *token_file; /* NULL: the token stood on the command line */
  char *token;
  char *user; /* the token's */
  bool plain; /* print screens instead of drawing them */
  bool help;
  int width; /* of a screen that is printed */
  int height;
} chat_options;

void options_usage(FILE *out);

/* "80x24"; false where it is no size, or one that no screen has. */
bool options_read_size(const char *text, int *width, int *height);

/* False, and why, where they make no sense. */
bool options_read(chat_options *options, int count, char **arguments,
                  char why[256]);
void options_free(chat_options *options);

/* Reads the token file anew; false where it can't be read. */
bool options_read_token(chat_options *options, char why[256]);

#endif
