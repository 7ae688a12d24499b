/*
 * WebSockets, on a thread of their own. What libwebsockets is, talk.h knows.
 */
#ifndef SN_NET_SOCKET_H
#define SN_NET_SOCKET_H

#include "net/commands.h"
#include "net/net.h"

/* SEEN_ENOMEM, SEEN_EIO: no thread. */
int sn_socket_start(sn_net *net, sn_socket **out, seen_error *error);

/* Takes the command: DIAL, WRITE, PING or CLOSE. */
void sn_socket_command(sn_socket *self, sn_command *command);

/* There is room for events again. */
void sn_socket_wake(sn_socket *self);

/* Ends all, tells nothing; NULL is fine. */
void sn_socket_stop(sn_socket *self);

#endif
