/* V3–V7: debounce, the token bucket, frames, waits after rate_limited. */
#include "engine/reporter.h"

#include "engine/mentions.h"

enum { FRAME_ITEMS = 100, LONGEST_WAIT = 60000 };

static bool has_news(const sn_reading *reading) {
  const sn_wish *wish = &reading->wish;
  if (!wish->set || sn_wish_is_mark(wish, &reading->mark)) return false;
  return wish->shown < wish->read ||
         !(reading->sent && reading->sent_epoch == wish->epoch &&
           reading->sent_seq == wish->read);
}

bool sn_reporter_unsent(const sn_conv *conv) {
  if (!conv->reading || sn_conv_has(conv, SN_GONE)) return false;
  return has_news(conv->reading) || sn_mentions_unsent(conv);
}

bool sn_reporter_pending(const sn_conv *conv) {
  const sn_reading *reading = conv->reading;
  if (!reading || sn_conv_has(conv, SN_GONE)) return false;
  return reading->wish.set || reading->mark.set || sn_mentions_named(conv);
}

sn_next sn_reporter_next(const sn_conv *conv) {
  const sn_reading *reading = conv->reading;
  if (!reading || sn_conv_silent(conv)) return SN_NEXT_NOTHING;
  if (reading->mark.set)
    return reading->mark_sent ? SN_NEXT_NOTHING : SN_NEXT_MARK;
  if (reading->wish.set && reading->wish.shown < reading->wish.read)
    return SN_NEXT_MARK;
  return sn_reporter_unsent(conv) ? SN_NEXT_REPORT : SN_NEXT_NOTHING;
}

static void set_pass_limit(seen_engine *engine, sn_reading *reading, bool on) {
  if (reading->pass_limit == on) return;
  reading->pass_limit = on;
  engine->pass_limit += on ? (size_t)1 : (size_t)-1;
}

void sn_reporter_touch(seen_engine *engine, sn_conv *conv) {
  sn_reading *reading = conv->reading;
  sn_engine_dirty(engine, conv);
  if (reading->first == SN_NO_TIME) reading->first = engine->now;
  reading->last = engine->now;
}

void sn_reporter_hurry(seen_engine *engine, sn_conv *conv, bool pass_limit) {
  sn_reading *reading = conv->reading;
  if (!reading || reading->retry_at != SN_NO_TIME || !sn_reporter_unsent(conv))
    return;
  reading->now_due = true;
  if (pass_limit && !reading->mark.set) /* V7 */
    set_pass_limit(engine, reading, true);
}

void sn_reporter_rest(seen_engine *engine, sn_conv *conv) {
  sn_reading *reading = conv->reading;
  reading->first = reading->last = SN_NO_TIME;
  reading->now_due = false;
  set_pass_limit(engine, reading, false);
}

void sn_reporter_end_wait(seen_engine *engine, sn_conv *conv) {
  sn_reading *reading = conv->reading;
  if (reading && reading->retry_at != SN_NO_TIME &&
      reading->retry_at < engine->now &&
      sn_reporter_next(conv) == SN_NEXT_NOTHING)
    reading->retry_at = SN_NO_TIME;
}

void sn_reporter_answered(sn_conv *conv) {
  sn_reading *reading = conv->reading;
  reading->backoff = SN_FIRST_BACKOFF;
  if (reading->retry_at == SN_NO_TIME) return;
  reading->retry_at = SN_NO_TIME;
  reading->now_due = true;
}

void sn_reporter_limited(seen_engine *engine, sn_conv *conv,
                         uint64_t retry_ms) {
  sn_reading *reading = conv->reading;
  uint64_t wait = retry_ms ? retry_ms : reading->backoff;
  if (engine->options.jitter) wait += sn_engine_random(engine) % (wait / 2 + 1);
  reading->retry_at = sn_min(engine->now + wait, SEEN_SEQ_MAX);
  reading->backoff = sn_min(LONGEST_WAIT, reading->backoff * 2);
  reading->sent = false;
}

