/* U5: once a link and gap; several late together are one fetch. */
#include "engine/fetches.h"

#include "engine/gaps.h"

void sn_fetches_schedule(seen_engine *engine, sn_conv *conv) {
  sn_facts *facts = conv->facts;
  uint64_t due = sn_conv_silent(conv)
                     ? SEEN_NEVER
                     : sn_gaps_due(conv, engine->options.fetch_wait_ms);
  sn_timers_set(&engine->fetches, conv->handle, &facts->fetch_place, due);
}

int sn_fetches_run(seen_engine *engine) {
  if (!engine->link) return SEEN_OK;
  while (sn_timers_due(&engine->fetches) <= engine->now) {
    if (sn_outbox_reserve(engine->memory, &engine->outbox, 1, 0))
      return SEEN_ENOMEM;
    sn_conv *conv = sn_engine_conv(engine, sn_timers_pop(&engine->fetches));
    if (sn_gaps_ask(conv, engine->now, engine->options.fetch_wait_ms))
      sn_outbox_put(&engine->outbox, SEEN_EFFECT_FETCH, conv->handle, 0, 0);
    sn_fetches_schedule(engine, conv);
  }
  return SEEN_OK;
}
