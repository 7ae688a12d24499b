/*
 * What is put. Where there is no memory for a conversation's ticket it is
 * marked alone, and all conversations are looked through later.
 */
#include "client/events.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "client/copies.h"

enum { PAGE = 64 };

static uint64_t mix(uint64_t print, uint64_t value) {
  print = (print ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return print ^ print >> 29;
}

uint64_t sn_print_of(const seen_state *state) {
  const bool flags[] = {state->exact, state->marked_unread, state->pending,
                        state->muted, state->pinned,        state->open};
  const uint64_t numbers[] = {
      (uint64_t)state->kind,  state->unread,           (uint64_t)state->badge,
      state->mentions,        state->first_mention,    state->first_unread,
      state->read_seq,        state->last_seq,         state->server_read.epoch,
      state->server_read.seq, state->server_read.high, state->updated_at};
  uint64_t print = 1, bits = 0;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    bits = bits << 1 | flags[i];
  print = mix(print, bits);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    print = mix(print, numbers[i]);
  print = mix(print, print >> 32);
  return print ? print : 1;
}

/* Room for a handle, and for those below it. */
sn_told *sn_events_told(sn_events *events, seen_conv conv) {
  if (conv > events->told_count) {
    if (SN_RESERVE(events->memory, &events->told, &events->told_capacity, conv))
      return NULL;
    memset(events->told + events->told_count, 0,
           (conv - events->told_count) * sizeof *events->told);
    events->told_count = conv;
  }
  return &events->told[conv - 1];
}

static int take_page(sn_events *events, const seen_state *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    sn_told *told = sn_events_told(events, rows[i].conv);
    if (!told) return SEEN_ENOMEM;
    told->print = sn_print_of(&rows[i]);
  }
  return SEEN_OK;
}

static int take_rows(sn_events *events) {
  seen_state rows[PAGE];
  size_t count, offset = 0;
  do {
    count = seen_engine_page(events->engine, offset, PAGE, rows);
    if (take_page(events, rows, count)) return SEEN_ENOMEM;
    offset += count;
  } while (count == PAGE);
  return SEEN_OK;
}

static void name_ticket(sn_ticket *ticket, seen_event_type type) {
  *ticket = (sn_ticket){.type = type, .kept = true};
}

int sn_events_init(sn_events *events, seen_engine *engine,
                   const seen_allocator *memory) {
  *events = (sn_events){.memory = memory, .engine = engine};
  name_ticket(&events->list, SEEN_EVENT_LIST);
  name_ticket(&events->totals, SEEN_EVENT_TOTALS);
  name_ticket(&events->connection, SEEN_EVENT_CONNECTION);
  name_ticket(&events->token, SEEN_EVENT_TOKEN);
  name_ticket(&events->closing, SEEN_EVENT_CLOSED);
  for (size_t i = 0; i <= SEEN_PROBLEM_MEMORY; i++)
    name_ticket(&events->problems[i].ticket, SEEN_EVENT_PROBLEM);
  events->connection_now.size = sizeof events->connection_now;
  events->connection_told = events->connection_now;
  seen_engine_totals(engine, &events->totals_told);
  return take_rows(events);
}

static void release(const seen_allocator *memory, sn_ticket *ticket) {
  sn_release(memory, ticket->block);
  ticket->block = NULL;
  if (!ticket->kept) sn_release(memory, ticket);
}

static void release_all(sn_ticket *ticket, const seen_allocator *memory) {
  while (ticket) {
    sn_ticket *next = ticket->next;
    release(memory, ticket);
    ticket = next;
  }
}

void sn_lent_release(sn_lent *lent, const seen_allocator *memory) {
  release_all(lent->first, memory);
  lent->first = NULL;
}

void sn_events_free(sn_events *events) {
  release_all(events->queue.first, events->memory);
  release_all(events->letters.first, events->memory);
  while (events->awaited) {
    sn_awaited *next = events->awaited->next;
    sn_release(events->memory, events->awaited);
    events->awaited = next;
  }
  sn_release(events->memory, events->told);
  sn_release(events->memory, events->order);
}

void sn_events_put(sn_events *events, sn_ticket *ticket) {
  sn_queue *queue =
      ticket->type == SEEN_EVENT_MESSAGE ? &events->letters : &events->queue;
  if (ticket->serial || events->closed) return;
  ticket->serial = ++events->serial;
  ticket->next = NULL;
  if (queue->last)
    queue->last->next = ticket;
  else
    queue->first = ticket;
  queue->last = ticket;
}

sn_ticket *sn_events_pop(sn_queue *queue) {
  sn_ticket *ticket = queue->first;
  queue->first = ticket->next;
  if (!queue->first) queue->last = NULL;
  ticket->next = NULL;
  ticket->serial = 0;
  return ticket;
}

static sn_ticket *new_ticket(sn_events *events, size_t size,
                             seen_event_type type, seen_conv conv) {
  sn_ticket *ticket;
  if (events->closed) return NULL;
  ticket = sn_allocate_zero(events->memory, size);
  if (!ticket) return NULL;
  ticket->type = type;
  ticket->conv = conv;
  return ticket;
}

static void look_at_all(sn_events *events) {
  events->all = true;
  events->scan = 1;
}