void sn_reporter_link(seen_engine *engine, sn_conv *conv, bool up) {
  sn_reading *reading = conv->reading;
  if (!reading) return;
  reading->retry_at = SN_NO_TIME;
  reading->backoff = SN_FIRST_BACKOFF;
  set_pass_limit(engine, reading, false);
  if (!up) return;
  reading->sent = reading->mark_sent = false;
  sn_runs_clear(&reading->sent_cleared);
  if (!sn_conv_silent(conv) && sn_reporter_unsent(conv))
    reading->now_due = true;
}

static uint64_t due_of(const seen_engine *engine, const sn_reading *reading,
                       sn_next next) {
  const seen_options *options = &engine->options;
  if (next == SN_NEXT_NOTHING) return SEEN_NEVER;
  if (reading->retry_at != SN_NO_TIME) return reading->retry_at;
  if (next == SN_NEXT_MARK || reading->now_due || reading->first == SN_NO_TIME)
    return 0;
  return sn_min(reading->last + options->debounce_ms,
                reading->first + options->max_wait_ms);
}

/* What is due already stays where it waits for a token. */
static void schedule_report(seen_engine *engine, sn_conv *conv, uint64_t due) {
  sn_reading *reading = conv->reading;
  if (reading->waiting && due <= engine->now) return;
  if (reading->waiting)
    sn_timers_set(&engine->waiting, conv->handle, &reading->report_place,
                  SEEN_NEVER);
  reading->waiting = false;
  sn_timers_set(&engine->reports, conv->handle, &reading->report_place, due);
}

void sn_reporter_schedule(seen_engine *engine, sn_conv *conv) {
  sn_reading *reading = conv->reading;
  sn_next next = sn_reporter_next(conv);
  uint64_t due = due_of(engine, reading, next);
  schedule_report(engine, conv, next == SN_NEXT_REPORT ? due : SEEN_NEVER);
  sn_timers_set(&engine->marks, conv->handle, &reading->mark_place,
                next == SN_NEXT_MARK ? due : SEEN_NEVER);
}

static uint64_t units_now(const seen_engine *engine) {
  uint64_t full = (uint64_t)engine->options.burst * SN_TOKEN;
  uint64_t elapsed = engine->now - engine->units_at;
  if (elapsed >= full) return full; /* the gain is at least one unit a ms */
  return sn_min(full,
                engine->units + elapsed * engine->options.reports_per_second);
}

static uint64_t token_time(const seen_engine *engine) {
  uint64_t units = units_now(engine), gain = engine->options.reports_per_second;
  if (units >= SN_TOKEN) return engine->now;
  return engine->now + (SN_TOKEN - units + gain - 1) / gain;
}

static void take_token(seen_engine *engine) {
  engine->units = units_now(engine) - SN_TOKEN;
  engine->units_at = engine->now;
}

uint64_t sn_reporter_due(const seen_engine *engine) {
  uint64_t due =
      engine->waiting.count ? engine->now : sn_timers_due(&engine->reports);
  if (due != SEEN_NEVER) due = sn_max(due, token_time(engine));
  return sn_min(due, sn_timers_due(&engine->marks));
}

static void send_mark(seen_engine *engine, sn_conv *conv) {
  sn_reading *reading = conv->reading;
  if (!reading->mark.set) {
    sn_wish_open_mark(&reading->wish, &reading->mark, sn_engine_random(engine));
    reading->sent = false;
    sn_reporter_rest(engine, conv);
    sn_engine_persist_one(engine, conv); /* P7: its op outlives a crash */
  }
  reading->mark_sent = true;
  reading->retry_at = SN_NO_TIME;
  sn_outbox_put_mark(&engine->outbox, conv->handle, &reading->mark);
  sn_reporter_schedule(engine, conv);
  sn_engine_notify(engine, conv);
}

static int send_marks(seen_engine *engine) {
  while (sn_timers_due(&engine->marks) <= engine->now) {
    if (sn_outbox_reserve(engine->memory, &engine->outbox, 1, 0))
      return SEEN_ENOMEM;
    send_mark(engine, sn_engine_conv(engine, sn_timers_pop(&engine->marks)));
  }
  return SEEN_OK;
}

