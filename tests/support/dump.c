#include "support/dump.h"

#include <seen/sys/trace.h>
#include <seen/sys/working.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(test_dump *dump, size_t more) {
  size_t need = dump->length + more + 1;
  char *grown;

  if (need <= dump->size) return;
  need += dump->size;
  grown = realloc(dump->text, need);
  if (grown == NULL) abort();
  dump->text = grown;
  dump->size = need;
}

void test_dump_say(test_dump *dump, const char *format, ...) {
  va_list arguments;
  int length;

  va_start(arguments, format);
  length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  reserve(dump, (size_t)length);
  va_start(arguments, format);
  vsnprintf(dump->text + dump->length, (size_t)length + 1, format, arguments);
  va_end(arguments);
  dump->length += (size_t)length;
}

void test_dump_clear(test_dump *dump) {
  dump->length = 0;
  reserve(dump, 0);
  dump->text[0] = '\0';
}

void test_dump_free(test_dump *dump) {
  free(dump->text);
  *dump = (test_dump){0};
}

bool test_dump_record(test_dump *dump, seen_engine *engine, seen_conv conv) {
  seen_trace_line line = {.size = (uint32_t)sizeof line,
                          .type = SEEN_TRACE_RECORD};
  size_t length;

  line.u.record.size = (uint32_t)sizeof line.u.record;
  if (seen_engine_record(engine, conv, &line.u.record) != SEEN_OK) return false;
  if (seen_trace_write(&line, NULL, 0, &length, NULL) != SEEN_OK) return false;
  reserve(dump, length);
  seen_trace_write(&line, dump->text + dump->length, length + 1, &length, NULL);
  dump->length += length;
  return true;
}

static void say_state(test_dump *dump, const seen_state *state) {
  test_dump_say(
      dump,
      "\n%s kind %d unread %" PRIu64 " exact %d marked %d pending %d muted %d"
      " pinned %d open %d badge %d mentions %" PRIu64 " first %" PRIu64
      " divider %" PRIu64 " read %" PRIu64 " last %" PRIu64 " server %" PRIu64
      ":%" PRIu64 "/%" PRIu64 " updated %" PRIu64 "\n",
      state->id, (int)state->kind, state->unread, state->exact,
      state->marked_unread, state->pending, state->muted, state->pinned,
      state->open, (int)state->badge, state->mentions, state->first_mention,
      state->first_unread, state->read_seq, state->last_seq,
      state->server_read.epoch, state->server_read.seq, state->server_read.high,
      state->updated_at);
}

/* The newest few are enough: all counts come from the same places. */
static void say_receipts(test_dump *dump, const seen_engine *engine,
                         seen_conv conv, uint64_t last) {
  for (uint64_t s = last > 20 ? last - 20 : 1; s <= last; s++) {
    seen_receipt receipt = {.size = (uint32_t)sizeof receipt};

    if (seen_engine_receipt(engine, conv, s, &receipt) == SEEN_OK &&
        receipt.audience > 0)
      test_dump_say(dump, " %" PRIu64 ":%" PRIu64 ",%" PRIu64 "/%" PRIu64, s,
                    receipt.read, receipt.delivered, receipt.audience);
  }
}

/* What is on its way, on screen, or waiting for a time. */
static void say_working(test_dump *dump, seen_engine *engine, seen_conv conv) {
  seen_working work = {.size = (uint32_t)sizeof work};

  if (seen_engine_working(engine, conv, &work) != SEEN_OK) return;
  test_dump_say(dump,
                "\nworking %" PRIx32 " sent %" PRIu64 ":%" PRIu64
                " advance %" PRIu64 "-%" PRIu64 " retry %" PRIu64
                " backoff %" PRIu64 " delivered %" PRIu64 " %" PRIu64
                "-%" PRIu64 " screen %" PRIu64 "-%" PRIu64
                " subscribed %" PRIu64 "-%" PRIu64 " divider %" PRIu64,
                work.flags, work.sent_epoch, work.sent_seq, work.first_advance,
                work.last_advance, work.retry_at, work.backoff,
                work.delivered_sent, work.delivered_first, work.delivered_last,
                work.on_screen.lo, work.on_screen.hi, work.subscribed.lo,
                work.subscribed.hi, work.first_unread);
  for (size_t i = 0; i < work.sent_cleared_count; i++)
    test_dump_say(dump, " cleared %" PRIu64 "-%" PRIu64,
                  work.sent_cleared[i].lo, work.sent_cleared[i].hi);
  for (size_t i = 0; i < work.gap_count; i++)
    test_dump_say(dump, " gap %" PRIu64 "-%" PRIu64 " since %" PRIu64,
                  work.gaps[i].run.lo, work.gaps[i].run.hi, work.gaps[i].since);
  for (size_t i = 0; i < work.stay_count; i++)
    test_dump_say(dump, " stay %" PRIu64 "-%" PRIu64 " since %" PRIu64 " %d",
                  work.stays[i].rows.lo, work.stays[i].rows.hi,
                  work.stays[i].since, work.stays[i].read);
}

