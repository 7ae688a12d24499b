/*
 * The storage in memory. Each record is one allocation that a slot points to;
 * a write replaces it and remembers the old one until the commit.
 */
#include "map.h"
#include "memory.h"
#include "storage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A slot stays where it is; what it points to is NULL where nothing is. */
typedef struct slot {
  char *key;
  void *record;
} slot;

typedef struct box {
  char *id;
  slot head;
  map members;  /* user → slot of a stored_member */
  slot **order; /* the same, in the order of their coming */
  size_t order_count;
  size_t order_capacity;
  slot **messages; /* seq − 1 → slot of a stored_message */
  size_t message_count;
  size_t message_capacity;
} box;

typedef struct change {
  slot *of;
  void *old;
} change;

typedef struct memory_storage {
  slot root; /* a stored_root; its version is not used */
  uint64_t version;
  map boxes;
  map users;    /* user → slot of a stored_user */
  map user_map; /* user → user_rows */
  map ops;      /* user, \n, op → slot of a stored_op */
  change *changes;
  size_t change_count;
  size_t change_capacity;
} memory_storage;

typedef struct user_rows {
  char *user;
  box **boxes;
  size_t count;
  size_t capacity;
} user_rows;

static slot *new_slot(const char *key) {
  slot *fresh = must_allocate(1, sizeof *fresh);
  if (key) fresh->key = must_copy_text(key);
  return fresh;
}

static slot *slot_for(map *in, const char *key) {
  slot *found = map_get(in, key);
  if (found) return found;
  found = new_slot(key);
  map_put(in, found->key, found);
  return found;
}

static void put(memory_storage *self, slot *of, void *record) {
  self->changes =
      MUST_GROW(self->changes, self->change_count, self->change_capacity);
  self->changes[self->change_count++] = (change){of, of->record};
  of->record = record;
}

/* A copy of a record with the strings of its fields behind it. */
static void *copy(const void *record, size_t size, const char **fields[],
                  size_t count) {
  size_t whole = size;
  for (size_t i = 0; i < count; i++)
    whole += *fields[i] ? strlen(*fields[i]) + 1 : 0;
  char *fresh = must_allocate(1, whole), *end = fresh + size;
  memcpy(fresh, record, size);
  for (size_t i = 0; i < count; i++) {
    size_t length = *fields[i] ? strlen(*fields[i]) + 1 : 0;
    if (!length) continue;
    const char *at = memcpy(end, *fields[i], length);
    size_t offset = (size_t)((const char *)fields[i] - (const char *)record);
    memcpy(fresh + offset, &at, sizeof at);
    end += length;
  }
  return fresh;
}

#define COPY(record, ...)                                                      \
  copy((record), sizeof *(record), (const char **[]){__VA_ARGS__},             \
       sizeof((const char **[]){__VA_ARGS__}) / sizeof(const char **))

static int memory_begin(void *self) {
  (void)self;
  return SEEN_OK;
}

static int memory_commit(void *storage_self, uint64_t version) {
  memory_storage *self = storage_self;
  for (size_t i = 0; i < self->change_count; i++)
    free(self->changes[i].old);
  self->change_count = 0;
  self->version = version;
  return SEEN_OK;
}

static void memory_rollback(void *storage_self) {
  memory_storage *self = storage_self;
  while (self->change_count) {
    change *last = &self->changes[--self->change_count];
    free(last->of->record);
    last->of->record = last->old;
  }
}

static int memory_get_root(void *storage_self, stored_root *found) {
  const memory_storage *self = storage_self;
  *found = *(const stored_root *)self->root.record;
  found->version = self->version;
  return SEEN_OK;
}

static int memory_put_incarnation(void *storage_self, const char *incarnation) {
  memory_storage *self = storage_self;
  stored_root row = {incarnation, 0};
  put(self, &self->root, COPY(&row, &row.incarnation));
  return SEEN_OK;
}

static int memory_get_user(void *storage_self, const char *user,
                           stored_user *found) {
  memory_storage *self = storage_self;
  const slot *of = map_get(&self->users, user);
  if (!of || !of->record) return SEEN_ENOTFOUND;
  *found = *(const stored_user *)of->record;
  return SEEN_OK;
}

