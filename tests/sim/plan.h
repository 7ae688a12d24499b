/*
 * What happens in a simulation, drawn from its seed before it begins: who
 * there is, what people do when, what fails when. A plan can be cut, which is
 * how a failure is made small: no act draws on what another one drew.
 */
#ifndef TESTS_SIM_PLAN_H
#define TESTS_SIM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/random.h"

/* X(name, word, weight): acts, how they are printed, how often they come. */
#define SIM_ACTS(X)                                                            \
  X(SAY, "says something", 60)                                                 \
  X(NAME, "mentions somebody", 12)                                             \
  X(QUOTE, "quotes", 6)                                                        \
  X(REACT, "reacts", 4)                                                        \
  X(RECALL, "recalls", 8)                                                      \
  X(EDIT, "edits", 8)                                                          \
  X(OPEN, "opens", 24)                                                         \
  X(SCROLL, "scrolls", 60)                                                     \
  X(FLING, "flings", 8)                                                        \
  X(CLOSE, "closes", 16)                                                       \
  X(READ, "marks as read", 10)                                                 \
  X(UNREAD, "marks as unread", 14)                                             \
  X(READ_ALL, "marks all as read", 5)                                          \
  X(CLEAR, "clears mentions", 4)                                               \
  X(MUTE, "mutes", 4)                                                          \
  X(PIN, "pins", 4)                                                            \
  X(AWAY, "goes to the background", 8)                                         \
  X(BACK, "comes to the foreground", 14)                                       \
  X(BLUR, "loses the focus", 3)                                                \
  X(FOCUS, "has the focus", 6)                                                 \
  X(FLUSH, "flushes", 4)                                                       \
  X(AUDIT, "audits", 2)                                                        \
  X(PUSHED, "gets a push notification", 4)                                     \
  X(HISTORY, "looks at history", 3)                                            \
  X(READERS, "asks who has read", 3)                                           \
  X(CREATE, "makes a conversation", 2)                                         \
  X(JOIN, "joins", 4)                                                          \
  X(LEAVE, "leaves", 3)                                                        \
  X(ADD, "is added", 5)                                                        \
  X(REMOVE, "is removed", 3)                                                   \
  X(RECEIPTS, "turns receipts off or on", 4)                                   \
  X(TAKEDOWN, "has a message taken down", 3)                                   \
  X(PURGE, "loses old messages", 1)                                            \
  X(APPROVE, "is approved", 3)                                                 \
  X(CUT, "loses its connection", 14)                                           \
  X(HALF, "has a half-open connection", 5)                                     \
  X(PARTITION, "is cut off", 6)                                                \
  X(BLOCKED, "can't open sockets", 2)                                          \
  X(PORTAL, "is behind a portal", 2)                                           \
  X(SLOW, "reads its socket slowly", 4)                                        \
  X(MISS, "misses pushes", 4)                                                  \
  X(NETWORK, "changes its network", 4)                                         \
  X(SWIPE, "is put away and killed", 4)                                        \
  X(KILL, "is killed", 6)                                                      \
  X(PAGE, "is killed behind a page of rows", 2)                                \
  X(REBOOT, "is started anew", 2)                                              \
  X(REINSTALL, "is installed anew", 1)                                         \
  X(JUMP, "sleeps for a while", 3)                                             \
  X(EXPIRE, "has an expired token", 3)                                         \
  X(DISK, "can't write for a while", 3)                                        \
  X(DISABLE, "has the account disabled", 2)                                    \
  X(ENABLE, "has the account enabled", 6)                                      \
  X(CRASH, "the server crashes", 4)                                            \
  X(DRAIN, "the server is replaced", 2)                                        \
  X(STALL, "the server's storage fails", 2)                                    \
  X(RESTORE, "the server is restored", 1)

typedef enum sim_act_type {
#define SIM_ENUM(name, word, weight) SIM_##name,
  SIM_ACTS(SIM_ENUM)
#undef SIM_ENUM
      SIM_ACT_TYPES
} sim_act_type;

const char *sim_act_word(sim_act_type type);

enum { SIM_USERS = 6, SIM_DEVICES = 5, SIM_CONVS = 5, SIM_ACTS_MAX = 600 };

/* One act; what `a`, `b` and `c` choose is up to its type. */
typedef struct sim_act {
  uint64_t at;
  sim_act_type type;
  uint32_t user;
  uint32_t device;
  uint32_t conv;
  uint32_t a;
  uint32_t b;
  uint32_t c;
} sim_act;

typedef struct sim_plan {
  uint64_t seed;
  uint32_t users;
  uint32_t devices[SIM_USERS];
  uint32_t convs;
  uint32_t kinds[SIM_CONVS];
  bool moderated[SIM_CONVS];
  uint32_t latency; /* ms, of the slower half of frames */
  uint32_t loss;    /* of 10,000 frames up, how many cut their link */
  uint32_t roster_limit;
  uint32_t peer_limit;
  uint32_t queue_bytes;
  uint32_t cache_entries;
  uint32_t narrow; /* so many rows a page, and that wait; 0: as they come */
  bool busy;       /* people ask for much by links that are slow */
  uint32_t token_ms;
  uint32_t admins;    /* of groups: bits of users */
  bool sqlite_server; /* else in memory */
  bool backups;       /* are taken, and may be restored */
  bool sqlite_devices;
  bool faulty_disks; /* theirs */
  bool on_open;
  bool own_send_reads;
  bool tight; /* low rates at the server */
  sim_act acts[SIM_ACTS_MAX];
  size_t count;
} sim_plan;

/* The plan of a seed. */
void plan_draw(sim_plan *plan, uint64_t seed);

/* Without the acts from `from` on, `count` of them. */
void plan_cut(sim_plan *plan, size_t from, size_t count);

void plan_print(const sim_plan *plan);

#endif
