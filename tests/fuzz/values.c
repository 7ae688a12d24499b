/* Positions, badges and viewports, of any numbers. */
#include "fuzz/target.h"

#include <seen/badge.h>
#include <seen/position.h>
#include <seen/viewport.h>

#include <string.h>

enum { ROWS = 12, EPOCHS = 4 };

static uint64_t seq(target_bytes *bytes) {
  unsigned byte = target_byte(bytes);

  if (byte < 200) return byte % 16;
  return byte < 250 ? SEEN_SEQ_MAX - byte % 8
                    : target_number(bytes) % (SEEN_SEQ_MAX + 1);
}

/* Positions of one server: all of an epoch were rolled back at one seq. */
static seen_position position(const uint64_t *highs, target_bytes *bytes) {
  uint64_t epoch = target_below(bytes, EPOCHS);

  return (seen_position){epoch, seq(bytes), highs[epoch]};
}

static bool same(seen_position a, seen_position b) {
  return a.epoch == b.epoch && a.seq == b.seq && a.high == b.high;
}

/* P1 */
static void check_merge(seen_position a, seen_position b, seen_position c) {
  seen_position merged = seen_position_merge(a, b);

  REQUIRE(seen_position_compare(a, b) == -seen_position_compare(b, a));
  REQUIRE(same(merged, seen_position_merge(b, a)));
  REQUIRE(same(merged, seen_position_merge(merged, a)));
  REQUIRE(same(seen_position_merge(merged, c),
               seen_position_merge(a, seen_position_merge(b, c))));
}

/* P2, P3, P9 */
static void check_report(seen_position at, target_bytes *bytes) {
  seen_position before = at;
  uint64_t epoch = target_below(bytes, EPOCHS), reported = seq(bytes),
           last = seq(bytes);
  seen_verdict verdict = seen_position_report(&at, epoch, reported, last);

  REQUIRE((verdict == SEEN_ADVANCED) == !same(before, at));
  REQUIRE(at.epoch == before.epoch && at.seq >= before.seq);
  REQUIRE(seen_position_receipt(at) >= seen_position_receipt(before));
  if (verdict == SEEN_ADVANCED) REQUIRE(at.seq == reported && reported <= last);
}

/* P4 */
static void check_mark(seen_position at, target_bytes *bytes) {
  seen_position before = at;
  uint64_t epoch = target_below(bytes, EPOCHS), expected = seq(bytes),
           target = seq(bytes);
  seen_verdict verdict =
      seen_position_mark_unread(&at, epoch, expected, target, seq(bytes));

  REQUIRE(seen_position_receipt(at) >= seen_position_receipt(before));
  if (verdict != SEEN_ADVANCED) return;
  REQUIRE(at.epoch == before.epoch + 1 && at.seq == target);
  REQUIRE(at.high >= expected && target < expected);
}

/* B1 */
static void check_badge(target_bytes *bytes) {
  char text[SEEN_BADGE_MAX];
  uint64_t unread = seq(bytes);
  unsigned with = target_byte(bytes);
  seen_badge_kind kind = seen_badge_choose(unread, with & 1, with & 2);
  size_t length =
      seen_badge_text(kind, unread, (uint32_t)target_number(bytes), text);

  REQUIRE(strlen(text) == length && length < SEEN_BADGE_MAX);
  REQUIRE((length == 0) == (kind == SEEN_BADGE_NONE));
}

static double edge(target_bytes *bytes) {
  uint64_t number;
  double value;

  if (target_byte(bytes) < 200) return (int)target_byte(bytes) - 100;
  number = target_number(bytes);
  memcpy(&value, &number, sizeof value);
  return value;
}

static void check_viewport(target_bytes *bytes) {
  seen_list_row rows[ROWS];
  size_t count = target_below(bytes, ROWS + 1);
  seen_run range;

  for (size_t i = 0; i < count; i++) {
    rows[i].seq = seq(bytes);
    rows[i].top = edge(bytes);
    rows[i].bottom = edge(bytes);
  }
  if (seen_viewport_range(rows, count, edge(bytes), &range))
    REQUIRE(range.lo > 0 && range.lo <= range.hi);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  target_bytes from = {bytes, bytes + size};

  while (target_has_more(&from)) {
    const uint64_t highs[EPOCHS] = {seq(&from), seq(&from), seq(&from),
                                    seq(&from)};
    seen_position at = position(highs, &from);

    check_merge(at, position(highs, &from), position(highs, &from));
    check_report(at, &from);
    check_mark(at, &from);
    check_badge(&from);
    check_viewport(&from);
  }
  return 0;
}