/* Once for a conversation and a type. */
static void put_conv(sn_events *events, seen_conv conv, uint32_t waits,
                     seen_event_type type) {
  sn_told *told = sn_events_told(events, conv);
  sn_ticket *ticket;
  if (told && told->waits & waits) return;
  if (told) told->waits |= waits;
  ticket = told ? new_ticket(events, sizeof *ticket, type, conv) : NULL;
  if (ticket)
    sn_events_put(events, ticket);
  else
    look_at_all(events);
}

static bool is_muted(const sn_events *events) {
  return events->wiped || events->closed;
}

/* Whether the host was told just that. */
static bool was_told(const sn_events *events, seen_conv conv) {
  seen_state state = {.size = sizeof state};
  uint64_t print = 0;
  if (conv > events->told_count) return false;
  if (!seen_engine_state(events->engine, conv, &state))
    print = sn_print_of(&state);
  return events->told[conv - 1].print == print;
}

void sn_events_changed(sn_events *events, seen_conv conv) {
  if (is_muted(events)) return;
  if (conv <= events->told_count &&
      events->told[conv - 1].waits & SN_WAITS_STATE)
    return;
  if (!was_told(events, conv))
    put_conv(events, conv, SN_WAITS_STATE, SEEN_EVENT_CONVERSATION);
}

void sn_events_receipts(sn_events *events, seen_conv conv) {
  seen_state state = {.size = sizeof state};
  if (is_muted(events) || seen_engine_state(events->engine, conv, &state))
    return;
  put_conv(events, conv, SN_WAITS_RECEIPTS, SEEN_EVENT_RECEIPTS);
}

void sn_events_refused(sn_events *events, seen_conv conv, seen_refusal why) {
  sn_told *told;
  if (is_muted(events)) return;
  told = sn_events_told(events, conv);
  if (told) told->refusal = (uint32_t)why;
  put_conv(events, conv, SN_WAITS_REFUSED, SEEN_EVENT_PROBLEM);
}

void sn_events_list(sn_events *events) {
  if (!is_muted(events)) sn_events_put(events, &events->list);
}

void sn_events_totals(sn_events *events) {
  if (!is_muted(events)) sn_events_put(events, &events->totals);
}

void sn_events_connection(sn_events *events,
                          const seen_connection_state *state) {
  events->connection_now = *state;
  if (!is_muted(events)) sn_events_put(events, &events->connection);
}

void sn_events_token(sn_events *events) {
  if (!is_muted(events)) sn_events_put(events, &events->token);
}

void sn_events_forget_order(sn_events *events) {
  events->order_known = false;
  sn_events_list(events);
}

void sn_events_problem(sn_events *events, seen_problem_type type, int code,
                       const char *message) {
  sn_problem *place = &events->problems[type];
  sn_text text;
  if (is_muted(events)) return;
  place->problem = (seen_problem){.type = type, .code = code};
  sn_text_fixed(&text, place->problem.message, sizeof place->problem.message);
  sn_text_add(&text, message);
  sn_events_put(events, &place->ticket);
}

static void drop_a_message(sn_events *events) {
  sn_ticket *ticket = sn_events_pop(&events->letters);
  const sn_letter *letter = (const void *)ticket;
  events->messages--;
  events->message_bytes -= sn_message_size(&letter->text);
  release(events->memory, ticket);
}

static sn_letter *new_letter(sn_events *events, const char *id,
                             const seen_text *message) {
  size_t size = strlen(id) + 1;
  sn_letter *fresh = (sn_letter *)(void *)new_ticket(
      events, sizeof *fresh + size + sn_message_size(message),
      SEEN_EVENT_MESSAGE, seen_engine_find(events->engine, id));
  char *at;
  if (!fresh) return NULL;
  at = (char *)(fresh + 1);
  memcpy(at, id, size);
  fresh->id = at;
  at += size;
  sn_copy_message(message, &fresh->text, &at);
  return fresh;
}

void sn_events_message(sn_events *events, const char *id,
                       const seen_text *message) {
  sn_letter *fresh;
  size_t size = sn_message_size(message);
  bool missed = false;
  if (is_muted(events)) return;
  fresh = new_letter(events, id, message);
  missed = !fresh;
  while (fresh && events->messages &&
         (events->messages == SN_MESSAGES_MAX ||
          events->message_bytes + size > SN_MESSAGE_BYTES_MAX)) {
    drop_a_message(events);
    missed = true;
  }
  if (missed)
    sn_events_problem(events, SEEN_PROBLEM_MISSED, 0,
                      "live messages were dropped");
  if (!fresh) return;
  events->messages++;
  events->message_bytes += size;
  sn_events_put(events, &fresh->ticket);
}

void sn_events_drop(sn_events *events) {
  sn_ticket *ticket;
  while (events->letters.first)
    drop_a_message(events);
  while (events->queue.first) {
    ticket = sn_events_pop(&events->queue);
    if (ticket->type == SEEN_EVENT_REPLY) events->awaited_count--;
    release(events->memory, ticket);
  }
  events->all = false;
  events->wiped = true;
  sn_events_put(events, &events->totals);
}

void sn_events_close(sn_events *events) {
  sn_events_put(events, &events->closing);
  events->closed = true;
}

bool sn_events_wait(const sn_events *events) {
  return events->queue.first || events->letters.first || events->all;
}
