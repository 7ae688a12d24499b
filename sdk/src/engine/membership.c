/* What ends with a membership, a row, or a server's incarnation. */
#include "engine/membership.h"

#include "engine/mentions.h"
#include "engine/reporter.h"
#include "engine/upkeep.h"

/* What a conversation is when nothing is known of it. */
static void make_blank(sn_conv *conv) {
  *conv = (sn_conv){.id = conv->id,
                    .handle = conv->handle,
                    .block = conv->block,
                    .flags = conv->flags & (SN_FETCHED | SN_LISTED | SN_MOVED |
                                            SN_CHANGED | SN_DIRTY | SN_TOTALED |
                                            SN_TOTAL_MUTED | SN_TOTAL_CONV),
                    .unread = conv->unread, /* what the totals hold of it */
                    .mentions = conv->mentions,
                    .kind = conv->kind,
                    .join_seq = 1,
                    .facts = conv->facts,
                    .reading = conv->reading,
                    .viewport = conv->viewport,
                    .roster = conv->roster};
}

void sn_membership_end(seen_engine *engine, sn_conv *conv) {
  sn_reading *reading = conv->reading;
  if (reading) {
    reading->wish = (sn_wish){0};
    reading->mark = (sn_mark){0};
    reading->acked = false;
    reading->sent = reading->mark_sent = false; /* no answer matters now */
    reading->retry_at = SN_NO_TIME;
    reading->own = 0;
    sn_runs_clear(&reading->cleared);
    sn_runs_clear(&reading->sent_cleared);
    sn_mentions_derive(conv);
  }
  if (conv->viewport) sn_viewport_close(conv->viewport);
  sn_engine_settle(engine, conv);
}

void sn_membership_discard(seen_engine *engine, sn_conv *conv) {
  if (conv->reading) {
    sn_reporter_rest(engine, conv);
    sn_reading_clear(conv->reading);
  }
  if (conv->facts) sn_facts_clear(conv->facts);
  if (conv->viewport) sn_viewport_close(conv->viewport);
  make_blank(conv);
  sn_engine_refresh(engine, conv); /* takes it out of the timers */
  engine->facts -= conv->facts != NULL;
  engine->readings -= conv->reading != NULL;
  sn_conv_free_knowledge(engine->memory, conv);
}

void sn_membership_forget(seen_engine *engine, sn_conv *conv) {
  sn_membership_discard(engine, conv);
  sn_engine_dirty(engine, conv);
}

void sn_membership_renew(seen_engine *engine, sn_conv *conv, uint64_t last) {
  sn_conv old = *conv;
  sn_reading *reading = conv->reading;
  make_blank(conv);
  conv->flags |= old.flags & (SN_ROW | SN_MUTED | SN_PINNED | SN_WANT_MUTE |
                              SN_WANT_MUTED | SN_WANT_PIN | SN_WANT_PINNED);
  conv->updated_at = old.updated_at;
  conv->floor = old.floor;
  conv->join_seq = old.join_seq;
  conv->delivered_here = sn_min(old.delivered_here, last);
  if (conv->facts) sn_facts_clear(conv->facts);
  if (conv->roster) sn_roster_clear(conv->roster);
  if (conv->viewport) sn_viewport_cut(conv->viewport, last);
  if (!reading) return;
  uint64_t own = sn_min(reading->own, last);
  sn_runs cleared = reading->cleared;
  reading->cleared = (sn_runs){0};
  sn_reporter_rest(engine, conv);
  sn_reading_clear(reading);
  reading->own = own;
  reading->cleared = cleared;
  sn_runs_remove(&reading->cleared, last + 1, SEEN_SEQ_MAX);
}