static int memory_put_user(void *storage_self, const stored_user *user) {
  memory_storage *self = storage_self;
  stored_user row = *user;
  put(self, slot_for(&self->users, row.user), COPY(&row, &row.user));
  return SEEN_OK;
}

static box *box_for(memory_storage *self, const char *conv) {
  box *found = map_get(&self->boxes, conv);
  if (found) return found;
  found = must_allocate(1, sizeof *found);
  found->id = must_copy_text(conv);
  map_put(&self->boxes, found->id, found);
  return found;
}

static int memory_get_conversation(void *storage_self, const char *conv,
                                   stored_conversation *found) {
  memory_storage *self = storage_self;
  const box *of = map_get(&self->boxes, conv);
  if (!of || !of->head.record) return SEEN_ENOTFOUND;
  *found = *(const stored_conversation *)of->head.record;
  return SEEN_OK;
}

static int memory_put_conversation(void *storage_self,
                                   const stored_conversation *conv) {
  memory_storage *self = storage_self;
  stored_conversation row = *conv;
  put(self, &box_for(self, row.conv)->head, COPY(&row, &row.conv));
  return SEEN_OK;
}

static void add_to_user(memory_storage *self, const char *user, box *of) {
  user_rows *list = map_get(&self->user_map, user);
  if (!list) {
    list = must_allocate(1, sizeof *list);
    list->user = must_copy_text(user);
    map_put(&self->user_map, list->user, list);
  }
  list->boxes = MUST_GROW(list->boxes, list->count, list->capacity);
  list->boxes[list->count++] = of;
}

static int memory_put_member(void *storage_self, const stored_member *member) {
  memory_storage *self = storage_self;
  stored_member row = *member;
  box *of = box_for(self, row.conv);
  if (!map_get(&of->members, row.user)) {
    slot *fresh = slot_for(&of->members, row.user);
    of->order = MUST_GROW(of->order, of->order_count, of->order_capacity);
    of->order[of->order_count++] = fresh;
    add_to_user(self, row.user, of);
  }
  put(self, slot_for(&of->members, row.user),
      COPY(&row, &row.conv, &row.user, &row.excluded, &row.past,
           &row.mentions));
  return SEEN_OK;
}

static int memory_each_member(void *storage_self, const char *conv,
                              void *visitor, visit_member visit) {
  memory_storage *self = storage_self;
  const box *of = map_get(&self->boxes, conv);
  for (size_t i = 0; of && i < of->order_count; i++) {
    const stored_member *row = of->order[i]->record;
    stored_user user = {NULL, true, false, 0};
    if (!row) continue;
    memory_get_user(self, row->user, &user);
    stored_membership found = {*row, user.receipts, user.disabled};
    int status = visit(visitor, &found);
    if (status) return status;
  }
  return SEEN_OK;
}

static int by_version(const void *a, const void *b) {
  const stored_row *left = a, *right = b;
  return left->version < right->version ? -1 : left->version > right->version;
}

static stored_row row_of(const stored_conversation *conv,
                         const stored_member *of) {
  bool present = of->leave_seq == SEEN_SEQ_MAX;
  bool later = present && conv->version > of->version;
  return (stored_row){of->conv, later ? conv->version : of->version,
                      conv->last_seq, of->read.seq, of->leave_seq};
}

static int memory_each_row(void *storage_self, const char *user, uint64_t above,
                           size_t limit, void *visitor, visit_row visit) {
  memory_storage *self = storage_self;
  const user_rows *list = map_get(&self->user_map, user);
  size_t count = 0;
  int status = SEEN_OK;
  if (!list) return SEEN_OK;
  stored_row *found = must_allocate(list->count, sizeof *found);
  for (size_t i = 0; i < list->count; i++) {
    const box *of = list->boxes[i];
    const slot *member = map_get(&of->members, user);
    if (!member->record || !of->head.record) continue;
    found[count] = row_of(of->head.record, member->record);
    count += found[count].version > above;
  }
  qsort(found, count, sizeof *found, by_version);
  for (size_t i = 0; i < count && i < limit && !status; i++)
    status = visit(visitor, &found[i]);
  free(found);
  return status;
}

