/*
 * Requests and their replies. The place of a reply is made with its request,
 * so that one can always be given; where there is no memory for what it says,
 * that is what it says.
 */
#include "client/events.h"

#include "base/memory.h"
#include "client/copies.h"

int sn_events_await(sn_events *events, uint64_t number, seen_act act) {
  sn_awaited *awaited = sn_allocate_zero(events->memory, sizeof *awaited);
  if (!awaited) return SEEN_ENOMEM;
  awaited->ticket.type = SEEN_EVENT_REPLY;
  awaited->reply = (seen_reply){.size = sizeof awaited->reply,
                                .request = number,
                                .act = act,
                                .code = SEEN_ENOMEM,
                                .reason = "",
                                .message = "",
                                .conv = ""};
  awaited->next = events->awaited;
  events->awaited = awaited;
  events->awaited_count++;
  return SEEN_OK;
}

static sn_awaited *unlink_awaited(sn_events *events, uint64_t number) {
  sn_awaited **place = &events->awaited;
  sn_awaited *found;
  while (*place && (*place)->reply.request != number)
    place = &(*place)->next;
  found = *place;
  if (found) *place = found->next;
  return found;
}

void sn_events_expect_none(sn_events *events, uint64_t number) {
  sn_awaited *found = unlink_awaited(events, number);
  if (!found) return;
  events->awaited_count--;
  sn_release(events->memory, found);
}

void sn_events_reply(sn_events *events, const seen_reply *reply) {
  sn_awaited *found =
      events->closed ? NULL : unlink_awaited(events, reply->request);
  if (!found) return;
  (void)sn_copy_reply(events->memory, reply, &found->reply,
                      &found->ticket.block);
  sn_events_put(events, &found->ticket);
}

void sn_events_end_awaited(sn_events *events, int code) {
  while (events->awaited) {
    sn_awaited *first = events->awaited;
    events->awaited = first->next;
    first->reply.code = code;
    sn_events_put(events, &first->ticket);
  }
}
