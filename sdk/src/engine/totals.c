/* B4: a row's share in the totals is remembered by three flags of it. */
#include "engine/totals.h"

#include <string.h>

static uint64_t *unread_of(seen_totals *totals, const sn_conv *conv) {
  return sn_conv_has(conv, SN_TOTAL_MUTED) ? &totals->muted : &totals->unread;
}

static void take_out(seen_totals *totals, const sn_conv *conv) {
  if (!sn_conv_has(conv, SN_TOTALED)) return;
  *unread_of(totals, conv) -= conv->unread;
  totals->mentions -= conv->mentions;
  totals->conversations -= sn_conv_has(conv, SN_TOTAL_CONV);
}

void sn_totals_add(seen_totals *totals, const sn_conv *conv) {
  if (!sn_conv_has(conv, SN_TOTALED)) return;
  *unread_of(totals, conv) += conv->unread;
  totals->mentions += conv->mentions;
  totals->conversations += sn_conv_has(conv, SN_TOTAL_CONV);
}

void sn_totals_update(seen_totals *totals, sn_conv *conv, uint64_t unread,
                      uint32_t mentions) {
  bool muted = sn_conv_muted(conv);
  take_out(totals, conv);
  conv->unread = unread;
  conv->mentions = mentions;
  sn_conv_flag(conv, SN_TOTALED, sn_conv_shown_in_list(conv));
  sn_conv_flag(conv, SN_TOTAL_MUTED, muted);
  sn_conv_flag(conv, SN_TOTAL_CONV,
               !muted && (unread || sn_conv_marked_unread(conv)));
  sn_totals_add(totals, conv);
}

bool sn_totals_equal(const seen_totals *a, const seen_totals *b) {
  return memcmp(a, b, sizeof *a) == 0;
}
