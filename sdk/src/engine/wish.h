/*
 * What a person did here: a wish, and the mark as unread that is on its way
 * (P6–P8). Values only; the server's position is never changed here.
 */
#ifndef SN_ENGINE_WISH_H
#define SN_ENGINE_WISH_H

#include <seen/types.h>

/* How far was read, and what is to be shown now: shown <= read (P6). */
typedef struct sn_wish {
  uint64_t epoch;
  uint64_t read;
  uint64_t shown;
  bool set;
  bool keep; /* raised by mark all as read: reminders stay (M3) */
} sn_wish;

/* The open mark: sent, or about to be, and not answered (P7). */
typedef struct sn_mark {
  uint64_t epoch; /* expected */
  uint64_t seq;   /* expected */
  uint64_t target;
  uint64_t op;
  bool set;
  bool keep;
} sn_mark;

/* A read up to seq, above what is shown (P6). */
void sn_wish_read(sn_wish *wish, seen_position server, uint64_t seq, bool keep);

/* A mark as unread: from now on `target` is shown (P6). */
void sn_wish_mark(sn_wish *wish, seen_position server, uint64_t target);

/* Makes the wish's mark the open mark; the wish starts anew (P7). */
void sn_wish_open_mark(sn_wish *wish, sn_mark *mark, uint64_t op);

/* Whether the wish is only what the open mark will bring. */
bool sn_wish_is_mark(const sn_wish *wish, const sn_mark *mark);

/*
 * After a new server position, with no mark open (P8, rules two and three).
 * True where a read outlived a rollback: it is due at once.
 */
bool sn_wish_settle(sn_wish *wish, seen_position server);

/* The open mark was refused by a concurrent read (P8, `conflict`). */
void sn_wish_conflict(sn_wish *wish, sn_mark *mark);

/* The server lost an epoch: its position replaces ours (P8). */
void sn_wish_epoch_lost(sn_wish *wish, sn_mark *mark, seen_position server);

/* The server forgot an acknowledged read: it is a wish again (S4). */
void sn_wish_revive(sn_wish *wish, seen_position server, uint64_t acked);

#endif
