#include "alloc/sweep.h"

#include <seen/sys/trace.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* cmocka wants the two above. */
#include <cmocka.h>

static void check_same(const sweep_pair *sweep, const char *what,
                       const test_dump *got, const test_dump *wanted) {
  if (got->length == wanted->length &&
      memcmp(got->text, wanted->text, got->length) == 0)
    return;
  printf("# %s, input %llu: %s:\n%s\nand not\n%s\n", sweep->name,
         (unsigned long long)sweep->fed, what, got->text, wanted->text);
  fail_msg("%s, input %llu: %s", sweep->name, (unsigned long long)sweep->fed,
           what);
}

/* Memory is short from the n-th call on, or at the n-th only. */
static void shorten(sweep_pair *sweep, uint64_t n) {
  if (sweep->on)
    test_alloc_fail_on(&sweep->swept.memory, n);
  else
    test_alloc_fail(&sweep->swept.memory, n);
}

/* Whether the last try met the failure that was set. */
static bool failed(const sweep_side *side, uint64_t before, int status) {
  if (side->memory.failures == before) return false;
  assert_int_equal(status, SEEN_ENOMEM);
  return true;
}

static void start(sweep_pair *sweep, uint64_t now) {
  sweep_side *side = &sweep->swept;

  assert_int_equal(
      seen_engine_new(&sweep->calm.options, now, &sweep->calm.engine, NULL),
      SEEN_OK);
  for (uint64_t n = 1;; n++) {
    uint64_t before = side->memory.failures;
    size_t blocks = side->memory.blocks;
    int status;

    shorten(sweep, n);
    status = seen_engine_new(&side->options, now, &side->engine, NULL);
    shorten(sweep, 0);
    if (!failed(side, before, status)) break;
    assert_null(side->engine);
    assert_int_equal(side->memory.blocks, blocks);
    sweep->failures++;
  }
  assert_non_null(side->engine);
}

void sweep_start(sweep_pair *sweep, const seen_options *options) {
  sweep_side *sides[] = {&sweep->calm, &sweep->swept};

  const char *name = sweep->name;

  memset(sweep, 0, sizeof *sweep);
  sweep->name = name;
  for (size_t i = 0; i < 2; i++) {
    test_alloc_init(&sides[i]->memory);
    sides[i]->options = *options;
    sides[i]->options.allocator = &sides[i]->memory.allocator;
    test_dump_clear(&sides[i]->sent);
  }
  start(sweep, 0);
}

/* A record is written only whole: of the swept engine at each n. */
static void write_record(sweep_pair *sweep, sweep_side *side, seen_conv conv) {
  seen_record record = {.size = (uint32_t)sizeof record};

  assert_in_range(conv, 1, SWEEP_RECORDS - 1);
  for (uint64_t n = 1; side == &sweep->swept; n++) {
    uint64_t before = side->memory.failures;
    int status;

    shorten(sweep, n);
    status = seen_engine_record(side->engine, conv, &record);
    shorten(sweep, 0);
    if (!failed(side, before, status)) break;
    sweep->failures++;
  }
  test_dump_clear(&side->records[conv]);
  assert_true(test_dump_record(&side->records[conv], side->engine, conv));
}

static void pull(sweep_pair *sweep, sweep_side *side) {
  seen_effect effect = {.size = (uint32_t)sizeof effect};

  while (seen_engine_next(side->engine, &effect)) {
    test_dump_effect(&side->sent, side->engine, &effect);
    if (effect.type == SEEN_EFFECT_STORE)
      write_record(sweep, side, effect.conv);
    else if (effect.type == SEEN_EFFECT_DELETE)
      test_dump_clear(&side->records[effect.conv]);
  }
}

/* Only an input that fails as a whole leaves the state as it was: time has to
 * have passed before. */
static void try_each(sweep_pair *sweep, const seen_input *input, uint64_t now,
                     bool kept) {
  sweep_side *side = &sweep->swept;
  test_dump before = {0}, after = {0};
  seen_error error = SEEN_ERROR_INIT;

  test_dump_clear(&before);
  if (kept) test_dump_engine(&before, side->engine);
  for (uint64_t n = 1;; n++) {
    uint64_t failures = side->memory.failures;
    int status;

    shorten(sweep, n);
    status = seen_engine_feed(side->engine, input, now, &error);
    shorten(sweep, 0);
    if (!failed(side, failures, status)) {
      assert_int_equal(status, SEEN_OK);
      break;
    }
    sweep->failures++;
    assert_int_equal(error.code, SEEN_ENOMEM);
    pull(sweep, side);
    if (!kept) continue;
    test_dump_clear(&after);
    test_dump_engine(&after, side->engine);
    check_same(sweep, "after a failure it holds", &after, &before);
  }
  test_dump_free(&before);
  test_dump_free(&after);
}

