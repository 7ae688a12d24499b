#include "fuzz/holds.h"

#include "fuzz/target.h"
#include "support/dump.h"

#include <seen/sys/working.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t now_of(const seen_engine *engine) {
  seen_session session = {.size = (uint32_t)sizeof session};

  seen_engine_session(engine, &session);
  return session.now;
}

/* M2, M5: as many as are counted, rising. */
static void check_mentions(const seen_engine *engine, const seen_state *row) {
  seen_mention at = {0, SEEN_MENTION_NONE};
  uint64_t count = 0;

  while (count <= row->mentions) {
    uint64_t before = at.seq;

    if (seen_engine_next_mention(engine, row->conv, before, &at) != SEEN_OK)
      break;
    REQUIRE(at.seq > before && at.why != SEEN_MENTION_NONE);
    if (count++ == 0) REQUIRE(at.seq == row->first_mention);
  }
  REQUIRE(count == row->mentions);
  REQUIRE((row->first_mention == 0) == (count == 0));
}

/* R1, R2 */
static void check_receipt(seen_engine *engine, const seen_state *row) {
  seen_receipt receipt = {.size = (uint32_t)sizeof receipt};
  size_t readers;

  if (row->last_seq == 0) return;
  REQUIRE(seen_engine_receipt(engine, row->conv, row->last_seq, &receipt) ==
          SEEN_OK);
  REQUIRE(receipt.read <= receipt.audience);
  REQUIRE(receipt.delivered <= receipt.audience);
  if (row->kind == SEEN_KIND_LARGE) return;
  REQUIRE(seen_engine_readers(engine, row->conv, row->last_seq,
                              SEEN_READERS_READ, NULL, 0, &readers) == SEEN_OK);
}

/* U6: the number is found again from its terms, in words. */
static void check_words(const seen_engine *engine, seen_conv conv) {
  size_t length;
  size_t again;
  char *text;

  REQUIRE(seen_engine_explain(engine, conv, NULL, 0, &length) == SEEN_OK);
  text = malloc(length + 1);
  if (text == NULL) abort();
  REQUIRE(seen_engine_explain(engine, conv, text, length + 1, &again) ==
          SEEN_OK);
  REQUIRE(again == length && strlen(text) == length);
  free(text);
}

/* U1, B2 */
static void check_row(seen_engine *engine, const seen_state *row) {
  REQUIRE(row->last_seq <= SEEN_SEQ_MAX && row->read_seq <= SEEN_SEQ_MAX);
  REQUIRE(row->unread <=
          (row->last_seq > row->read_seq ? row->last_seq - row->read_seq : 0));
  if (!row->open) { /* B5: else it stands still, whatever comes */
    REQUIRE(row->first_unread <= row->last_seq);
    REQUIRE((row->first_unread == 0) == (row->unread == 0));
  }
  REQUIRE(row->badge ==
          seen_badge_choose(row->unread, row->muted, row->marked_unread));
  check_mentions(engine, row);
  check_receipt(engine, row);
  check_words(engine, row->conv);
}

/* B3: `before` may stand before `row`. */
static bool in_order(const seen_state *before, const seen_state *row) {
  if (before->pinned != row->pinned) return before->pinned;
  if (before->updated_at != row->updated_at)
    return before->updated_at > row->updated_at;
  return strcmp(before->id, row->id) < 0;
}

/* B4 */
static void add(seen_totals *sums, const seen_state *row) {
  sums->mentions += row->mentions;
  if (row->muted) {
    sums->muted += row->unread;
    return;
  }
  sums->unread += row->unread;
  sums->conversations += row->unread > 0 || row->marked_unread;
}

void holds_now(seen_engine *engine) {
  seen_state row = {.size = (uint32_t)sizeof row};
  seen_state before = row;
  seen_totals sums = {0, 0, 0, 0};
  seen_totals totals;
  size_t count = 0;

  for (; seen_engine_page(engine, count, 1, &row) == 1; count++) {
    check_row(engine, &row);
    REQUIRE(count == 0 || in_order(&before, &row));
    add(&sums, &row);
    before = row;
  }
  REQUIRE(count == seen_engine_count(engine));
  seen_engine_totals(engine, &totals);
  REQUIRE(totals.unread == sums.unread &&
          totals.conversations == sums.conversations &&
          totals.muted == sums.muted && totals.mentions == sums.mentions);
  REQUIRE(seen_engine_deadline(engine) > now_of(engine));
}

