#include "support/conv.h"

#include "engine/found.h"
#include "engine/mentions.h"
#include "engine/tally.h"

static void ok(int status) {
  assert_int_equal(status, SEEN_OK);
}

void conv_begin(test_conv *t) {
  *t = (test_conv){.conv = {.join_seq = 1}};
  test_alloc_init(&t->memory);
  ok(sn_conv_need_facts(&t->memory.allocator, &t->conv));
  ok(sn_conv_need_reading(&t->memory.allocator, &t->conv));
}

void conv_end(test_conv *t) {
  sn_conv_free_parts(&t->memory.allocator, &t->conv);
  test_alloc_check(&t->memory);
}

bool conv_take(test_conv *t, const seen_word *word) {
  ok(sn_tally_reserve(&t->memory.allocator, &t->conv, word));
  t->conv.server = word->read;
  return sn_tally_take(&t->conv, word, 0);
}

void conv_come(test_conv *t, seen_message message) {
  message.from = "u2";
  ok(sn_tally_reserve_message(&t->memory.allocator, &t->conv, &message));
  sn_tally_add_message(&t->conv, &message, false, 0);
}

void conv_find(test_conv *t, uint64_t seq, seen_mention_why mention) {
  sn_facts *facts = t->conv.facts;
  ok(sn_runs_reserve(&t->memory.allocator, &facts->found, 1));
  ok(sn_runs_reserve(&t->memory.allocator, &facts->found_mentions, 2));
  ok(sn_runs_reserve(&t->memory.allocator, &facts->open, 2));
  ok(sn_mentions_reserve(&t->memory.allocator, &t->conv, 0, 1, 1));
  if (sn_tally_uncountable(&t->conv, seq)) return;
  if (mention == SEEN_MENTION_NONE) {
    sn_runs_put(&facts->found, seq, seq, 0);
    sn_runs_remove(&facts->found_mentions, seq, seq);
    sn_runs_remove(&facts->open, seq, seq);
  } else {
    sn_runs_put(&facts->found_mentions, seq, seq, (uint32_t)mention);
    sn_mentions_show(&t->conv, seq);
  }
}

void conv_wish(test_conv *t, uint64_t read, uint64_t seq) {
  t->conv.reading->wish = (sn_wish){0, read, seq, true, false};
}
