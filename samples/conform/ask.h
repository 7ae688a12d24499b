/* Requests of HTTP, by libcurl. */
#ifndef CONFORM_ASK_H
#define CONFORM_ASK_H

#include "options.h"

typedef struct answer {
  long status; /* 0: none came */
  char *body;
  size_t length;
} answer;

/*
 * `what` is "GET /path" or "POST /path"; `token` and `body` may be NULL. The
 * answer is freed by answer_free.
 */
answer ask(const options *how, const char *what, const char *token,
           const char *body);
void answer_free(answer *self);

#endif
