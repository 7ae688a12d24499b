/*
 * What the server says of one conversation: snapshots, messages, words,
 * answers. Each reserves first; on SEEN_ENOMEM nothing has changed.
 */
#ifndef SN_ENGINE_SERVER_H
#define SN_ENGINE_SERVER_H

#include "engine/core.h"

int sn_server_conversation(seen_engine *engine, sn_conv *conv,
                           const seen_snapshot *snapshot);
int sn_server_message(seen_engine *engine, sn_conv *conv,
                      const seen_message *message);
int sn_server_position(seen_engine *engine, sn_conv *conv,
                       const seen_word *word);
int sn_server_ack(seen_engine *engine, sn_conv *conv,
                  const seen_answer *answer);
int sn_server_refuse(seen_engine *engine, sn_conv *conv,
                     const seen_answer *answer);
int sn_server_found(seen_engine *engine, sn_conv *conv,
                    const seen_found *found);
int sn_server_left(seen_engine *engine, sn_conv *conv);

#endif
