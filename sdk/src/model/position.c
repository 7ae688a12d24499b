/* Section 2 of the semantics, as far as it is pure. */
#include <seen/position.h>

int seen_position_compare(seen_position a, seen_position b) {
  if (a.epoch != b.epoch) return a.epoch < b.epoch ? -1 : 1;
  if (a.seq != b.seq) return a.seq < b.seq ? -1 : 1;
  return 0;
}

/* P1 */
seen_position seen_position_merge(seen_position a, seen_position b) {
  return seen_position_compare(a, b) < 0 ? b : a;
}

/* P2, P3 */
seen_verdict seen_position_report(seen_position *position, uint64_t epoch,
                                  uint64_t seq, uint64_t last_seq) {
  if (epoch > position->epoch) return SEEN_EPOCH_AHEAD;
  if (seq > last_seq) return SEEN_SEQ_OUT_OF_RANGE;
  if (epoch < position->epoch && seq <= position->high) return SEEN_UNCHANGED;
  if (seq <= position->seq) return SEEN_UNCHANGED;
  position->seq = seq;
  return SEEN_ADVANCED;
}

/* P4 */
seen_verdict seen_position_mark_unread(seen_position *position,
                                       uint64_t expected_epoch,
                                       uint64_t expected_seq, uint64_t target,
                                       uint64_t last_seq) {
  seen_verdict verdict;
  if (target >= expected_seq) return SEEN_TARGET_INVALID;
  verdict =
      seen_position_report(position, expected_epoch, expected_seq, last_seq);
  if (verdict != SEEN_ADVANCED && verdict != SEEN_UNCHANGED) return verdict;
  if (position->epoch != expected_epoch || position->seq != expected_seq)
    return SEEN_CONFLICT;
  position->epoch++;
  position->high = seen_position_receipt(*position);
  position->seq = target;
  return SEEN_ADVANCED;
}

/* P5 */
seen_position seen_position_rejoin(seen_position position, uint64_t last_seq) {
  return (seen_position){position.epoch + 1, last_seq, last_seq};
}

/* P9 */
uint64_t seen_position_receipt(seen_position position) {
  return position.seq > position.high ? position.seq : position.high;
}
