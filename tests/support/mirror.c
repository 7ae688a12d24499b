#include "support/mirror.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static spy_store *spy_of(seen_store *store) {
  return (spy_store *)(void *)store;
}

/* Counts the call; its code where it is to fail. */
static int spy(seen_store *store, spy_call call) {
  spy_store *self = spy_of(store);
  self->calls[call]++;
  return self->code && self->failing == call ? self->code : SEEN_OK;
}

static void show_origin(spy_store *self) {
  self->store.origin = self->inner->origin;
  self->store.origin_code = self->inner->origin_code;
  self->store.trouble = self->inner->trouble;
}

static int spy_meta(seen_store *store, seen_meta *meta, seen_error *error) {
  int code = spy(store, SPY_META);
  int status = spy_of(store)->inner->meta(spy_of(store)->inner, meta, error);
  return code ? code : status;
}

static int spy_totals(seen_store *store, seen_totals *totals, uint64_t *records,
                      seen_error *error) {
  int code = spy(store, SPY_TOTALS);
  seen_store *inner = spy_of(store)->inner;
  int status = inner->totals(inner, totals, records, error);
  return code ? code : status;
}

/* Fails after it handed out what there is. */
static int spy_load(seen_store *store, seen_store_take take, void *user_data,
                    seen_error *error) {
  int code = spy(store, SPY_LOAD);
  seen_store *inner = spy_of(store)->inner;
  int status = inner->load(inner, take, user_data, error);
  return status ? status : code;
}

static int spy_begin(seen_store *store, bool durable, seen_error *error) {
  int code = spy(store, SPY_BEGIN);
  seen_store *inner = spy_of(store)->inner;
  spy_of(store)->durable += durable;
  if (!code) code = inner->begin(inner, durable, error);
  show_origin(spy_of(store));
  return code;
}

static int spy_put(seen_store *store, const seen_record *record,
                   const seen_row *row, seen_error *error) {
  int code = spy(store, SPY_PUT);
  seen_store *inner = spy_of(store)->inner;
  return code ? code : inner->put(inner, record, row, error);
}

static int spy_remove(seen_store *store, const char *id, seen_error *error) {
  int code = spy(store, SPY_REMOVE);
  seen_store *inner = spy_of(store)->inner;
  return code ? code : inner->remove(inner, id, error);
}

static int spy_put_totals(seen_store *store, const seen_totals *totals,
                          uint64_t records, seen_error *error) {
  int code = spy(store, SPY_PUT_TOTALS);
  seen_store *inner = spy_of(store)->inner;
  return code ? code : inner->put_totals(inner, totals, records, error);
}

static int spy_put_meta(seen_store *store, const seen_meta *meta,
                        seen_error *error) {
  int code = spy(store, SPY_PUT_META);
  seen_store *inner = spy_of(store)->inner;
  return code ? code : inner->put_meta(inner, meta, error);
}

static int spy_commit(seen_store *store, seen_error *error) {
  int code = spy(store, SPY_COMMIT);
  seen_store *inner = spy_of(store)->inner;
  return code ? code : inner->commit(inner, error);
}

static void spy_rollback(seen_store *store) {
  seen_store *inner = spy_of(store)->inner;
  spy(store, SPY_ROLLBACK);
  inner->rollback(inner);
}

static void spy_close(seen_store *store) {
  seen_store *inner = spy_of(store)->inner;
  inner->close(inner);
}

static const seen_store METHODS = {.size = sizeof(seen_store),
                                   .meta = spy_meta,
                                   .totals = spy_totals,
                                   .load = spy_load,
                                   .begin = spy_begin,
                                   .put = spy_put,
                                   .remove = spy_remove,
                                   .put_totals = spy_put_totals,
                                   .put_meta = spy_put_meta,
                                   .commit = spy_commit,
                                   .rollback = spy_rollback,
                                   .close = spy_close};

void spy_forget(test_mirror *t) {
  memset(t->spy.calls, 0, sizeof t->spy.calls);
  t->spy.durable = 0;
}

test_mirror *mirror_start_with(seen_store *store) {
  test_mirror *t = calloc(1, sizeof *t);
  assert_non_null(t);
  test_alloc_init(&t->memory);
  seen_options_init(&t->options);
  t->options.user = "me";
  t->options.device = "phone";
  t->options.allocator = &t->memory.allocator;
  t->spy.store = METHODS;
  t->spy.inner = store;
  show_origin(&t->spy);
  mirror_open(t);
  spy_forget(t);
  return t;
}

test_mirror *mirror_start(void) {
  seen_store *store;
  assert_int_equal(seen_store_open_memory(NULL, &store, NULL), SEEN_OK);
  return mirror_start_with(store);
}

void mirror_end(test_mirror *t) {
  seen_mirror_free(t->mirror);
  t->spy.store.close(&t->spy.store);
  test_alloc_check(&t->memory);
  free(t);
}