/* P7 */
static void check_report(const seen_report *report) {
  REQUIRE(report->seq <= SEEN_SEQ_MAX && report->epoch <= SEEN_SEQ_MAX);
  for (size_t i = 0; i < report->cleared_count; i++)
    REQUIRE(report->cleared[i] > (i > 0 ? report->cleared[i - 1] : 0));
}

static void check_effect(seen_engine *engine, const seen_effect *effect) {
  bool named = seen_engine_id(engine, effect->conv) != NULL;
  seen_record record = {.size = (uint32_t)sizeof record};

  REQUIRE(named || effect->conv == 0);
  switch (effect->type) {
  case SEEN_EFFECT_REPORT:
    REQUIRE(named);
    check_report(&effect->u.report);
    break;
  case SEEN_EFFECT_MARK_UNREAD:
    REQUIRE(named && effect->u.mark.target < effect->u.mark.expected_seq);
    break;
  case SEEN_EFFECT_SUBSCRIBE:
    REQUIRE(named && effect->u.range.lo > 0 &&
            effect->u.range.lo <= effect->u.range.hi);
    break;
  case SEEN_EFFECT_STORE:
    REQUIRE(seen_engine_record(engine, effect->conv, &record) == SEEN_OK);
    break;
  case SEEN_EFFECT_DELETE:
    REQUIRE(seen_engine_record(engine, effect->conv, &record) ==
            SEEN_ENOTFOUND);
    break;
  default: break;
  }
}

void holds_effects(seen_engine *engine) {
  seen_effect effect = {.size = (uint32_t)sizeof effect};

  while (seen_engine_next(engine, &effect))
    check_effect(engine, &effect);
}

static seen_engine *fresh(const seen_options *options, uint64_t now) {
  seen_engine *made;

  REQUIRE(seen_engine_new(options, now, &made, NULL) == SEEN_OK);
  return made;
}

/* The record comes back as it was. */
static void restore(seen_engine *from, seen_conv conv, seen_engine *to) {
  seen_record record = {.size = (uint32_t)sizeof record};
  test_dump was = {0};
  test_dump is = {0};

  if (seen_engine_record(from, conv, &record) != SEEN_OK) return;
  REQUIRE(seen_engine_restore(to, &record, NULL) == SEEN_OK);
  if (test_dump_record(&was, from, conv)) { /* else its names are not UTF-8 */
    REQUIRE(test_dump_record(&is, to, conv));
    REQUIRE(strcmp(was.text, is.text) == 0);
  }
  test_dump_free(&was);
  test_dump_free(&is);
}

static void move(seen_engine *from, seen_conv conv, seen_engine *to) {
  const char *id = seen_engine_id(from, conv);
  seen_working working = {.size = (uint32_t)sizeof working};
  seen_conv moved;

  if (id == NULL) return;
  REQUIRE(seen_engine_intern(to, id, &moved, NULL) == SEEN_OK);
  REQUIRE(moved == conv);
  restore(from, conv, to);
  REQUIRE(seen_engine_working(from, conv, &working) == SEEN_OK);
  REQUIRE(seen_engine_resume(to, id, &working, NULL) == SEEN_OK);
}

/* What differs is said before it ends. */
static void are_same(const test_dump *was, const test_dump *is) {
  if (strcmp(was->text, is->text) != 0)
    fprintf(stderr, "before:\n%safter:\n%s", was->text, is->text);
  REQUIRE(strcmp(was->text, is->text) == 0);
}

void holds_again(seen_engine *engine, const seen_options *options) {
  seen_session session = {.size = (uint32_t)sizeof session};
  seen_engine *to = fresh(options, now_of(engine));
  test_dump was = {0};
  test_dump is = {0};

  for (seen_conv conv = 1; seen_engine_id(engine, conv) != NULL; conv++)
    move(engine, conv, to);
  seen_engine_session(engine, &session);
  REQUIRE(seen_engine_resume_session(to, &session, NULL) == SEEN_OK);
  test_dump_engine(&was, engine);
  test_dump_engine(&is, to);
  are_same(&was, &is);
  test_dump_free(&was);
  test_dump_free(&is);
  seen_engine_free(to);
}

void holds_audit(seen_engine *engine) {
  seen_input audit = {.size = (uint32_t)sizeof audit, .type = SEEN_INPUT_AUDIT};
  seen_metrics before = {.size = (uint32_t)sizeof before};
  seen_metrics after = {.size = (uint32_t)sizeof after};

  seen_engine_metrics(engine, &before);
  REQUIRE(seen_engine_feed(engine, &audit, now_of(engine), NULL) == SEEN_OK);
  holds_effects(engine);
  seen_engine_metrics(engine, &after);
  REQUIRE(after.unread_drift == before.unread_drift);
  holds_now(engine);
}
