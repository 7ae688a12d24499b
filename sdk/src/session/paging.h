/*
 * Pages of rows, and the resume version, which moves by complete pages only
 * (S2). The first page comes by itself behind the welcome; further ones are
 * asked for, those of a first snapshot by HTTP.
 */
#ifndef SN_SESSION_PAGING_H
#define SN_SESSION_PAGING_H

#include "session/core.h"

/*
 * What is held of the server holds no more, until all rows have come. No
 * version is noted meanwhile: who is killed then begins anew once more (S2).
 */
void sn_paging_begin_anew(sn_session *session);

/* What the mirror is to note. */
void sn_paging_note(const sn_session *session, sn_out *out);

/* Asks for the rows above a version; the answer is the page that counts. */
void sn_paging_by_socket(sn_session *session, uint64_t from);

/* Whether a frame is that page. */
bool sn_paging_awaits(const sn_session *session, const sn_frame *frame);

/* All its rows were fed: moves the version, asks on where there is more. */
void sn_paging_done(sn_session *session, const sn_changes *page);

#endif
