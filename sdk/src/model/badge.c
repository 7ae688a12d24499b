/* Only the text of a badge is capped; whoever sorts has the true number. */
#include <seen/badge.h>

#include "base/text.h"

/* B2 */
seen_badge_kind seen_badge_choose(uint64_t unread, bool muted,
                                  bool marked_unread) {
  if (!unread) return marked_unread ? SEEN_BADGE_DOT_KIND : SEEN_BADGE_NONE;
  return muted ? SEEN_BADGE_DOT_KIND : SEEN_BADGE_NUMBER;
}

/* B1 */
size_t seen_badge_text(seen_badge_kind kind, uint64_t unread, uint32_t cap,
                       char *text) {
  sn_text badge;
  sn_text_fixed(&badge, text, SEEN_BADGE_MAX);
  if (!cap) cap = 1;
  if (kind == SEEN_BADGE_DOT_KIND) {
    sn_text_add(&badge, SEEN_BADGE_DOT);
  } else if (kind == SEEN_BADGE_NUMBER && unread) {
    sn_text_add_number(&badge, unread > cap ? cap : unread);
    if (unread > cap) sn_text_add(&badge, "+");
  }
  return badge.length;
}