static slot *message_slot(memory_storage *self, const char *conv,
                          uint64_t seq) {
  const box *of = map_get(&self->boxes, conv);
  return of && seq && seq <= of->message_count ? of->messages[seq - 1] : NULL;
}

static int memory_put_message(void *storage_self,
                              const stored_message *message) {
  memory_storage *self = storage_self;
  stored_message row = *message;
  box *of = box_for(self, row.conv);
  while (of->message_count < row.seq) {
    of->messages =
        MUST_GROW(of->messages, of->message_count, of->message_capacity);
    of->messages[of->message_count++] = new_slot(NULL);
  }
  put(self, of->messages[row.seq - 1],
      COPY(&row, &row.conv, &row.from, &row.mentions, &row.body));
  return SEEN_OK;
}

static int memory_get_message(void *storage_self, const char *conv,
                              uint64_t seq, stored_message *found) {
  const slot *of = message_slot(storage_self, conv, seq);
  if (!of || !of->record) return SEEN_ENOTFOUND;
  *found = *(const stored_message *)of->record;
  return SEEN_OK;
}

static int memory_set_message(void *storage_self, const char *conv,
                              uint64_t seq, unsigned state, bool no_body) {
  stored_message row;
  if (memory_get_message(storage_self, conv, seq, &row)) return SEEN_ENOTFOUND;
  row.state = state;
  if (no_body) row.body = "";
  return memory_put_message(storage_self, &row);
}

static int memory_each_before(void *storage_self, const char *conv,
                              uint64_t before, size_t limit, void *visitor,
                              visit_message visit) {
  memory_storage *self = storage_self;
  const box *of = map_get(&self->boxes, conv);
  if (!of) return SEEN_OK;
  uint64_t seq = of->message_count;
  if (before <= seq) seq = before > 0 ? before - 1 : 0;
  for (size_t count = 0; seq > 0 && count < limit; seq--) {
    const stored_message *row = of->messages[seq - 1]->record;
    if (!row) continue;
    int status = visit(visitor, row);
    if (status) return status;
    count++;
  }
  return SEEN_OK;
}

typedef bool (*wanted)(const stored_message *row, const char *user);

static int each_wanted(memory_storage *self, const char *conv, const char *user,
                       wanted is_wanted, void *visitor, visit_message visit) {
  const box *of = map_get(&self->boxes, conv);
  for (size_t i = 0; of && i < of->message_count; i++) {
    const stored_message *row = of->messages[i]->record;
    int status = row && is_wanted(row, user) ? visit(visitor, row) : SEEN_OK;
    if (status) return status;
  }
  return SEEN_OK;
}

static bool is_uncountable(const stored_message *row, const char *user) {
  (void)user;
  return row->state != 0;
}

static bool says_mentions(const stored_message *row, const char *user) {
  (void)user;
  return row->mentions != NULL;
}

static bool is_from(const stored_message *row, const char *user) {
  return !strcmp(row->from, user);
}

static int memory_each_uncountable(void *self, const char *conv, void *visitor,
                                   visit_message visit) {
  return each_wanted(self, conv, NULL, is_uncountable, visitor, visit);
}

static int memory_each_mention(void *self, const char *conv, void *visitor,
                               visit_message visit) {
  return each_wanted(self, conv, NULL, says_mentions, visitor, visit);
}

static int memory_each_from(void *self, const char *conv, const char *user,
                            void *visitor, visit_message visit) {
  return each_wanted(self, conv, user, is_from, visitor, visit);
}

static int memory_seq_at(void *storage_self, const char *conv, uint64_t version,
                         uint64_t *seq) {
  memory_storage *self = storage_self;
  const box *of = map_get(&self->boxes, conv);
  *seq = of ? of->message_count : 0;
  for (; *seq; (*seq)--) {
    const stored_message *row = of->messages[*seq - 1]->record;
    if (row && row->version <= version) break;
  }
  return SEEN_OK;
}

