/* P6–P8 as functions on a wish, the open mark and the server's position. */
#include "engine/wish.h"

#include <seen/position.h>

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* The wish that a person's next act changes: the one held, or a new one. */
static sn_wish begin(const sn_wish *wish, seen_position server) {
  if (wish->set) return *wish;
  return (sn_wish){server.epoch, server.seq, server.seq, true, false};
}

void sn_wish_read(sn_wish *wish, seen_position server, uint64_t seq,
                  bool keep) {
  *wish = begin(wish, server);
  wish->shown = seq;
  wish->read = larger(wish->read, seq);
  wish->keep |= keep;
}

void sn_wish_mark(sn_wish *wish, seen_position server, uint64_t target) {
  *wish = begin(wish, server);
  wish->shown = target;
}

void sn_wish_open_mark(sn_wish *wish, sn_mark *mark, uint64_t op) {
  *mark = (sn_mark){wish->epoch, wish->read, wish->shown, op, true, wish->keep};
  *wish = (sn_wish){mark->epoch + 1, mark->target, mark->target, true, false};
}

bool sn_wish_is_mark(const sn_wish *wish, const sn_mark *mark) {
  return mark->set && wish->epoch == mark->epoch + 1 &&
         wish->read == mark->target && wish->shown == mark->target &&
         !wish->keep;
}

bool sn_wish_settle(sn_wish *wish, seen_position server) {
  if (!wish->set) return false;
  bool plain = wish->shown == wish->read;
  if (wish->epoch == server.epoch) {
    /* A plain read rises; a mark below a concurrent read would conflict. */
    if (wish->read < server.seq || (plain && wish->read == server.seq))
      *wish = (sn_wish){0};
  } else if (wish->epoch < server.epoch) {
    seen_position moved = server;
    if (seen_position_report(&moved, wish->epoch, wish->read, SEEN_SEQ_MAX) ==
        SEEN_ADVANCED) {
      *wish = (sn_wish){server.epoch, wish->read, wish->read, true, wish->keep};
      return true;
    }
    *wish = (sn_wish){0};
  }
  return false;
}

void sn_wish_conflict(sn_wish *wish, sn_mark *mark) {
  /* What was read since it was sent stays; a mark made since goes. */
  if (wish->set && wish->read > mark->target)
    *wish = (sn_wish){mark->epoch, wish->read, wish->read, true, wish->keep};
  else
    *wish = (sn_wish){0};
  *mark = (sn_mark){0};
}

void sn_wish_epoch_lost(sn_wish *wish, sn_mark *mark, seen_position server) {
  uint64_t read = larger(wish->set ? wish->read : 0, mark->set ? mark->seq : 0);
  bool keep = (wish->set && wish->keep) || (mark->set && mark->keep);
  *mark = (sn_mark){0};
  if (read > server.seq)
    *wish = (sn_wish){server.epoch, read, read, true, keep};
  else
    *wish = (sn_wish){0};
}

void sn_wish_revive(sn_wish *wish, seen_position server, uint64_t acked) {
  if (wish->set && wish->shown < wish->read) return;
  uint64_t read = larger(acked, wish->set ? wish->read : 0);
  *wish = (sn_wish){server.epoch, read, read, true, wish->set && wish->keep};
}
