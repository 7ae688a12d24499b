/*
 * What a client says, as JSON. A frame is a head, its members, and an end;
 * where it holds a list, the list's items are written one by one in between,
 * so that the caller can cut it by bytes.
 *
 * Names and texts are UTF-8: whoever made them has checked that. A text that
 * could not grow says so by its status.
 */
#ifndef SN_WIRE_WRITE_H
#define SN_WIRE_WRITE_H

#include <seen/chat.h>
#include <seen/sys/effect.h>
#include <seen/sys/input.h>

#include "base/text.h"
#include "wire/names.h"

/* `{"t":"send","id":10`, to which members are added, each behind a comma. */
void sn_put_head(sn_text *out, sn_say say, uint64_t id);
void sn_put_end(sn_text *out);

void sn_put_name(sn_text *out, const char *member, const char *name);
void sn_put_number(sn_text *out, const char *member, uint64_t number);
void sn_put_bool(sn_text *out, const char *member, bool value);

/* `incarnation` NULL: none is held, and no version. */
void sn_put_hello(sn_text *out, uint64_t id, const char *device,
                  const char *incarnation, uint64_t version);
void sn_put_mark_unread(sn_text *out, uint64_t id, const char *conv,
                        const seen_mark *mark);
void sn_put_range(sn_text *out, sn_say say, uint64_t id, const char *conv,
                  seen_run range); /* subscribe, unsubscribe */
void sn_put_set(sn_text *out, uint64_t id, const char *conv,
                const seen_settings *settings);

/*
 * Lists: `items` of read and delivered, `convs` of fetch. An item that is not
 * the `first` begins with a comma.
 */
void sn_put_list(sn_text *out, sn_say say, uint64_t id);
void sn_put_list_end(sn_text *out);
void sn_put_report(sn_text *out, bool first, const char *conv,
                   const seen_report *report);
void sn_put_delivered(sn_text *out, bool first, const char *conv, uint64_t seq);
void sn_put_fetch(sn_text *out, bool first, const char *conv);

/* Members of a host's frames, without head and end. */
void sn_put_post(sn_text *out, const char *conv, const seen_post *post);
void sn_put_creation(sn_text *out, const char *conv,
                     const seen_creation *creation);
void sn_put_users(sn_text *out, const char *conv, const char *const *users,
                  size_t count, seen_role role);

/* The body of POST …/read-cursor. */
void sn_put_cursor(sn_text *out, const char *device, const seen_report *report);

#endif