static void send_report(seen_engine *engine, sn_conv *conv) {
  sn_reading *reading = conv->reading;
  const sn_wish *wish = &reading->wish;
  reading->sent = true;
  reading->sent_epoch = wish->set ? wish->epoch : conv->server.epoch;
  reading->sent_seq = wish->set ? wish->read : conv->server.seq;
  sn_mentions_send(conv);
  sn_outbox_put_report(&engine->outbox, conv->handle, reading->sent_epoch,
                       reading->sent_seq, &reading->sent_cleared,
                       wish->set && wish->keep, engine->outbox.frames);
  engine->metrics.reports_sent++;
  reading->retry_at = SN_NO_TIME;
  sn_reporter_rest(engine, conv);
  sn_reporter_schedule(engine, conv);
  sn_engine_notify(engine, conv);
}

static size_t named_seqs(const sn_conv *conv) {
  return (size_t)sn_runs_count(&conv->reading->cleared, 0, SEEN_SEQ_MAX);
}

int sn_reporter_reserve(seen_engine *engine, const sn_conv *conv) {
  const sn_timers *waiting = &engine->waiting;
  size_t seqs = 0;
  for (size_t i = 1; i <= waiting->count; i++)
    seqs += named_seqs(sn_engine_conv(engine, waiting->items[i].conv));
  return sn_engine_reserve_outputs(engine, conv, waiting->count, seqs);
}

static void wait_for_token(seen_engine *engine, sn_conv *conv) {
  conv->reading->waiting = true;
  sn_timers_put(&engine->waiting, conv->handle, &conv->reading->report_place,
                conv->id);
}

/* The next up to `limit` that wait, by id, into `ready`. */
static size_t take_waiting(seen_engine *engine, size_t limit) {
  size_t count = 0;
  while (count < limit && engine->waiting.count) {
    seen_conv handle = sn_timers_pop(&engine->waiting);
    sn_engine_conv(engine, handle)->reading->waiting = false;
    engine->ready[count++] = handle;
  }
  return count;
}

static void put_back(seen_engine *engine, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    wait_for_token(engine, sn_engine_conv(engine, engine->ready[i]));
}

static void send_frame(seen_engine *engine, size_t from, size_t to) {
  engine->metrics.report_frames++;
  engine->outbox.frames++;
  for (size_t i = from; i < to; i++)
    send_report(engine, sn_engine_conv(engine, engine->ready[i]));
}

static int reserve_ready(seen_engine *engine, size_t count) {
  size_t seqs = 0;
  for (size_t i = 0; i < count; i++)
    seqs += named_seqs(sn_engine_conv(engine, engine->ready[i]));
  return sn_outbox_reserve(engine->memory, &engine->outbox, count, seqs);
}

static int send_paid(seen_engine *engine) {
  while (engine->waiting.count && units_now(engine) >= SN_TOKEN) {
    size_t count = take_waiting(engine, FRAME_ITEMS);
    if (reserve_ready(engine, count)) {
      put_back(engine, 0, count);
      return SEEN_ENOMEM;
    }
    take_token(engine);
    send_frame(engine, 0, count);
  }
  return SEEN_OK;
}

static bool may_pass(const seen_engine *engine, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    if (sn_engine_conv(engine, engine->ready[i])->reading->pass_limit)
      return true;
  return false;
}

/* Frames with something of a close or a background leave without (V4). */
static int send_passing(seen_engine *engine) {
  size_t count = take_waiting(engine, engine->waiting.count);
  int status = reserve_ready(engine, count);
  for (size_t i = 0; i < count; i += FRAME_ITEMS) {
    size_t end = i + FRAME_ITEMS < count ? i + FRAME_ITEMS : count;
    if (!status && may_pass(engine, i, end))
      send_frame(engine, i, end);
    else
      put_back(engine, i, end);
  }
  return status;
}

int sn_reporter_run(seen_engine *engine) {
  if (!engine->link) return SEEN_OK;
  if (send_marks(engine)) return SEEN_ENOMEM;
  while (sn_timers_due(&engine->reports) <= engine->now)
    wait_for_token(engine,
                   sn_engine_conv(engine, sn_timers_pop(&engine->reports)));
  if (send_paid(engine)) return SEEN_ENOMEM;
  return engine->waiting.count && engine->pass_limit ? send_passing(engine)
                                                     : SEEN_OK;
}
