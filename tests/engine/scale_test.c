/*
 * Large numbers stay correct, bounded in memory, and cost no more each as
 * there are more: 100,000 conversations, a roster of 20,000, a million unread,
 * a million runs. Time is not measured: a cost that grows with the size shows
 * in calls and bytes of the allocator, or as a test that does not end.
 */
#include "support/alloc.h"
#include "support/random.h"

#include <seen/sys/engine.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the two above. */
#include <cmocka.h>

/* What one item may hold, with room for growth. */
enum {
  BYTES_A_CONVERSATION = 400,
  BYTES_A_MEMBER = 400,
  BYTES_A_RUN = 256,
  CALLS_OF_GROWTH = 400 /* arrays that grow by half or double */
};

/* A count by SEEN_SCALE, in round thousands. */
static uint64_t scaled(uint64_t count) {
  uint64_t fewer = test_scaled(count);

  return fewer < 1000 ? 1000 : fewer - fewer % 1000;
}

typedef struct test_scene {
  test_alloc memory;
  seen_engine *engine;
  uint64_t now;
} test_scene;

static void begin(test_scene *scene) {
  seen_options options;

  memset(scene, 0, sizeof *scene);
  test_alloc_init(&scene->memory);
  seen_options_init(&options);
  options.user = "u1";
  options.device = "d1";
  options.allocator = &scene->memory.allocator;
  assert_int_equal(seen_engine_new(&options, 0, &scene->engine, NULL), SEEN_OK);
}

static void end(test_scene *scene) {
  seen_engine_free(scene->engine);
  test_alloc_check(&scene->memory);
}

static seen_input say(seen_input_type type, const char *id) {
  seen_input input;

  memset(&input, 0, sizeof input);
  input.size = (uint32_t)sizeof input;
  input.type = type;
  input.id = id;
  return input;
}

static void feed(test_scene *scene, const seen_input *input) {
  seen_effect effect = {.size = (uint32_t)sizeof effect};
  seen_error error = SEEN_ERROR_INIT;

  if (seen_engine_feed(scene->engine, input, scene->now, &error) != SEEN_OK)
    fail_msg("refused: %s", error.message);
  while (seen_engine_next(scene->engine, &effect)) {
  }
}

static void row(test_scene *scene, const char *id, uint64_t read,
                uint64_t last) {
  seen_input input = say(SEEN_INPUT_CONVERSATION, id);

  input.u.snapshot.kind = SEEN_KIND_GROUP;
  input.u.snapshot.word.read.seq = read;
  input.u.snapshot.word.last_seq = last;
  feed(scene, &input);
}

static seen_state state_of(const test_scene *scene, const char *id) {
  seen_state state = {.size = (uint32_t)sizeof state};
  seen_conv conv = seen_engine_find(scene->engine, id);

  assert_int_equal(seen_engine_state(scene->engine, conv, &state), SEEN_OK);
  return state;
}

static void name_conv(char *id, size_t size, uint64_t number) {
  snprintf(id, size, "g_%llu", (unsigned long long)number);
}

/* Rows 0 … count-1, the i-th with i % 5 unread and dated i. */
static void make_rows(test_scene *scene, uint64_t count) {
  char id[24];

  for (uint64_t i = 0; i < count; i++) {
    seen_input input = say(SEEN_INPUT_CONVERSATION, id);

    name_conv(id, sizeof id, i);
    input.u.snapshot.kind = SEEN_KIND_GROUP;
    input.u.snapshot.word.last_seq = 10;
    input.u.snapshot.word.read.seq = 10 - i % 5;
    input.u.snapshot.fields = SEEN_SNAPSHOT_UPDATED_AT;
    input.u.snapshot.updated_at = i;
    feed(scene, &input);
  }
}

