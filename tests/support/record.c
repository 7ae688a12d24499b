#include "support/record.h"

#include <seen/sys/trace.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 2000 };

void test_record_text(test_dump *dump, const seen_record *record) {
  seen_trace_line line = {
      .size = sizeof line, .type = SEEN_TRACE_RECORD, .u.record = *record};
  seen_error error = SEEN_ERROR_INIT;
  size_t length;
  char *text;
  if (seen_trace_write(&line, NULL, 0, &length, &error))
    fail_msg("%s", error.message);
  text = malloc(length + 1);
  assert_non_null(text);
  assert_int_equal(seen_trace_write(&line, text, length + 1, &length, NULL), 0);
  test_dump_say(dump, "%s\n", text);
  free(text);
}

void test_record_check(const seen_record *got, const seen_record *wanted) {
  test_dump a = {0}, b = {0};
  test_record_text(&a, got);
  test_record_text(&b, wanted);
  assert_string_equal(a.text, b.text);
  assert_true(got->mark.op == wanted->mark.op);
  test_dump_free(&a);
  test_dump_free(&b);
}

seen_row test_row(uint64_t unread) {
  return (seen_row){.size = sizeof(seen_row),
                    .unread = unread,
                    .mentions = unread / 2,
                    .badge = seen_badge_choose(unread, false, false),
                    .exact = true,
                    .listed = true};
}

seen_record test_record_plain(const char *id, uint64_t seq) {
  return (seen_record){.size = sizeof(seen_record),
                       .id = id,
                       .kind = SEEN_KIND_GROUP,
                       .read = {0, seq, 0},
                       .last_seq = seq + 5,
                       .tally_last = seq + 5,
                       .tally_version = 1};
}

/* Lists whose items are all different, above one another. */
static struct {
  char names[MOST][16];
  seen_run runs[MOST];
  seen_mention mentions[MOST];
  seen_note notes[MOST];
  seen_sender senders[MOST];
  seen_member members[MOST];
  seen_peer peers[MOST];
  seen_receipt_row receipts[MOST];
} lists;

static void fill(size_t i) {
  uint64_t seq = 1000 + 5 * i;
  const char *name = lists.names[i];
  snprintf(lists.names[i], sizeof lists.names[i], "user%04zu", i / 2);
  lists.runs[i] = (seen_run){seq, seq + i % 4};
  lists.mentions[i] = (seen_mention){seq, (seen_mention_why)(1 + i % 3)};
  lists.notes[i] = (seen_note){seq, seq - 900, (seen_mention_why)(i % 4)};
  lists.senders[i] =
      (seen_sender){lists.runs[i], lists.names[i % 40], i % 3 != 0};
  lists.members[i] = (seen_member){name, 1 + i,   i % 2 ? 0 : 5000 + i,
                                   seq,  seq + 1, i % 7 == 0};
  lists.peers[i] = (seen_peer){name, seq, seq + 1};
  lists.receipts[i] = (seen_receipt_row){seq, i, i + 10, i + 3};
}

static void point(seen_record *record, size_t count) {
  record->uncountable = record->live = lists.runs;
  record->found = record->cleared = lists.runs;
  record->mentions = record->found_mentions = lists.mentions;
  record->notes = lists.notes;
  record->senders = lists.senders;
  record->members = lists.members;
  record->peers = lists.peers;
  record->receipts = lists.receipts;
  record->uncountable_count = record->live_count = count;
  record->found_count = record->cleared_count = count;
  record->mention_count = record->found_mention_count = count;
  record->note_count = record->sender_count = count;
  record->member_count = record->receipt_count = count;
  record->peer_count = count ? 1 : 0;
}

const seen_record *test_record_full(const char *id, size_t count) {
  static seen_record record;
  assert_in_range(count, 0, MOST);
  for (size_t i = 0; i < count; i++)
    fill(i);
  record = (seen_record){.size = sizeof record,
                         .id = id,
                         .kind = SEEN_KIND_GROUP,
                         .flags = SEEN_RECORD_MUTED | SEEN_RECORD_COUNTED |
                                  SEEN_RECORD_WISH | SEEN_RECORD_MARK |
                                  SEEN_RECORD_ACKED,
                         .read = {3, 200, 300},
                         .last_seq = SEEN_SEQ_MAX,
                         .floor = 7,
                         .join_seq = 9,
                         .updated_at = 1700000000000,
                         .tally_version = 12,
                         .tally_last = 900,
                         .tally_from = 400,
                         .tally_base = 200,
                         .tally_counted = 5,
                         .delivered_here = 800,
                         .delivered_server = 700,
                         .wish_epoch = 4,
                         .wish_read = 500,
                         .wish_shown = 450,
                         .mark = {3, 250, 220, UINT64_MAX},
                         .acked_epoch = 3,
                         .acked_seq = 150,
                         .own = 450};
  point(&record, count);
  return &record;
}
