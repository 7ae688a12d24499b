/* Requests that happen once, however often they are sent (rule 2). */
#ifndef SERVER_OPS_H
#define SERVER_OPS_H

#include "core.h"

typedef enum op_state {
  OP_NEW = 0,
  OP_DONE,  /* `done` says how */
  OP_REUSED /* for something else: the error was sent */
} op_state;

typedef struct op_done {
  char code[32]; /* "" for taken */
  uint64_t seq;
} op_done;

op_state ops_find(server *self, connection *from, uint64_t id, const char *op,
                  const char *of, const char *conv, op_done *done);

/* Remembers how it was decided. */
void ops_keep(server *self, const connection *from, const char *op,
              const char *of, const char *conv, const char *code, uint64_t seq);

#endif
