/* U2, S4: whole words, newer over older. */
#include "engine/word.h"

#include <seen/position.h>

#include "engine/tally.h"
#include "engine/upkeep.h"

/* Of a tally that is taken, lists and gaps below what came are facts. */
static bool needs_facts(const sn_conv *conv, const seen_word *word,
                        bool whole) {
  if (!whole && !sn_tally_is_newer(conv, word)) return false;
  return word->uncountable_count || word->mention_count ||
         word->last_seq < conv->last_seq;
}

int sn_word_reserve(seen_engine *engine, sn_conv *conv, const seen_word *word,
                    bool whole) {
  if (needs_facts(conv, word, whole) && sn_engine_need_facts(engine, conv))
    return SEEN_ENOMEM;
  if (word->mention_count && sn_engine_need_reading(engine, conv))
    return SEEN_ENOMEM;
  return sn_tally_reserve(engine->memory, conv, word);
}

/*
 * S2: a rollback takes back what was read here before it. A wish was not
 * before it; nor is a mark of this device, which says by its target how far
 * was read.
 */
static void follow_rollback(sn_reading *reading, uint64_t seq) {
  reading->own = sn_max(sn_min(reading->own, seq),
                        reading->wish.set ? reading->wish.read : 0);
}

void sn_word_adopt(seen_engine *engine, sn_conv *conv, const seen_word *word,
                   bool whole) {
  sn_reading *reading = conv->reading;
  bool older = seen_position_compare(word->read, conv->server) < 0;
  engine->metrics.stale_positions += older;
  if (reading && word->read.epoch > conv->server.epoch)
    follow_rollback(reading, word->read.seq);
  conv->server = seen_position_merge(conv->server, word->read);
  if (whole || (!older && sn_tally_is_newer(conv, word))) {
    if (!sn_tally_take(conv, word, engine->now)) { /* U8 */
      engine->metrics.unread_drift++;
      engine->drifts++;
      sn_log_write(&engine->log, SEEN_LOG_WARN,
                   "%s: the server counts %u unread, its tally says otherwise",
                   conv->id, word->unread);
    }
  }
  sn_engine_settle(engine, conv);
}

void sn_word_replace(seen_engine *engine, sn_conv *conv,
                     seen_position position) {
  engine->metrics.stale_positions +=
      seen_position_compare(position, conv->server) < 0;
  conv->server = position;
  if (!conv->reading) return;
  conv->reading->acked = conv->reading->sent = false;
}
