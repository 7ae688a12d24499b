/*
 * The thread of what goes by HTTP: a host's requests, and the connections that
 * are polled.
 */
#ifndef SN_NET_REQUESTS_H
#define SN_NET_REQUESTS_H

#include "net/commands.h"
#include "net/net.h"

/* SEEN_ENOMEM, SEEN_EIO: no thread or descriptor. */
int sn_requests_start(sn_net *net, sn_requests **out, seen_error *error);

/* Takes the command, of any kind: a DIAL is that of a polled connection. */
void sn_requests_command(sn_requests *self, sn_command *command);

/* There is room for events again. */
void sn_requests_wake(sn_requests *self);

/* Ends all, tells nothing; NULL is fine. */
void sn_requests_stop(sn_requests *self);

#endif