static int memory_purge(void *storage_self, const char *conv, uint64_t floor) {
  memory_storage *self = storage_self;
  const box *of = map_get(&self->boxes, conv);
  for (uint64_t i = 0; of && i < floor && i < of->message_count; i++)
    if (of->messages[i]->record) put(self, of->messages[i], NULL);
  return SEEN_OK;
}

static char *op_key(const char *user, const char *op) {
  size_t size = strlen(user) + strlen(op) + 2;
  char *key = must_allocate(size, 1);
  snprintf(key, size, "%s\n%s", user, op);
  return key;
}

static int memory_get_op(void *storage_self, const char *user, const char *op,
                         stored_op *found) {
  memory_storage *self = storage_self;
  char *key = op_key(user, op);
  const slot *of = map_get(&self->ops, key);
  free(key);
  if (!of || !of->record) return SEEN_ENOTFOUND;
  *found = *(const stored_op *)of->record;
  return SEEN_OK;
}

static int memory_put_op(void *storage_self, const stored_op *op) {
  memory_storage *self = storage_self;
  stored_op row = *op;
  char *key = op_key(row.user, row.op);
  put(self, slot_for(&self->ops, key),
      COPY(&row, &row.user, &row.op, &row.of, &row.conv, &row.code));
  free(key);
  return SEEN_OK;
}

static int memory_expire_ops(void *storage_self, uint64_t before) {
  memory_storage *self = storage_self;
  slot *of;
  for (size_t at = 0; (of = map_next(&self->ops, &at));) {
    const stored_op *row = of->record;
    if (row && row->at < before && strcmp(row->of, "mark_unread") != 0)
      put(self, of, NULL);
  }
  return SEEN_OK;
}

static void free_slots(map *in) {
  slot *of;
  for (size_t at = 0; (of = map_next(in, &at));) {
    free(of->record);
    free(of->key);
    free(of);
  }
  map_free(in);
}

static void free_box(box *of) {
  free_slots(&of->members);
  for (size_t i = 0; i < of->message_count; i++) {
    free(of->messages[i]->record);
    free(of->messages[i]);
  }
  free(of->messages);
  free(of->order);
  free(of->head.record);
  free(of->id);
  free(of);
}

static void memory_close(void *storage_self) {
  memory_storage *self = storage_self;
  user_rows *list;
  box *of;
  memory_rollback(self);
  for (size_t at = 0; (of = map_next(&self->boxes, &at));)
    free_box(of);
  for (size_t at = 0; (list = map_next(&self->user_map, &at));) {
    free(list->boxes);
    free(list->user);
    free(list);
  }
  map_free(&self->boxes);
  map_free(&self->user_map);
  free_slots(&self->users);
  free_slots(&self->ops);
  free(self->changes);
  free(self->root.record);
  free(self);
}

int storage_memory_open(storage *self, const char *incarnation) {
  memory_storage *of = must_allocate(1, sizeof *of);
  memory_put_incarnation(of, incarnation);
  memory_commit(of, 0);
  *self = (storage){
      .self = of,
      .begin = memory_begin,
      .commit = memory_commit,
      .rollback = memory_rollback,
      .get_root = memory_get_root,
      .put_incarnation = memory_put_incarnation,
      .get_user = memory_get_user,
      .put_user = memory_put_user,
      .get_conversation = memory_get_conversation,
      .put_conversation = memory_put_conversation,
      .put_member = memory_put_member,
      .each_member = memory_each_member,
      .each_row = memory_each_row,
      .put_message = memory_put_message,
      .get_message = memory_get_message,
      .set_message = memory_set_message,
      .each_before = memory_each_before,
      .each_uncountable = memory_each_uncountable,
      .each_mention = memory_each_mention,
      .each_from = memory_each_from,
      .seq_at = memory_seq_at,
      .purge = memory_purge,
      .get_op = memory_get_op,
      .put_op = memory_put_op,
      .expire_ops = memory_expire_ops,
      .close = memory_close,
  };
  return SEEN_OK;
}