void test_dump_conv(test_dump *dump, seen_engine *engine, seen_conv conv) {
  seen_state state = {.size = (uint32_t)sizeof state};
  seen_mention mention = {0, SEEN_MENTION_NONE};

  if (!test_dump_record(dump, engine, conv))
    test_dump_say(dump, "%s: none\n", seen_engine_id(engine, conv));
  say_working(dump, engine, conv);
  if (seen_engine_state(engine, conv, &state) != SEEN_OK) return;
  say_state(dump, &state);
  while (seen_engine_next_mention(engine, conv, mention.seq, &mention) ==
         SEEN_OK)
    test_dump_say(dump, " @%" PRIu64, mention.seq);
  say_receipts(dump, engine, conv, state.last_seq);
}

void test_dump_engine(test_dump *dump, seen_engine *engine) {
  seen_totals totals;
  seen_metrics metrics = {.size = (uint32_t)sizeof metrics};
  seen_session session = {.size = (uint32_t)sizeof session};
  seen_state row = {.size = (uint32_t)sizeof row};

  for (seen_conv conv = 1; seen_engine_id(engine, conv) != NULL; conv++)
    test_dump_conv(dump, engine, conv);
  for (size_t i = 0; seen_engine_page(engine, i, 1, &row) == 1; i++)
    test_dump_say(dump, "\n%s", row.id);
  seen_engine_totals(engine, &totals);
  seen_engine_session(engine, &session);
  test_dump_say(dump,
                "\nsession link %d foreground %d focus %d units %" PRIu64
                " at %" PRIu64 " random %" PRIu64 " dirty %" PRIu64,
                session.link, session.foreground, session.focus, session.units,
                session.units_at, session.random, session.dirty_since);
  seen_engine_metrics(engine, &metrics);
  test_dump_say(dump,
                "\ntotals %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                " metrics %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                " %" PRIu64 " %" PRIu64 " %" PRIu64 " deadline %" PRIu64 "\n",
                totals.unread, totals.conversations, totals.muted,
                totals.mentions, metrics.advances, metrics.reports_sent,
                metrics.report_frames, metrics.reports_merged,
                metrics.stale_positions, metrics.refused, metrics.unread_drift,
                seen_engine_deadline(engine));
}

static void say_report(test_dump *dump, const seen_report *report) {
  test_dump_say(dump, " %" PRIu64 ":%" PRIu64 " keep %d frame %" PRIu32,
                report->epoch, report->seq, report->keep, report->frame);
  for (size_t i = 0; i < report->cleared_count; i++)
    test_dump_say(dump, " -%" PRIu64, report->cleared[i]);
}

void test_dump_effect(test_dump *dump, const seen_engine *engine,
                      const seen_effect *effect) {
  const char *id = seen_engine_id(engine, effect->conv);

  test_dump_say(dump, "%d %s", (int)effect->type, id != NULL ? id : "-");
  switch (effect->type) {
  case SEEN_EFFECT_MUTE:
  case SEEN_EFFECT_PIN: test_dump_say(dump, " %d", effect->u.on); break;
  case SEEN_EFFECT_REPORT: say_report(dump, &effect->u.report); break;
  case SEEN_EFFECT_MARK_UNREAD:
    test_dump_say(dump, " %" PRIu64 ":%" PRIu64 " to %" PRIu64 " op %" PRIu64,
                  effect->u.mark.expected_epoch, effect->u.mark.expected_seq,
                  effect->u.mark.target, effect->u.mark.op);
    break;
  case SEEN_EFFECT_DELIVERED:
    test_dump_say(dump, " %" PRIu64, effect->u.seq);
    break;
  case SEEN_EFFECT_SUBSCRIBE:
  case SEEN_EFFECT_UNSUBSCRIBE:
    test_dump_say(dump, " %" PRIu64 "-%" PRIu64, effect->u.range.lo,
                  effect->u.range.hi);
    break;
  default: break;
  }
  test_dump_say(dump, "\n");
}
