/* A list under a lock; putting copies, taking takes it all. */
#include "client/inbox.h"

#include <string.h>

#include "base/memory.h"

int sn_inbox_init(sn_inbox *inbox, const seen_allocator *memory) {
  *inbox = (sn_inbox){.memory = memory};
  inbox->mutex = sn_platform_mutex_new(memory);
  return inbox->mutex ? SEEN_OK : SEEN_ENOMEM;
}

void sn_inbox_free(sn_inbox *inbox) {
  sn_acts_free(inbox->memory, inbox->first);
  sn_platform_mutex_free(inbox->memory, inbox->mutex);
}

static sn_act *make(const seen_allocator *memory, const sn_said *said,
                    const char *text) {
  size_t length = text ? strlen(text) : 0;
  sn_act *act = sn_allocate(memory, sizeof *act + length + 1);
  if (!act) return NULL;
  act->next = NULL;
  act->at = sn_platform_clock();
  act->said = *said;
  if (length) memcpy(act->text, text, length);
  act->text[length] = '\0';
  return act;
}

static int link_last(sn_inbox *inbox, sn_act *act) {
  if (inbox->closed) return SEEN_ECLOSED;
  if (inbox->count == SN_ACTS_MAX) return SEEN_EFULL;
  if (inbox->last)
    inbox->last->next = act;
  else
    inbox->first = act;
  inbox->last = act;
  inbox->count++;
  return SEEN_OK;
}

int sn_inbox_put(sn_inbox *inbox, const sn_said *said, const char *text) {
  sn_act *act = make(inbox->memory, said, text);
  int status;
  if (!act) return SEEN_ENOMEM;
  sn_platform_mutex_lock(inbox->mutex);
  status = link_last(inbox, act);
  sn_platform_mutex_unlock(inbox->mutex);
  if (status) sn_release(inbox->memory, act); /* the request stays theirs */
  return status;
}

bool sn_inbox_close(sn_inbox *inbox) {
  bool open;
  sn_platform_mutex_lock(inbox->mutex);
  open = !inbox->closed;
  inbox->closed = true;
  sn_platform_mutex_unlock(inbox->mutex);
  return open;
}

bool sn_inbox_is_closed(sn_inbox *inbox) {
  bool closed;
  sn_platform_mutex_lock(inbox->mutex);
  closed = inbox->closed;
  sn_platform_mutex_unlock(inbox->mutex);
  return closed;
}

bool sn_inbox_is_empty(sn_inbox *inbox) {
  bool empty;
  sn_platform_mutex_lock(inbox->mutex);
  empty = inbox->first == NULL;
  sn_platform_mutex_unlock(inbox->mutex);
  return empty;
}

sn_act *sn_inbox_take(sn_inbox *inbox) {
  sn_act *first;
  sn_platform_mutex_lock(inbox->mutex);
  first = inbox->first;
  inbox->first = inbox->last = NULL;
  inbox->count = 0;
  sn_platform_mutex_unlock(inbox->mutex);
  return first;
}

void sn_act_free(const seen_allocator *memory, sn_act *act) {
  if (act->said.type == SN_ACT_REQUEST && act->said.u.request)
    sn_request_free(act->said.u.request);
  sn_release(memory, act);
}

void sn_acts_free(const seen_allocator *memory, sn_act *first) {
  while (first) {
    sn_act *next = first->next;
    sn_act_free(memory, first);
    first = next;
  }
}
