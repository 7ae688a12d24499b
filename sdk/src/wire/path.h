/* Paths of the protocol's requests, with what is of the user percent-encoded. */
#ifndef SN_WIRE_PATH_H
#define SN_WIRE_PATH_H

#include <seen/chat.h>

#include "base/text.h"

/* The rows above a version. */
void sn_path_conversations(sn_text *out, uint64_t after, uint64_t limit);

/* Where a report is posted. */
void sn_path_read_cursor(sn_text *out, const char *conv);

/* Who has a message; `cursor` may be NULL. */
void sn_path_readers(sn_text *out, const char *conv, uint64_t seq,
                     seen_ask which, const char *cursor, uint64_t limit);

#endif
