/*
 * `seen-server admin`: one act of an admin on a server that runs, by
 * POST /im/frames with an admin's token.
 */
#ifndef SERVER_ADMIN_H
#define SERVER_ADMIN_H

#include <stddef.h>
#include <stdint.h>

typedef struct admin_act {
  const char *url;   /* "http://127.0.0.1:8080" */
  const char *token; /* an admin's */
  const char *op;    /* NULL: a new one. The same one is carried out once */
  const char *name;  /* takedown, approve, purge, disable, enable */
  const char *conv;  /* of the first three, with `seq` */
  uint64_t seq;
  const char *user; /* of the others */
} admin_act;

/* 0: done; 1: refused; 2: no answer. `why` says what or why. */
int admin_run(const admin_act *act, uint64_t now, char *why, size_t why_bytes);

#endif
