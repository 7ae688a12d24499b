/*
 * What is given out: values as they are now, and only what is new. What is
 * borrowed then hangs on its ticket, which is lent with it.
 */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "client/copies.h"
#include "client/events.h"
#include "client/moves.h"
#include "model/names.h"

enum { PAGE = 64 };

static void begin_event(const sn_events *events, seen_event *event,
                        seen_event_type type, seen_conv conv) {
  *event = (seen_event){.size = sizeof *event, .type = type, .conv = conv};
  event->id = conv ? seen_engine_id(events->engine, conv) : NULL;
}

static void no_longer(sn_events *events, seen_conv conv, uint32_t waits) {
  if (conv <= events->told_count) events->told[conv - 1].waits &= ~waits;
}

/* A row's numbers, or that it is there no more. */
static bool give_state(sn_events *events, seen_conv conv, seen_event *event) {
  sn_told *told = sn_events_told(events, conv);
  seen_state state = {.size = sizeof state};
  bool there = !seen_engine_state(events->engine, conv, &state);
  uint64_t print = there ? sn_print_of(&state) : 0;
  no_longer(events, conv, SN_WAITS_STATE);
  if (told && told->print == print) return false;
  if (told) told->print = print;
  begin_event(events, event, there ? SEEN_EVENT_CONVERSATION : SEEN_EVENT_GONE,
              conv);
  if (there) event->u.state = state;
  return true;
}

static bool give_receipts(sn_events *events, seen_conv conv,
                          seen_event *event) {
  no_longer(events, conv, SN_WAITS_RECEIPTS);
  begin_event(events, event, SEEN_EVENT_RECEIPTS, conv);
  return true;
}

static bool give_refusal(sn_events *events, seen_conv conv, seen_event *event) {
  const char *why = NULL;
  sn_text text;
  if (conv <= events->told_count)
    why = sn_refusal_name((seen_refusal)events->told[conv - 1].refusal);
  no_longer(events, conv, SN_WAITS_REFUSED);
  begin_event(events, event, SEEN_EVENT_PROBLEM, conv);
  event->u.problem =
      (seen_problem){.type = SEEN_PROBLEM_REFUSED, .code = SEEN_EREFUSED};
  sn_text_fixed(&text, event->u.problem.message,
                sizeof event->u.problem.message);
  sn_text_add(&text, why ? why : "");
  return true;
}

static bool give_totals(sn_events *events, seen_event *event) {
  seen_totals totals = {0};
  if (!events->wiped) {
    seen_engine_totals(events->engine, &totals);
    if (!memcmp(&totals, &events->totals_told, sizeof totals)) return false;
  }
  events->totals_told = totals;
  begin_event(events, event, SEEN_EVENT_TOTALS, 0);
  event->u.totals = totals;
  return true;
}

static bool same_connection(const seen_connection_state *a,
                            const seen_connection_state *b) {
  return a->connection == b->connection && a->link == b->link &&
         a->synced == b->synced && a->receipts == b->receipts &&
         a->cause == b->cause && a->code == b->code && a->portal == b->portal &&
         a->retry_ms == b->retry_ms;
}

static bool give_connection(sn_events *events, seen_event *event) {
  if (same_connection(&events->connection_now, &events->connection_told))
    return false;
  events->connection_told = events->connection_now;
  begin_event(events, event, SEEN_EVENT_CONNECTION, 0);
  event->u.connection = events->connection_now;
  return true;
}

/* A new order, and the moves that lead to it. */
typedef struct course {
  seen_conv *order;
  size_t rows;
  sn_ticket *lent; /* the moves are behind it */
  size_t count;
  bool reset;
} course;

static void read_order(sn_events *events, course *way) {
  seen_state page[PAGE];
  size_t got = 1, at = 0;
  while (at < way->rows && got) {
    size_t part = way->rows - at < PAGE ? way->rows - at : PAGE;
    got = seen_engine_page(events->engine, at, part, page);
    for (size_t i = 0; i < got; i++)
      way->order[at++] = page[i].conv;
  }
  way->rows = at;
}

static seen_move *moves_of(const course *way) {
  return (seen_move *)(void *)(way->lent + 1);
}

static int make_lent(const sn_events *events, course *way, size_t moves) {
  way->lent = sn_allocate_zero(events->memory,
                               sizeof *way->lent + moves * sizeof(seen_move));
  return way->lent ? SEEN_OK : SEEN_ENOMEM;
}

/* An empty list, into which every row comes. */
static int begin_anew(const sn_events *events, course *way) {
  sn_release(events->memory, way->lent);
  way->reset = true;
  way->count = way->rows;
  if (make_lent(events, way, way->rows)) return SEEN_ENOMEM;
  for (size_t i = 0; i < way->rows; i++)
    moves_of(way)[i] =
        (seen_move){.type = SEEN_MOVE_INSERT, .to = i, .conv = way->order[i]};
  return SEEN_OK;
}