static void test_scale__100000_conversations_in_order_and_summed(void **s) {
  static test_scene scene;
  uint64_t count = scaled(100000);
  seen_totals totals;
  char id[24];

  (void)s;
  begin(&scene);
  make_rows(&scene, count);
  assert_int_equal(seen_engine_count(scene.engine), count);
  seen_engine_totals(scene.engine, &totals);
  assert_int_equal(totals.unread, count / 5 * (0 + 1 + 2 + 3 + 4));
  assert_int_equal(totals.conversations, count / 5 * 4);
  for (uint64_t at = 0; at < count; at += 9973) {
    seen_state top = {.size = (uint32_t)sizeof top};

    assert_int_equal(seen_engine_page(scene.engine, (size_t)at, 1, &top), 1);
    name_conv(id, sizeof id, count - 1 - at);
    assert_string_equal(top.id, id);
  }
  assert_in_range(scene.memory.bytes, 1, count * BYTES_A_CONVERSATION);
  end(&scene);
}

/* Allocator calls of a message to each of the first thousand. */
static uint64_t calls_of_messages(test_scene *scene) {
  uint64_t before = scene->memory.calls;
  char id[24];

  for (uint64_t i = 0; i < 1000; i++) {
    seen_input input = say(SEEN_INPUT_MESSAGE, id);

    name_conv(id, sizeof id, i);
    input.u.message.seq = 11;
    input.u.message.from = "u2";
    input.u.message.sent_at = 1000000 + i;
    feed(scene, &input);
  }
  return scene->memory.calls - before;
}

static void test_scale__a_message_costs_the_same_among_more(void **state) {
  static test_scene scene;
  uint64_t few, many;

  (void)state;
  begin(&scene);
  make_rows(&scene, 1000);
  few = calls_of_messages(&scene);
  end(&scene);
  begin(&scene);
  make_rows(&scene, scaled(100000));
  many = calls_of_messages(&scene);
  end(&scene);
  assert_in_range(many, 0, few + CALLS_OF_GROWTH);
}

/* One report each, 100 a frame, as far as the bucket lets them. */
static void test_scale__20000_conversations_marked_as_read(void **state) {
  static test_scene scene;
  seen_input link = say(SEEN_INPUT_LINK, NULL);
  seen_input all = say(SEEN_INPUT_READ_ALL, NULL);
  seen_metrics metrics = {.size = (uint32_t)sizeof metrics};
  seen_totals totals;
  uint64_t rows = scaled(20000), frames = 0;

  (void)state;
  begin(&scene);
  make_rows(&scene, rows);
  feed(&scene, &link);
  feed(&scene, &all);
  seen_engine_totals(scene.engine, &totals);
  assert_int_equal(totals.unread, 0);
  link.u.on = true;
  for (feed(&scene, &link); frames < rows / 125; scene.now += 500) {
    seen_input tick = say(SEEN_INPUT_TICK, NULL);

    feed(&scene, &tick);
    seen_engine_metrics(scene.engine, &metrics);
    if (metrics.report_frames == frames) break;
    frames = metrics.report_frames;
  }
  assert_int_equal(metrics.reports_sent, rows / 5 * 4);
  assert_int_equal(metrics.report_frames, rows / 125);
  end(&scene);
}

static void test_scale__a_million_unread_in_one_conversation(void **state) {
  static test_scene scene;
  seen_input input = say(SEEN_INPUT_MESSAGE, "g_1");
  uint64_t million = scaled(1000000), before;
  size_t bytes;

  (void)state;
  begin(&scene);
  row(&scene, "g_1", 0, 0);
  input.u.message.from = "u2";
  bytes = scene.memory.bytes;
  for (uint64_t s = 1; s <= million; s++) {
    input.u.message.seq = s;
    feed(&scene, &input);
  }
  assert_int_equal(state_of(&scene, "g_1").unread, million);
  assert_true(state_of(&scene, "g_1").exact);
  /* One run that grows is no memory that grows. */
  assert_in_range(scene.memory.bytes, 1, bytes + 4096);
  input.u.message.kind = SEEN_MESSAGE_RECALL;
  input.u.message.seq = million + 1;
  input.u.message.target = million / 2;
  feed(&scene, &input);
  assert_int_equal(state_of(&scene, "g_1").unread, million - 1);
  before = scene.memory.calls;
  input = say(SEEN_INPUT_MARK_READ, "g_1");
  input.u.seq = (seen_optional_seq){true, million - 10};
  feed(&scene, &input);
  assert_int_equal(state_of(&scene, "g_1").unread, 10);
  assert_in_range(scene.memory.calls - before, 0, CALLS_OF_GROWTH);
  end(&scene);
}

