/*
 * Connections without a WebSocket: frames that are written together leave as
 * the array of a POST, and what a long poll is answered are frames. All of it
 * happens on the thread of the requests.
 */
#ifndef SN_NET_POLL_H
#define SN_NET_POLL_H

#include "net/asks.h"

typedef struct sn_poll sn_poll;

typedef struct sn_polls {
  sn_net *net;
  sn_asks *asks;
  sn_poll *first;
} sn_polls;

/* Takes the command. */
void sn_polls_obey(sn_polls *self, sn_command *command);

/* Does what is due; in how many ms something will be, at most `most_ms`. */
uint32_t sn_polls_turn(sn_polls *self, uint32_t most_ms);

/* Tells nothing. */
void sn_polls_free(sn_polls *self);

#endif
