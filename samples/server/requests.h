/*
 * What each frame of a client does. A function checks the fields, decides,
 * writes, and answers; `frame` is an object and `id` its id.
 */
#ifndef SERVER_REQUESTS_H
#define SERVER_REQUESTS_H

#include "core.h"

typedef void take_request(server *self, connection *from, const json *frame,
                          uint64_t id);

take_request take_hello; /* session.c */
take_request take_sync;
take_request take_fetch;
take_request take_read; /* reports.c */
take_request take_delivered;
take_request take_mark_unread; /* marks.c */
take_request take_read_all;
take_request take_subscribe; /* watching.c */
take_request take_unsubscribe;
take_request take_set;
take_request take_send;    /* sending.c */
take_request take_history; /* history.c */
take_request take_create;  /* membership.c */
take_request take_add;
take_request take_remove;
take_request take_join;
take_request take_leave;
take_request take_settings; /* account.c */
take_request take_admin;    /* moderation.c */

/* The same for all: a field is wrong; nothing there for this user. */
void refuse_invalid(connection *from, uint64_t id, const char *message);
void refuse(connection *from, uint64_t id, const char *code,
            const char *message);

/* All items of a frame refused for being too fast. */
void refuse_rate(connection *from, const json *frame, uint64_t id,
                 const char *of, uint64_t retry_ms);

/*
 * The conversation that a frame is about and the user's part in it. NULL:
 * never a member, and `*conv` is NULL too.
 */
member *find_membership(server *self, const connection *from, const char *name,
                        conversation **conv);

/* As above, of a present member; NULL: the `error` was sent. */
member *require_membership(server *self, connection *from, uint64_t id,
                           const char *name, conversation **conv);

#endif