/* The order in which the odd ones of a million seqs arrive. */
typedef enum arrival { IN_ORDER, REVERSE, SHUFFLED } arrival;

static uint64_t *arrivals(arrival how, uint64_t count) {
  uint64_t *seqs = malloc(count * sizeof *seqs), random = 1;

  assert_non_null(seqs);
  for (uint64_t i = 0; i < count; i++)
    seqs[i] = how == REVERSE ? 2 * (count - i) - 1 : 2 * i + 1;
  for (uint64_t i = count; how == SHUFFLED && i > 1; i--) {
    uint64_t other, swapped = seqs[i - 1];

    random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    other = (random >> 33) % i;
    seqs[i - 1] = seqs[other];
    seqs[other] = swapped;
  }
  return seqs;
}

/* Each odd seq comes live and does not count; no even one comes at all. */
static void attack(arrival how) {
  static test_scene scene;
  seen_input input = say(SEEN_INPUT_MESSAGE, "g_1");
  uint64_t count = scaled(500000), last = 2 * count - 1;
  uint64_t *seqs = arrivals(how, count);
  seen_state state;

  begin(&scene);
  row(&scene, "g_1", 0, 0);
  input.u.message.from = "u2";
  input.u.message.kind = SEEN_MESSAGE_SYSTEM;
  for (size_t i = 0; i < count; i++) {
    input.u.message.seq = seqs[i];
    scene.now++; /* gaps are asked for meanwhile */
    feed(&scene, &input);
  }
  free(seqs);
  state = state_of(&scene, "g_1");
  assert_int_equal(state.last_seq, last);
  assert_int_equal(state.unread, last - count);
  assert_false(state.exact);
  assert_int_equal(state.first_unread, 2);
  assert_in_range(scene.memory.most_bytes, 1, count * BYTES_A_RUN);
  assert_in_range(scene.memory.calls, 1, CALLS_OF_GROWTH);
  end(&scene);
}

static void test_scale__an_attacked_run_list_in_order(void **state) {
  (void)state;
  attack(IN_ORDER);
}

static void test_scale__an_attacked_run_list_in_reverse(void **state) {
  (void)state;
  attack(REVERSE);
}

static void test_scale__an_attacked_run_list_shuffled(void **state) {
  (void)state;
  attack(SHUFFLED);
}

/* The same said by a tally at once, and read step by step. */
static void test_scale__a_tally_of_half_a_million_runs(void **state) {
  static test_scene scene;
  seen_input input = say(SEEN_INPUT_POSITION, "g_1");
  uint64_t count = scaled(500000), calls;
  seen_run *runs = malloc(count * sizeof *runs);

  (void)state;
  assert_non_null(runs);
  for (uint64_t i = 0; i < count; i++)
    runs[i] = (seen_run){2 * i + 1, 2 * i + 1};
  begin(&scene);
  row(&scene, "g_1", 0, 0);
  input.u.word.last_seq = 2 * count;
  input.u.word.uncountable = runs;
  input.u.word.uncountable_count = count;
  feed(&scene, &input);
  free(runs);
  assert_int_equal(state_of(&scene, "g_1").unread, count);
  assert_true(state_of(&scene, "g_1").exact);
  calls = scene.memory.calls;
  for (uint64_t s = 1; s <= count; s += 5) {
    input = say(SEEN_INPUT_MARK_READ, "g_1");
    input.u.seq = (seen_optional_seq){true, 2 * s};
    feed(&scene, &input);
    assert_int_equal(state_of(&scene, "g_1").unread, count - s);
  }
  assert_in_range(scene.memory.calls - calls, 0, CALLS_OF_GROWTH);
  end(&scene);
}

