#include "server/faulty.h"

static bool fails(faulty *self, bool writes) {
  self->calls++;
  self->writes += writes;
  if (!self->fails_at || --self->fails_at) return false;
  return true;
}

#define CALL(writes, name, ...)                                                \
  faulty *self = storage_self;                                                 \
  if (fails(self, writes)) return SEEN_EIO;                                    \
  return self->inner.name(self->inner.self, __VA_ARGS__)

static int faulty_begin_turn(void *storage_self) {
  faulty *self = storage_self;
  if (fails(self, false)) return SEEN_EIO;
  return self->inner.begin(self->inner.self);
}

static int faulty_commit(void *storage_self, uint64_t version) {
  faulty *self = storage_self;
  if (fails(self, false)) return SEEN_EFULL;
  return self->inner.commit(self->inner.self, version);
}

static void faulty_rollback(void *storage_self) {
  faulty *self = storage_self;
  self->inner.rollback(self->inner.self);
}

static int faulty_get_root(void *storage_self, stored_root *found) {
  CALL(false, get_root, found);
}

static int faulty_put_incarnation(void *storage_self, const char *incarnation) {
  CALL(true, put_incarnation, incarnation);
}

static int faulty_get_user(void *storage_self, const char *user,
                           stored_user *found) {
  CALL(false, get_user, user, found);
}

static int faulty_put_user(void *storage_self, const stored_user *user) {
  CALL(true, put_user, user);
}

static int faulty_get_conversation(void *storage_self, const char *conv,
                                   stored_conversation *found) {
  CALL(false, get_conversation, conv, found);
}

static int faulty_put_conversation(void *storage_self,
                                   const stored_conversation *conv) {
  CALL(true, put_conversation, conv);
}

static int faulty_put_member(void *storage_self, const stored_member *member) {
  CALL(true, put_member, member);
}

static int faulty_each_member(void *storage_self, const char *conv,
                              void *visitor, visit_member visit) {
  CALL(false, each_member, conv, visitor, visit);
}

static int faulty_each_row(void *storage_self, const char *user, uint64_t above,
                           size_t limit, void *visitor, visit_row visit) {
  CALL(false, each_row, user, above, limit, visitor, visit);
}

static int faulty_put_message(void *storage_self,
                              const stored_message *message) {
  CALL(true, put_message, message);
}

static int faulty_get_message(void *storage_self, const char *conv,
                              uint64_t seq, stored_message *found) {
  CALL(false, get_message, conv, seq, found);
}

static int faulty_set_message(void *storage_self, const char *conv,
                              uint64_t seq, unsigned state, bool no_body) {
  CALL(true, set_message, conv, seq, state, no_body);
}

static int faulty_each_before(void *storage_self, const char *conv,
                              uint64_t before, size_t limit, void *visitor,
                              visit_message visit) {
  CALL(false, each_before, conv, before, limit, visitor, visit);
}

static int faulty_each_uncountable(void *storage_self, const char *conv,
                                   void *visitor, visit_message visit) {
  CALL(false, each_uncountable, conv, visitor, visit);
}

static int faulty_each_mention(void *storage_self, const char *conv,
                               void *visitor, visit_message visit) {
  CALL(false, each_mention, conv, visitor, visit);
}

static int faulty_each_from(void *storage_self, const char *conv,
                            const char *user, void *visitor,
                            visit_message visit) {
  CALL(false, each_from, conv, user, visitor, visit);
}

static int faulty_seq_at(void *storage_self, const char *conv, uint64_t version,
                         uint64_t *seq) {
  CALL(false, seq_at, conv, version, seq);
}

static int faulty_purge(void *storage_self, const char *conv, uint64_t floor) {
  CALL(true, purge, conv, floor);
}

static int faulty_get_op(void *storage_self, const char *user, const char *op,
                         stored_op *found) {
  CALL(false, get_op, user, op, found);
}

static int faulty_put_op(void *storage_self, const stored_op *op) {
  CALL(true, put_op, op);
}

static int faulty_expire_ops(void *storage_self, uint64_t before) {
  CALL(true, expire_ops, before);
}

static void faulty_close(void *storage_self) {
  faulty *self = storage_self;
  self->inner.close(self->inner.self);
}

void faulty_begin(faulty *self, storage inner) {
  *self = (faulty){.inner = inner};
  self->storage = (storage){
      .self = self,
      .begin = faulty_begin_turn,
      .commit = faulty_commit,
      .rollback = faulty_rollback,
      .get_root = faulty_get_root,
      .put_incarnation = faulty_put_incarnation,
      .get_user = faulty_get_user,
      .put_user = faulty_put_user,
      .get_conversation = faulty_get_conversation,
      .put_conversation = faulty_put_conversation,
      .put_member = faulty_put_member,
      .each_member = faulty_each_member,
      .each_row = faulty_each_row,
      .put_message = faulty_put_message,
      .get_message = faulty_get_message,
      .set_message = faulty_set_message,
      .each_before = faulty_each_before,
      .each_uncountable = faulty_each_uncountable,
      .each_mention = faulty_each_mention,
      .each_from = faulty_each_from,
      .seq_at = faulty_seq_at,
      .purge = faulty_purge,
      .get_op = faulty_get_op,
      .put_op = faulty_put_op,
      .expire_ops = faulty_expire_ops,
      .close = faulty_close,
  };
}
