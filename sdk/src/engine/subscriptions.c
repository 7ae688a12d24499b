/* R5: one range a window, from the first to the last own text on screen. */
#include "engine/subscriptions.h"

static seen_run own_texts(const seen_engine *engine, const sn_conv *conv) {
  seen_run own = {0, 0}, range = conv->viewport->range;
  uint32_t tag = sn_sender_tag(engine->me, true);
  sn_run run;
  if (!conv->facts || !range.lo) return own;
  for (uint64_t s = range.lo;
       sn_runs_next(&conv->facts->senders, s, &run) && run.lo <= range.hi;
       s = run.hi + 1) {
    if (run.tag != tag) continue;
    if (!own.lo) own.lo = sn_max(run.lo, range.lo);
    own.hi = sn_min(run.hi, range.hi);
  }
  return own;
}

static seen_run wanted(const seen_engine *engine, const sn_conv *conv) {
  if (!engine->options.subscriptions || !engine->link ||
      !conv->viewport->open || sn_conv_silent(conv))
    return (seen_run){0, 0};
  return own_texts(engine, conv);
}

int sn_subscriptions_run(seen_engine *engine) {
  for (size_t i = engine->windows.count; i-- > 0;) {
    sn_conv *conv = sn_engine_conv(engine, engine->windows.items[i]);
    seen_run want = wanted(engine, conv);
    seen_run held = conv->viewport->subscribed;
    if (want.lo == held.lo && want.hi == held.hi) continue;
    if (sn_outbox_reserve(engine->memory, &engine->outbox, 2, 0))
      return SEEN_ENOMEM;
    if (held.lo && engine->link)
      sn_outbox_put(&engine->outbox, SEEN_EFFECT_UNSUBSCRIBE, conv->handle,
                    held.lo, held.hi);
    if (want.lo)
      sn_outbox_put(&engine->outbox, SEEN_EFFECT_SUBSCRIBE, conv->handle,
                    want.lo, want.hi);
    conv->viewport->subscribed = want;
    if (sn_viewport_ended(conv->viewport))
      sn_engine_drop_viewport(engine, conv);
  }
  return SEEN_OK;
}