int mirror_try(test_mirror *t, seen_error *error) {
  return seen_mirror_open(&t->options, &t->spy.store, t->now, &t->mirror,
                          &t->left_out, error);
}

void mirror_open(test_mirror *t) {
  seen_error error = SEEN_ERROR_INIT;
  if (mirror_try(t, &error)) fail_msg("%s", error.message);
}

void mirror_restart(test_mirror *t) {
  seen_mirror_free(t->mirror);
  mirror_open(t);
}

void mirror_feed(test_mirror *t, const seen_input *input) {
  seen_error error = SEEN_ERROR_INIT;
  seen_effect effect;
  if (seen_engine_feed(seen_mirror_engine(t->mirror), input, t->now, &error))
    fail_msg("%s", error.message);
  while (seen_mirror_next(t->mirror, &effect)) {
    assert_int_not_equal(effect.type, SEEN_EFFECT_STORE);
    assert_int_not_equal(effect.type, SEEN_EFFECT_DELETE);
    assert_int_not_equal(effect.type, SEEN_EFFECT_SYNC);
  }
}

void mirror_at(test_mirror *t, uint64_t now) {
  t->now = now;
  mirror_say(t, SEEN_INPUT_TICK, NULL);
}

void mirror_say(test_mirror *t, seen_input_type type, const char *id) {
  seen_input input = {.size = sizeof input, .type = type, .id = id};
  mirror_feed(t, &input);
}

void mirror_row(test_mirror *t, const char *id, uint64_t read, uint64_t last) {
  seen_input input = {
      .size = sizeof input, .type = SEEN_INPUT_CONVERSATION, .id = id};
  input.u.snapshot.kind = SEEN_KIND_GROUP;
  input.u.snapshot.word.read.seq = read;
  input.u.snapshot.word.last_seq = last;
  input.u.snapshot.word.version = last;
  mirror_feed(t, &input);
}

void mirror_message(test_mirror *t, const char *id, uint64_t seq) {
  seen_input input = {
      .size = sizeof input, .type = SEEN_INPUT_MESSAGE, .id = id};
  input.u.message.seq = seq;
  input.u.message.from = "somebody";
  mirror_feed(t, &input);
}

int mirror_commit_code(test_mirror *t) {
  seen_error error = SEEN_ERROR_INIT;
  return seen_mirror_commit(t->mirror, t->now, &error);
}

void mirror_commit(test_mirror *t) {
  seen_error error = SEEN_ERROR_INIT;
  if (seen_mirror_commit(t->mirror, t->now, &error))
    fail_msg("%s", error.message);
}

void mirror_write(test_mirror *t) {
  mirror_at(t, t->now + t->options.persist_ms);
  mirror_commit(t);
  assert_int_equal(seen_mirror_unwritten(t->mirror), 0);
}

seen_totals mirror_stored(const test_mirror *t) {
  seen_store *inner = t->spy.inner;
  seen_totals totals;
  uint64_t records;
  assert_int_equal(inner->totals(inner, &totals, &records, NULL), SEEN_OK);
  return totals;
}

static int add_up(const seen_record *record, const seen_row *row,
                  void *user_data) {
  seen_totals *totals = user_data;
  (void)record;
  totals->unread += row->unread;
  return SEEN_OK;
}

void mirror_agrees(const test_mirror *t) {
  seen_totals sum = {0};
  assert_int_equal(t->spy.inner->load(t->spy.inner, add_up, &sum, NULL), 0);
  assert_int_equal(mirror_stored(t).unread, sum.unread);
}

seen_meta mirror_stored_meta(const test_mirror *t) {
  seen_meta meta = {.size = sizeof meta};
  assert_int_equal(t->spy.inner->meta(t->spy.inner, &meta, NULL), SEEN_OK);
  return meta;
}

uint64_t mirror_unread(const test_mirror *t, const char *id) {
  seen_engine *engine = seen_mirror_engine(t->mirror);
  seen_state state = {.size = sizeof state};
  assert_int_equal(
      seen_engine_state(engine, seen_engine_find(engine, id), &state), SEEN_OK);
  return state.unread;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Handles differ after a restart: in the order of the ids. */
char *mirror_text(test_mirror *t) {
  seen_engine *engine = seen_mirror_engine(t->mirror);
  char *texts[64] = {NULL};
  size_t count = 0;
  test_dump all = {0};
  for (seen_conv conv = 1; seen_engine_id(engine, conv); conv++) {
    test_dump one = {0};
    if (!test_dump_record(&one, engine, conv)) continue;
    assert_in_range(count, 0, 63);
    texts[count++] = one.text;
  }
  qsort(texts, count, sizeof *texts, by_text);
  test_dump_say(&all, "%s", "");
  for (size_t i = 0; i < count; i++) {
    test_dump_say(&all, "%s\n", texts[i]);
    free(texts[i]);
  }
  return all.text;
}
