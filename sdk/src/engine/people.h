/*
 * Who is in a conversation, who sent what, who has read it: rosters, members,
 * peers and counts (R1–R5), with names become the engine's user handles.
 */
#ifndef SN_ENGINE_PEOPLE_H
#define SN_ENGINE_PEOPLE_H

#include "engine/core.h"
#include "engine/roster.h"

/* Of how many runs of messages, the newest, it is kept who sent them. */
enum { SN_SENDERS_KEPT = 8192 };

/* Makes sn_people_take_roster() unable to fail. */
int sn_people_reserve_roster(seen_engine *engine, sn_conv *conv,
                             const seen_snapshot *snapshot);
void sn_people_take_roster(seen_engine *engine, sn_conv *conv,
                           const seen_snapshot *snapshot);

/*
 * Whether who sent it can matter: own messages are looked for on screen (R5),
 * others' senders where receipts can be counted, which needs a roster.
 */
static inline bool sn_people_keep_sender(const sn_conv *conv, bool own) {
  return own ||
         (conv->kind == SEEN_KIND_GROUP && conv->roster && conv->roster->count);
}

/* Remembers who sent a message: 0 or SEEN_ENOMEM. */
int sn_people_note_sender(seen_engine *engine, sn_conv *conv,
                          const seen_message *message, bool own);

/* Who sent it; this user where it is not known. */
uint32_t sn_people_sender(const seen_engine *engine, const sn_conv *conv,
                          uint64_t seq);

int sn_people_members(seen_engine *engine, sn_conv *conv,
                      const seen_members *members);
int sn_people_peer(seen_engine *engine, sn_conv *conv, const seen_peer *peer);
int sn_people_receipts(seen_engine *engine, sn_conv *conv,
                       const seen_receipt_rows *rows);

#endif
