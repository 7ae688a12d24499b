/* The version moves by max: overlap does no harm. */
#include "session/paging.h"

#include "session/calls.h"
#include "session/exchange.h"
#include "session/link.h"
#include "wire/write.h"

#define CLOSE_PROTOCOL 1002

void sn_paging_begin_anew(sn_session *session) {
  session->reset = true;
  session->doubtful = false;
  session->note = true;
  session->version = 0;
  session->seen = 0;
}

void sn_paging_note(const sn_session *session, sn_out *out) {
  out->type = SN_OUT_SERVER;
  out->u.server.incarnation = session->incarnation;
  out->u.server.version = session->version;
}

/* A later question takes the place of an earlier one, whose answer is rows as
 * any (after `resync` it may never come). */
static void forget_sync(sn_session *session) {
  sn_call *call = session->flying.first;
  while (call && call->say != SN_SAY_SYNC)
    call = call->next;
  if (!call) return;
  sn_calls_remove(&session->flying, call);
  sn_call_free(session, call);
}

void sn_paging_by_socket(sn_session *session, uint64_t from) {
  sn_call *call;
  if (session->link.stage != SN_STAGE_UP) return;
  forget_sync(session);
  sn_exchanges_drop(session, SN_EXCHANGE_PAGE);
  call = sn_call_new(session, SN_SAY_SYNC);
  if (call) {
    sn_put_head(&call->text, SN_SAY_SYNC, call->id);
    sn_put_number(&call->text, "version", from);
    sn_put_end(&call->text);
  }
  if (!call || call->text.status) {
    if (call) sn_call_free(session, call);
    sn_link_no_memory(session, &session->link);
    return;
  }
  session->paging = SN_PAGING_SYNC;
  session->sync_id = call->id;
  sn_calls_add(&session->waiting, call);
}

bool sn_paging_awaits(const sn_session *session, const sn_frame *frame) {
  if (!frame->u.changes.dated || !frame->has_id) return false;
  if (session->paging == SN_PAGING_HELLO)
    return frame->id == session->link.hello_id;
  return session->paging == SN_PAGING_SYNC && frame->id == session->sync_id;
}

static void ask_on(sn_session *session, uint64_t from) {
  if (session->snapshot && !sn_exchange_page(session, from))
    session->paging = SN_PAGING_HTTP;
  else
    sn_paging_by_socket(session, from);
}

/* Pages by requests are overtaken by what comes on the link: a row in one of
 * them may be older than that, or of a conversation that was left meanwhile.
 * So what changed since the welcome is asked for behind them, on the link. */
static void catch_up(sn_session *session) {
  session->snapshot = false;
  if (session->version > session->welcomed)
    session->version = session->welcomed;
  sn_paging_by_socket(session, session->version);
}

void sn_paging_done(sn_session *session, const sn_changes *page) {
  bool up = session->link.stage == SN_STAGE_UP;
  bool by_request = session->paging == SN_PAGING_HTTP;
  if (page->from <= session->version && page->version > session->version)
    session->version = page->version;
  session->paging = SN_PAGING_NONE;
  if (!page->more && by_request && up) {
    catch_up(session);
  } else if (!page->more) {
    session->snapshot = false;
    /* What comes now is in no page: a later snapshot may not name it. */
    if (session->version == 0) session->doubtful = true;
  } else if (up && page->version <= page->from) {
    sn_log_write(&session->log, SEEN_LOG_ERROR,
                 "a page above version %u comes no further", page->from);
    sn_link_fail(session, &session->link, SEEN_ENDED_PROTOCOL, CLOSE_PROTOCOL);
  } else if (up) {
    ask_on(session, page->version);
  }
}
