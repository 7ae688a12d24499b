/* Delivered positions are due like reports, but cost no token. */
#include "engine/delivered.h"

void sn_delivered_rise(seen_engine *engine, sn_conv *conv, uint64_t seq) {
  sn_facts *facts = conv->facts;
  if (!engine->options.delivered || seq <= conv->delivered_here) return;
  conv->delivered_here = seq;
  facts->delivered_last = engine->now;
  if (facts->delivered_first == SN_NO_TIME)
    facts->delivered_first = engine->now;
}

void sn_delivered_send(seen_engine *engine, sn_conv *conv) {
  uint64_t sent = conv->facts ? conv->facts->delivered_sent : 0;
  if (!engine->options.delivered || sn_conv_silent(conv) ||
      conv->delivered_here <= sn_max(sent, conv->delivered_server))
    return;
  conv->facts->delivered_sent = conv->delivered_here;
  sn_outbox_put(&engine->outbox, SEEN_EFFECT_DELIVERED, conv->handle,
                conv->delivered_here, 0);
}

void sn_delivered_new_link(sn_conv *conv) {
  sn_facts *facts = conv->facts;
  if (!facts) return;
  facts->delivered_sent = 0;
  facts->delivered_first = facts->delivered_last = SN_NO_TIME;
}

void sn_delivered_schedule(seen_engine *engine, sn_conv *conv) {
  sn_facts *facts = conv->facts;
  uint64_t due = SEEN_NEVER;
  if (facts->delivered_first != SN_NO_TIME)
    due = sn_min(facts->delivered_last + engine->options.debounce_ms,
                 facts->delivered_first + engine->options.max_wait_ms);
  sn_timers_set(&engine->delivered, conv->handle, &facts->delivered_place, due);
}

int sn_delivered_run(seen_engine *engine) {
  if (!engine->link) return SEEN_OK;
  while (sn_timers_due(&engine->delivered) <= engine->now) {
    if (sn_outbox_reserve(engine->memory, &engine->outbox, 1, 0))
      return SEEN_ENOMEM;
    sn_conv *conv = sn_engine_conv(engine, sn_timers_pop(&engine->delivered));
    conv->facts->delivered_first = conv->facts->delivered_last = SN_NO_TIME;
    sn_delivered_send(engine, conv);
  }
  return SEEN_OK;
}