static int find_course(sn_events *events, course *way) {
  const sn_rows before = {events->order, events->rows};
  sn_rows after;
  way->rows = seen_engine_count(events->engine);
  way->order =
      sn_allocate(events->memory, (way->rows + 1) * sizeof *way->order);
  if (!way->order) return SEEN_ENOMEM;
  read_order(events, way);
  if (!events->order_known) return begin_anew(events, way);
  after = (sn_rows){way->order, way->rows};
  if (make_lent(events, way, SN_MOVES_MAX) ||
      sn_moves_find(before, after, moves_of(way), SN_MOVES_MAX, &way->count,
                    events->memory))
    return SEEN_ENOMEM;
  return way->count > SN_MOVES_MAX ? begin_anew(events, way) : SEEN_OK;
}

static void take_course(sn_events *events, const course *way,
                        seen_event *event) {
  seen_move *moves = moves_of(way);
  for (size_t i = 0; i < way->count; i++) {
    const char *id = seen_engine_id(events->engine, moves[i].conv);
    moves[i].id = id ? id : ""; /* each row has one */
  }
  begin_event(events, event, SEEN_EVENT_LIST, 0);
  event->u.list = (seen_list_change){way->reset, moves, way->count};
  sn_release(events->memory, events->order);
  events->order = way->order;
  events->rows = way->rows;
  events->order_known = true;
}

static void lend(sn_lent *lent, sn_ticket *ticket) {
  ticket->next = lent->first;
  lent->first = ticket;
}

static bool give_list(sn_events *events, seen_event *event, sn_lent *lent) {
  course way = {0};
  bool found = !find_course(events, &way);
  if (found && (way.count || way.reset)) {
    take_course(events, &way, event);
    lend(lent, way.lent);
    return true;
  }
  sn_release(events->memory, way.order);
  sn_release(events->memory, way.lent);
  if (found) return false;
  sn_events_problem(events, SEEN_PROBLEM_MEMORY, SEEN_ENOMEM,
                    "no memory for what changed of the list");
  sn_events_list(events); /* once more, later */
  return false;
}

static bool give_message(sn_events *events, const sn_ticket *ticket,
                         seen_event *event) {
  const sn_letter *letter = (const void *)ticket;
  events->messages--;
  events->message_bytes -= sn_message_size(&letter->text);
  begin_event(events, event, SEEN_EVENT_MESSAGE, ticket->conv);
  event->id = letter->id;
  event->u.message = letter->text;
  return true;
}

static bool give_reply(sn_events *events, const sn_ticket *ticket,
                       seen_event *event) {
  const seen_reply *reply = &((const sn_awaited *)(const void *)ticket)->reply;
  events->awaited_count--;
  begin_event(events, event, SEEN_EVENT_REPLY, 0);
  event->u.reply = *reply;
  if (!*reply->conv) return true;
  event->id = reply->conv;
  event->conv = seen_engine_find(events->engine, reply->conv);
  return true;
}

static bool give_problem(sn_events *events, const sn_ticket *ticket,
                         seen_event *event) {
  if (ticket->conv) return give_refusal(events, ticket->conv, event);
  begin_event(events, event, SEEN_EVENT_PROBLEM, 0);
  event->u.problem = ((const sn_problem *)(const void *)ticket)->problem;
  return true;
}

static bool give(sn_events *events, const sn_ticket *ticket, seen_event *event,
                 sn_lent *lent) {
  switch (ticket->type) {
  case SEEN_EVENT_CONVERSATION: return give_state(events, ticket->conv, event);
  case SEEN_EVENT_RECEIPTS: return give_receipts(events, ticket->conv, event);
  case SEEN_EVENT_PROBLEM: return give_problem(events, ticket, event);
  case SEEN_EVENT_LIST: return give_list(events, event, lent);
  case SEEN_EVENT_TOTALS: return give_totals(events, event);
  case SEEN_EVENT_CONNECTION: return give_connection(events, event);
  case SEEN_EVENT_MESSAGE: return give_message(events, ticket, event);
  case SEEN_EVENT_REPLY: return give_reply(events, ticket, event);
  default: begin_event(events, event, ticket->type, 0); return true;
  }
}

/* The one that has waited longest. */
static sn_queue *next_queue(sn_events *events) {
  const sn_ticket *one = events->queue.first, *other = events->letters.first;
  if (!one) return other ? &events->letters : NULL;
  return other && other->serial < one->serial ? &events->letters
                                              : &events->queue;
}

/* What has no ticket, while nothing has one: marks, and states not told. */
static bool give_marked(sn_events *events, seen_conv conv, seen_event *event) {
  uint32_t waits =
      conv <= events->told_count ? events->told[conv - 1].waits : 0;
  if (waits & SN_WAITS_RECEIPTS) return give_receipts(events, conv, event);
  if (waits & SN_WAITS_REFUSED) return give_refusal(events, conv, event);
  events->scan++;
  return give_state(events, conv, event);
}

static bool give_by_scan(sn_events *events, seen_event *event) {
  while (events->all) {
    if (!seen_engine_id(events->engine, events->scan))
      events->all = false;
    else if (give_marked(events, events->scan, event))
      return true;
  }
  return false;
}

bool sn_events_next(sn_events *events, uint64_t serial, seen_event *event,
                    sn_lent *lent) {
  sn_queue *queue;
  while ((queue = next_queue(events)) && queue->first->serial <= serial) {
    sn_ticket *ticket = sn_events_pop(queue);
    bool given = give(events, ticket, event, lent);
    if (!ticket->kept) lend(lent, ticket);
    if (given) return true;
  }
  return !queue && give_by_scan(events, event);
}
