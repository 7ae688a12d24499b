/*
 * What every change of a conversation ends with: the rules that follow a
 * position (P8), the recount, the totals, the timers and the notices.
 */
#include "engine/upkeep.h"

#include "engine/delivered.h"

#include "engine/fetches.h"
#include "engine/found.h"
#include "engine/mentions.h"
#include "engine/reporter.h"
#include "engine/tally.h"
#include "engine/totals.h"

void sn_engine_settle(seen_engine *engine, sn_conv *conv) {
  sn_reading *reading = conv->reading;
  if (reading) {
    if (reading->acked && reading->acked_epoch < conv->server.epoch)
      reading->acked = false;
    if (!reading->mark.set && sn_wish_settle(&reading->wish, conv->server))
      reading->now_due = true;
  }
  if (conv->facts && sn_found_drop_passed(conv->facts, conv->server.seq))
    sn_mentions_derive(conv);
  if (reading && !sn_reporter_unsent(conv)) sn_reporter_rest(engine, conv);
}

void sn_engine_refresh(seen_engine *engine, sn_conv *conv) {
  const sn_facts *facts = conv->facts;
  uint64_t mentions = 0;
  if (facts && facts->open.count)
    mentions = sn_runs_count(&facts->open, 0, SEEN_SEQ_MAX);
  sn_totals_update(&engine->totals, conv, sn_tally_unread(conv),
                   (uint32_t)sn_min(mentions, UINT32_MAX));
  if (sn_conv_shown_in_list(conv) != sn_conv_has(conv, SN_LISTED))
    sn_engine_reorder(engine, conv);
  if (conv->viewport && sn_viewport_ended(conv->viewport))
    sn_engine_drop_viewport(engine, conv);
  if (conv->reading) sn_reporter_schedule(engine, conv);
  if (conv->facts) {
    sn_delivered_schedule(engine, conv);
    sn_fetches_schedule(engine, conv);
  }
  sn_engine_notify(engine, conv);
}
