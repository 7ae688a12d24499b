#include "core.h"

#include "memory.h"

bool core_check(server *self, int status) {
  if (status == SEEN_OK || status == SEEN_ENOTFOUND) return true;
  if (!self->failed && self->hooks.log)
    self->hooks.log(self->hooks.user_data, seen_error_text(status));
  self->failed = true;
  return false;
}

bool core_write(server *self) {
  if (self->failed) return false;
  if (!self->writing)
    self->writing = core_check(self, self->storage.begin(self->storage.self));
  return self->writing;
}

uint64_t core_next_version(server *self) {
  return ++self->version;
}

void core_add_frame(server *self, connection *from, uint64_t id,
                    bool is_hello) {
  self->turn = MUST_GROW(self->turn, self->turn_count, self->turn_capacity);
  self->turn[self->turn_count++] = (turn_frame){from, id, is_hello};
}
