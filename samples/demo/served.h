/*
 * A seen-server of the demo's own: on a free loopback port, with a database
 * in a temporary folder. It can be killed and started again.
 */
#ifndef DEMO_SERVED_H
#define DEMO_SERVED_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct demo_server {
  const char *program;
  char folder[256];
  char url[64];
  int port;  /* 0: any that is free */
  pid_t pid; /* 0: it does not run */
  int out;
} demo_server;

/* A folder and a key; false where they can't be made. */
bool served_prepare(demo_server *served, const char *program);

/* Fills a conversation from a chat log, before the server runs. */
bool served_import(const demo_server *served, const char *log,
                   const char *conv);

/* Starts it, on the port that it had. */
bool served_start(demo_server *served);

/* Ends it at once, as a power failure of its machine would. */
void served_kill(demo_server *served);

/* A token for a user; the caller frees it. NULL: none. */
char *served_token(const demo_server *served, const char *user);

/* A path in its folder. */
void served_path(const demo_server *served, const char *name, char path[300]);

/* Ends it and removes its folder. */
void served_end(demo_server *served);

#endif
