/* How one conversation's unread came about, for a person (U1, U6). */
#include "base/text.h"
#include "engine/core.h"
#include "engine/gaps.h"
#include "engine/reporter.h"
#include "engine/tally.h"
#include "model/names.h"

enum { SHOWN_RUNS = 20 };

static void add_run(sn_text *text, uint64_t lo, uint64_t hi) {
  if (lo == hi)
    sn_text_format(text, " %u", lo);
  else
    sn_text_format(text, " %u-%u", lo, hi);
}

/* The runs of a set within [lo, hi], the first of them at most. */
static void add_runs(sn_text *text, const char *what, const sn_runs *runs,
                     uint64_t lo, uint64_t hi) {
  size_t count = 0;
  sn_run run;
  if (lo > hi || !sn_runs_count(runs, lo, hi)) return;
  sn_text_add(text, what);
  for (uint64_t s = lo; sn_runs_next(runs, s, &run) && run.lo <= hi;
       s = run.hi + 1) {
    if (count++ == SHOWN_RUNS) {
      sn_text_add(text, " …");
      break;
    }
    add_run(text, sn_max(run.lo, lo), sn_min(run.hi, hi));
  }
  sn_text_add(text, "\n");
}

static void add_position(sn_text *text, const sn_conv *conv) {
  const seen_position *server = &conv->server;
  sn_text_format(text, "server position: epoch %u, seq %u, high %u\n",
                 server->epoch, server->seq, server->high);
  if (!conv->reading) return;
  const sn_wish *wish = &conv->reading->wish;
  const sn_mark *mark = &conv->reading->mark;
  if (wish->set)
    sn_text_format(text, "wish here: epoch %u, read %u, shown %u%s\n",
                   wish->epoch, wish->read, wish->shown,
                   wish->keep ? ", mentions kept" : "");
  if (mark->set)
    sn_text_format(text, "open mark: expects epoch %u, seq %u, target %u%s\n",
                   mark->epoch, mark->seq, mark->target,
                   conv->reading->mark_sent ? ", sent" : "");
}

static void add_base(sn_text *text, const sn_conv *conv) {
  sn_text_format(text, "base %u = max(shown %u, floor %u, join_seq - 1 = %u)\n",
                 sn_conv_base(conv), sn_conv_shown(conv), conv->floor,
                 conv->join_seq - 1);
}

static void add_tally(sn_text *text, const sn_conv *conv) {
  sn_text_format(text, "tally: version %u, up to %u, listed above %u\n",
                 conv->tally_version, conv->tally_last, conv->tally_from);
  if (conv->tally_from <= conv->tally_base) return;
  sn_text_format(text, "  block %u-%u: ", conv->tally_base + 1,
                 conv->tally_from);
  if (conv->tally_counted == SN_NOT_COUNTED)
    sn_text_add(text, "nothing is known of it\n");
  else
    sn_text_format(text, "%u uncountable, not listed\n", conv->tally_counted);
}

static void add_gaps(sn_text *text, const sn_conv *conv) {
  uint64_t next = conv->live_to + 1;
  sn_run run = {0, 0, 0};
  if (!sn_gaps_above(conv, 0)) return;
  sn_text_add(text, "gaps, counted as unread:");
  for (size_t i = 0; i < SHOWN_RUNS && next <= conv->last_seq; i++) {
    bool live = sn_runs_next(&conv->facts->live, next, &run);
    if (!live || run.lo > next)
      add_run(text, next, live ? run.lo - 1 : conv->last_seq);
    next = live ? run.hi + 1 : conv->last_seq + 1;
  }
  if (next <= conv->last_seq) sn_text_add(text, " …");
  sn_text_add(text, "\n");
}

static void add_live(sn_text *text, const sn_conv *conv) {
  if (conv->live_to <= conv->tally_last) return;
  sn_text_add(text, "live above the tally:");
  add_run(text, conv->tally_last + 1, conv->live_to);
  sn_text_add(text, "\n");
}

static void add_facts(sn_text *text, const sn_conv *conv) {
  const sn_facts *facts = conv->facts;
  uint64_t base = sn_conv_base(conv), last = conv->last_seq;
  if (!facts) return;
  add_runs(text, "uncountable above base:", &facts->uncountable, base + 1,
           last);
  add_runs(text, "found uncountable above base:", &facts->found, base + 1,
           last);
  add_runs(text, "live above a gap:", &facts->live, conv->live_to + 1, last);
  add_gaps(text, conv);
  add_runs(text, "open mentions:", &facts->open, 1, last);
  if (conv->reading)
    add_runs(text, "mentions cleared here:", &conv->reading->cleared, 1,
             SEEN_SEQ_MAX);
}

static void add_unread(sn_text *text, const sn_conv *conv) {
  sn_unread unread = sn_tally_count(conv);
  uint64_t base = sn_conv_base(conv), last = conv->last_seq;
  uint64_t above = last > base ? last - base : 0;
  sn_text_format(text,
                 "unread %u = last_seq %u - base %u - %u uncountable, %s\n",
                 unread.count, last, base, above - unread.count,
                 unread.exact ? "exact" : "the largest possible");
}

static void add_state(sn_text *text, const seen_engine *engine,
                      const sn_conv *conv) {
  if (sn_conv_has(conv, SN_GONE))
    sn_text_add(text, "not a member: no row, nothing counted\n");
  if (sn_conv_has(conv, SN_WAITING))
    sn_text_add(text, "waits for a snapshot of this incarnation\n");
  if (sn_conv_marked_unread(conv)) sn_text_add(text, "marked unread\n");
  if (sn_reporter_pending(conv))
    sn_text_add(text, engine->link ? "pending: not all is the server's yet\n"
                                   : "pending: the link is down\n");
  if (conv->reading && conv->reading->retry_at != SN_NO_TIME)
    sn_text_format(text, "rate limited until %u\n", conv->reading->retry_at);
}

int seen_engine_explain(const seen_engine *engine, seen_conv handle,
                        char *bytes, size_t size, size_t *length) {
  sn_text text;
  *length = 0;
  if (handle == 0 || handle > engine->registry.count) return SEEN_ENOTFOUND;
  const sn_conv *conv = sn_engine_conv(engine, handle);
  if (!sn_conv_has(conv, SN_ROW)) return SEEN_ENOTFOUND;
  sn_text_fixed(&text, bytes, size);
  sn_text_format(&text, "%s (%s)\n", conv->id, sn_kind_name(conv->kind));
  add_unread(&text, conv);
  add_base(&text, conv);
  add_position(&text, conv);
  add_tally(&text, conv);
  add_live(&text, conv);
  add_facts(&text, conv);
  add_state(&text, engine, conv);
  *length = text.length;
  return SEEN_OK;
}
