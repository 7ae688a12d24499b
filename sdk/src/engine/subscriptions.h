/* Receipts of own messages on screen are asked for (R5). */
#ifndef SN_ENGINE_SUBSCRIPTIONS_H
#define SN_ENGINE_SUBSCRIPTIONS_H

#include "engine/core.h"

/* The tag of a sender's run in facts. */
static inline uint32_t sn_sender_tag(uint32_t user, bool text) {
  return user << 1 | text;
}

/* Subscribes to what is on screen, and no more: 0 or SEEN_ENOMEM. */
int sn_subscriptions_run(seen_engine *engine);

#endif
