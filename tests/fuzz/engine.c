/*
 * An engine and whatever inputs: taken, or refused and nothing has changed.
 * What has to hold holds after each, and where memory is missing for one, it
 * can be said again.
 */
#include "fuzz/holds.h"
#include "fuzz/inputs.h"
#include "fuzz/target.h"

#include "support/alloc.h"
#include "support/dump.h"

#include <seen/sys/working.h>

#include <stdio.h>
#include <string.h>

enum { MOST_INPUTS = 200 };

static void tick(seen_engine *engine, uint64_t now) {
  seen_input input = {.size = (uint32_t)sizeof input};

  REQUIRE(seen_engine_feed(engine, &input, now, NULL) == SEEN_OK);
  holds_effects(engine);
}

static void note(seen_engine *engine, test_dump *text) {
  test_dump_clear(text);
  test_dump_engine(text, engine);
}

static void refused(seen_engine *engine, const test_dump *before) {
  test_dump after = {0};

  note(engine, &after);
  if (strcmp(before->text, after.text) != 0)
    fprintf(stderr, "before:\n%safter:\n%s", before->text, after.text);
  REQUIRE(strcmp(before->text, after.text) == 0);
  test_dump_free(&after);
}

/* The id that an input names is known from then on, even if it is refused. */
static void intern(seen_engine *engine, const seen_input *input) {
  seen_conv conv;

  if (SEEN_INPUT_HAS_CONV(input->type) && input->id != NULL)
    (void)seen_engine_intern(engine, input->id, &conv, NULL);
}

/* One input, of which an allocation may fail first. */
static void feed(seen_engine *engine, test_alloc *memory, uint64_t fails_at,
                 const seen_input *input, uint64_t now) {
  seen_error error = SEEN_ERROR_INIT;
  test_dump before = {0};
  int status;

  intern(engine, input);
  note(engine, &before);
  test_alloc_fail(memory, fails_at);
  status = seen_engine_feed(engine, input, now, &error);
  test_alloc_fail(memory, 0);
  if (status == SEEN_ENOMEM) {
    refused(engine, &before);
    status = seen_engine_feed(engine, input, now, &error);
  }
  REQUIRE(status == SEEN_OK || status == SEEN_EINVAL || status == SEEN_ERANGE);
  if (status != SEEN_OK) refused(engine, &before);
  test_dump_free(&before);
  holds_effects(engine);
}

static void play(seen_engine *engine, test_alloc *memory, input_maker *maker) {
  uint64_t now = 0;

  for (int i = 0; i < MOST_INPUTS && target_has_more(&maker->bytes); i++) {
    seen_input input = input_maker_next(maker);
    uint64_t fails_at = target_byte(&maker->bytes);

    if (maker->now < now || maker->now > SEEN_SEQ_MAX) {
      REQUIRE(seen_engine_feed(engine, &input, maker->now, NULL) != SEEN_OK);
      maker->now = now;
      continue;
    }
    now = maker->now;
    tick(engine, now);
    feed(engine, memory, fails_at > 240 ? fails_at - 240 : 0, &input, now);
    holds_now(engine);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  seen_options options;
  input_maker maker;
  test_alloc memory;
  seen_engine *engine;

  test_alloc_init(&memory);
  seen_options_init(&options);
  options.user = "u1";
  options.device = "d1";
  options.allocator = &memory.allocator;
  input_maker_begin(&maker, bytes, size, &options);
  REQUIRE(seen_engine_new(&options, 0, &engine, NULL) == SEEN_OK);
  play(engine, &memory, &maker);
  holds_again(engine, &options);
  holds_audit(engine);
  seen_engine_free(engine);
  test_alloc_check(&memory);
  return 0;
}