static void check_sides(sweep_pair *sweep) {
  test_dump calm = {0}, swept = {0};

  pull(sweep, &sweep->calm);
  pull(sweep, &sweep->swept);
  check_same(sweep, "it sent", &sweep->swept.sent, &sweep->calm.sent);
  test_dump_clear(&calm);
  test_dump_clear(&swept);
  test_dump_engine(&calm, sweep->calm.engine);
  test_dump_engine(&swept, sweep->swept.engine);
  check_same(sweep, "in the end it holds", &swept, &calm);
  test_dump_free(&calm);
  test_dump_free(&swept);
}

/* An id keeps its handle, whatever becomes of the input that named it. */
static void intern(sweep_pair *sweep, const char *id) {
  sweep_side *side = &sweep->swept;
  seen_conv calm = 0, swept = 0;

  assert_int_equal(seen_engine_intern(sweep->calm.engine, id, &calm, NULL),
                   SEEN_OK);
  for (uint64_t n = 1;; n++) {
    uint64_t before = side->memory.failures;
    int status;

    shorten(sweep, n);
    status = seen_engine_intern(side->engine, id, &swept, NULL);
    shorten(sweep, 0);
    if (!failed(side, before, status)) break;
    assert_int_equal(seen_engine_find(side->engine, id), 0);
    sweep->failures++;
  }
  assert_int_equal(swept, calm);
}

void sweep_feed(sweep_pair *sweep, const seen_input *input, uint64_t now) {
  seen_input tick = {.size = (uint32_t)sizeof tick};

  sweep->fed++;
  if (input->id != NULL) intern(sweep, input->id);

  assert_int_equal(seen_engine_feed(sweep->calm.engine, &tick, now, NULL),
                   SEEN_OK);
  try_each(sweep, &tick, now, false);
  check_sides(sweep);
  assert_int_equal(seen_engine_feed(sweep->calm.engine, input, now, NULL),
                   SEEN_OK);
  try_each(sweep, input, now, true);
  check_sides(sweep);
  test_dump_clear(&sweep->calm.sent);
  test_dump_clear(&sweep->swept.sent);
}

void sweep_restore(sweep_pair *sweep, const seen_record *record) {
  sweep_side *side = &sweep->swept;

  intern(sweep, record->id);

  assert_int_equal(seen_engine_restore(sweep->calm.engine, record, NULL),
                   SEEN_OK);
  for (uint64_t n = 1;; n++) {
    uint64_t before = side->memory.failures;
    int status;

    shorten(sweep, n);
    status = seen_engine_restore(side->engine, record, NULL);
    shorten(sweep, 0);
    if (!failed(side, before, status)) {
      assert_int_equal(status, SEEN_OK);
      return;
    }
    assert_int_equal(seen_engine_count(side->engine) + 1,
                     seen_engine_count(sweep->calm.engine) +
                         ((record->flags & SEEN_RECORD_GONE) != 0));
    sweep->failures++;
  }
}

/* From what was written of the calm engine, which the other's equals. */
void sweep_restart(sweep_pair *sweep, uint64_t now) {
  seen_input link = {.size = (uint32_t)sizeof link, .type = SEEN_INPUT_LINK};

  seen_engine_free(sweep->calm.engine);
  seen_engine_free(sweep->swept.engine);
  start(sweep, now);
  for (size_t i = 0; i < SWEEP_RECORDS; i++) {
    const test_dump *kept = &sweep->calm.records[i];
    seen_trace_line *line;

    if (kept->length == 0) continue;
    assert_int_equal(
        seen_trace_parse(kept->text, kept->length, NULL, &line, NULL), SEEN_OK);
    sweep_restore(sweep, &line->u.record);
    seen_trace_line_free(line);
  }
  sweep_feed(sweep, &link, now);
}

void sweep_end(sweep_pair *sweep) {
  sweep_side *sides[] = {&sweep->calm, &sweep->swept};

  for (size_t i = 0; i < 2; i++) {
    seen_engine_free(sides[i]->engine);
    test_alloc_check(&sides[i]->memory);
    test_dump_free(&sides[i]->sent);
    for (size_t r = 0; r < SWEEP_RECORDS; r++)
      test_dump_free(&sides[i]->records[r]);
  }
}