enum { MEMBERS = 20000 };

static seen_member *make_roster(char (*names)[16]) {
  seen_member *members = calloc(MEMBERS, sizeof *members);

  assert_non_null(members);
  for (uint64_t i = 0; i < MEMBERS; i++) {
    snprintf(names[i], sizeof names[i], "u%llu", (unsigned long long)i);
    members[i].user = names[i];
    members[i].join_seq = 1 + i % 100;
    members[i].leave_seq = i % 10 == 9 ? 500 : 0;
    members[i].read_seq = i % 1000;
  }
  return members;
}

/* The same counted person by person (R2). */
static seen_receipt count_all(const seen_member *members, uint64_t seq) {
  seen_receipt receipt = {0};

  for (uint64_t i = 0; i < MEMBERS; i++) {
    const seen_member *member = &members[i];

    if (strcmp(member->user, "u1") == 0 || member->join_seq > seq ||
        (member->leave_seq != 0 && member->leave_seq < seq))
      continue;
    receipt.audience++;
    receipt.read += member->read_seq >= seq;
  }
  return receipt;
}

static void test_scale__a_roster_of_20000(void **state) {
  static test_scene scene;
  static char names[MEMBERS][16];
  seen_member *members = make_roster(names);
  seen_input input = say(SEEN_INPUT_CONVERSATION, "g_1");
  seen_receipt got = {.size = (uint32_t)sizeof got};
  uint64_t calls;

  (void)state;
  begin(&scene);
  input.u.snapshot.kind = SEEN_KIND_GROUP;
  input.u.snapshot.word.last_seq = 1000;
  input.u.snapshot.fields = SEEN_SNAPSHOT_ROSTER;
  input.u.snapshot.roster = members;
  input.u.snapshot.roster_count = MEMBERS;
  feed(&scene, &input);
  assert_in_range(scene.memory.bytes, 1, (uint64_t)MEMBERS * BYTES_A_MEMBER);
  calls = scene.memory.calls;
  for (uint64_t s = 1; s <= 1000; s++) {
    seen_receipt wanted = count_all(members, s);
    seen_conv conv = seen_engine_find(scene.engine, "g_1");

    assert_int_equal(seen_engine_receipt(scene.engine, conv, s, &got), SEEN_OK);
    assert_int_equal(got.audience, wanted.audience);
    assert_int_equal(got.read, wanted.read);
  }
  for (uint64_t i = 0; i < MEMBERS; i++) { /* all read the last */
    input = say(SEEN_INPUT_PEER, "g_1");
    input.u.peer.user = names[i];
    input.u.peer.read_seq = 1000;
    feed(&scene, &input);
  }
  assert_int_equal(seen_engine_receipt(scene.engine, 1, 1000, &got), SEEN_OK);
  assert_int_equal(got.read, got.audience);
  assert_int_equal(got.state, SEEN_RECEIPT_READ);
  assert_in_range(scene.memory.calls - calls, 0, CALLS_OF_GROWTH);
  free(members);
  end(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scale__100000_conversations_in_order_and_summed),
      cmocka_unit_test(test_scale__a_message_costs_the_same_among_more),
      cmocka_unit_test(test_scale__20000_conversations_marked_as_read),
      cmocka_unit_test(test_scale__a_million_unread_in_one_conversation),
      cmocka_unit_test(test_scale__an_attacked_run_list_in_order),
      cmocka_unit_test(test_scale__an_attacked_run_list_in_reverse),
      cmocka_unit_test(test_scale__an_attacked_run_list_shuffled),
      cmocka_unit_test(test_scale__a_tally_of_half_a_million_runs),
      cmocka_unit_test(test_scale__a_roster_of_20000),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
