/*
 * What the engine effects becomes frames. Those that are lists grow until they
 * are pulled, up to what a frame holds; reports by the engine's number (V4).
 */
#include "session/core.h"

#include <string.h>

#include "base/memory.h"
#include "session/calls.h"
#include "session/exchange.h"
#include "session/link.h"
#include "session/paging.h"
#include "wire/take.h"
#include "wire/write.h"

#define END_SIZE 2 /* "]}" */

/* An item of a list. */
typedef struct item {
  sn_say say;
  const char *conv;
  uint32_t frame; /* of reports */
  union {
    const seen_report *report;
    uint64_t seq;
  } u;
} item;

static sn_call **list_of(sn_session *session, sn_say say) {
  if (say == SN_SAY_READ) return &session->lists[0];
  return &session->lists[say == SN_SAY_DELIVERED ? 1 : 2];
}

static void put_item(sn_text *text, bool first, const item *what) {
  if (what->say == SN_SAY_READ)
    sn_put_report(text, first, what->conv, what->u.report);
  else if (what->say == SN_SAY_DELIVERED)
    sn_put_delivered(text, first, what->conv, what->u.seq);
  else
    sn_put_fetch(text, first, what->conv);
}

/*
 * With room for the list's end behind it. SEEN_EFULL: it does not fit;
 * SEEN_ENOMEM. The list is as it was then.
 */
static int append(sn_session *session, sn_call *list, const item *what) {
  sn_text *text = &list->text;
  size_t before = text->length;
  int status = SEEN_OK;
  put_item(text, list->items == 0, what);
  if (!text->status && SN_RESERVE(text->memory, &text->bytes, &text->size,
                                  text->length + END_SIZE + 1))
    text->status = SEEN_ENOMEM;
  if (text->status)
    status = SEEN_ENOMEM;
  else if (list->items && text->length + END_SIZE > session->frame_bytes)
    status = SEEN_EFULL;
  if (!status) {
    list->items++;
    return SEEN_OK;
  }
  text->status = SEEN_OK;
  text->length = before;
  if (text->bytes) text->bytes[before] = '\0';
  return status;
}

static int begin_list(sn_session *session, const item *what) {
  sn_call *list = sn_call_new(session, what->say);
  if (!list) return SEEN_ENOMEM;
  sn_put_list(&list->text, what->say, list->id);
  if (list->text.status || append(session, list, what)) {
    sn_call_free(session, list);
    return SEEN_ENOMEM;
  }
  list->open = true;
  list->frame = what->frame;
  sn_calls_add(&session->waiting, list);
  *list_of(session, what->say) = list;
  return SEEN_OK;
}

static int add_item(sn_session *session, const item *what) {
  sn_call *list = *list_of(session, what->say);
  if (list && list->frame == what->frame && list->items < session->items) {
    int status = append(session, list, what);
    if (status != SEEN_EFULL) return status;
  }
  return begin_list(session, what);
}

static int add_frame(sn_session *session, const seen_effect *effect,
                     const char *id) {
  seen_settings settings = {0};
  sn_say say = effect->type == SEEN_EFFECT_MARK_UNREAD   ? SN_SAY_MARK_UNREAD
               : effect->type == SEEN_EFFECT_READ_ALL    ? SN_SAY_READ_ALL
               : effect->type == SEEN_EFFECT_SUBSCRIBE   ? SN_SAY_SUBSCRIBE
               : effect->type == SEEN_EFFECT_UNSUBSCRIBE ? SN_SAY_UNSUBSCRIBE
                                                         : SN_SAY_SET;
  sn_call *call = sn_call_new(session, say);
  if (!call) return SEEN_ENOMEM;
  sn_text *text = &call->text;
  switch (say) {
  case SN_SAY_MARK_UNREAD:
    sn_put_mark_unread(text, call->id, id, &effect->u.mark);
    break;
  case SN_SAY_READ_ALL:
    sn_put_head(text, say, call->id);
    sn_put_number(text, "as_of",
                  session->seen > session->version ? session->seen
                                                   : session->version);
    sn_put_end(text);
    break;
  case SN_SAY_SET:
    settings.has_muted = effect->type == SEEN_EFFECT_MUTE;
    settings.has_pinned = effect->type == SEEN_EFFECT_PIN;
    settings.muted = settings.pinned = effect->u.on;
    sn_put_set(text, call->id, id, &settings);
    sn_call_in_order(call, SN_ORDER_SET, id);
    break;
  default:
    sn_put_range(text, say, call->id, id, effect->u.range);
    sn_call_in_order(call, SN_ORDER_WATCH, id);
    break;
  }
  if (text->status) {
    sn_call_free(session, call);
    return SEEN_ENOMEM;
  }
  sn_calls_add(&session->waiting, call);
  return SEEN_OK;
}

static int by_link(sn_session *session, const seen_effect *effect,
                   const char *id) {
  switch (effect->type) {
  case SEEN_EFFECT_RESYNC:
    sn_paging_begin_anew(session);
    sn_paging_by_socket(session, 0);
    return SEEN_OK;
  case SEEN_EFFECT_REPORT:
    return add_item(session, &(item){.say = SN_SAY_READ,
                                     .conv = id,
                                     .frame = effect->u.report.frame,
                                     .u.report = &effect->u.report});
  case SEEN_EFFECT_DELIVERED:
    return add_item(
        session,
        &(item){.say = SN_SAY_DELIVERED, .conv = id, .u.seq = effect->u.seq});
  case SEEN_EFFECT_FETCH:
    return add_item(session, &(item){.say = SN_SAY_FETCH, .conv = id});
  default: return add_frame(session, effect, id);
  }
}

void sn_session_effect(sn_session *session, const seen_effect *effect,
                       const char *id, uint64_t now) {
  bool all = effect->type == SEEN_EFFECT_RESYNC ||
             effect->type == SEEN_EFFECT_READ_ALL;
  int status = SEEN_OK;
  session->now = now;
  if (effect->type > SEEN_EFFECT_SUBSCRIBE) return;
  if (!all && (!id || !sn_is_name(id))) {
    sn_log_write(&session->log, SEEN_LOG_WARN, "no name of a conversation: %s",
                 id ? id : "");
    return;
  }
  if (session->link.stage == SN_STAGE_UP &&
      session->engine_link == session->link.number)
    status = by_link(session, effect, id);
  else if (session->courier && effect->type == SEEN_EFFECT_REPORT)
    status = sn_exchange_report(session, id, &effect->u.report);
  if (status) sn_link_no_memory(session, &session->link);
  sn_link_advance(session);
}
