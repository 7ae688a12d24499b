#include "ops.h"

#include "connections.h"
#include "requests.h"

#include <stdio.h>
#include <string.h>

op_state ops_find(server *self, connection *from, uint64_t id, const char *op,
                  const char *of, const char *conv, op_done *done) {
  stored_op found;
  int status =
      self->storage.get_op(self->storage.self, from->person->user, op, &found);
  if (!core_check(self, status) || status == SEEN_ENOTFOUND) return OP_NEW;
  if (strcmp(found.of, of) != 0 || strcmp(found.conv, conv) != 0) {
    refuse(from, id, "op_reused", "the op was used for something else");
    return OP_REUSED;
  }
  snprintf(done->code, sizeof done->code, "%s", found.code);
  done->seq = found.seq;
  return OP_DONE;
}

void ops_keep(server *self, const connection *from, const char *op,
              const char *of, const char *conv, const char *code,
              uint64_t seq) {
  stored_op row = {from->person->user, op, of, conv, code, seq, self->now};
  if (core_write(self))
    core_check(self, self->storage.put_op(self->storage.self, &row));
}
