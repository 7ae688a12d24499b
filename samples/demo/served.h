/* The demo's server: what it is filled with, and who may come in. */
#ifndef DEMO_SERVED_H
#define DEMO_SERVED_H

#include "started.h"

typedef struct demo_server {
  started on;
  char url[64];
} demo_server;

/* Fills a conversation from a chat log, before the server runs. */
bool served_import(const demo_server *server, const char *log,
                   const char *conv);

/* Starts it, on the port that it had. */
bool served_start(demo_server *server);

/* A token for a user; the caller frees it. NULL: none. */
char *served_token(const demo_server *server, const char *user);

#endif
