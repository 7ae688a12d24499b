#include "sim/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/backend.h"
#include "sim/device.h"
#include "sim/privacy.h"

enum { REFUSED_MS = 30, PORTAL_STATUS = 200, BLOCKED_STATUS = 403 };
enum { LATE_PUSH_MS = 5000, FALL_MS = 700 };

static uint64_t below(sim_world *sim, uint64_t limit) {
  return limit == 0 ? 0 : test_random_below(&sim->random, limit);
}

uint64_t network_latency(sim_world *sim) {
  uint64_t most = sim->quiet ? 20 : sim->plan.latency;

  return 1 + below(sim, most / 2 + 1) + (below(sim, 2) ? most / 2 : 0);
}

/* Behind what is under way already: a link carries in order. */
static uint64_t arrival(sim_world *sim, uint64_t *last) {
  uint64_t at = sim->now + network_latency(sim);

  if (at < *last) at = *last;
  *last = at;
  return at;
}

static sim_link *find(sim_world *sim, const sim_device *device, uint64_t number,
                      size_t *at) {
  for (size_t i = sim->link_count; i-- > 0;)
    if (sim->links[i].device == device->number &&
        sim->links[i].number == number) {
      *at = i;
      return &sim->links[i];
    }
  return NULL;
}

size_t network_link(const sim_world *sim, const sim_device *device) {
  for (size_t i = sim->link_count; i-- > 0;)
    if (sim->links[i].device == device->number && sim->links[i].at_client)
      return i;
  return sim->link_count;
}

static size_t add_link(sim_world *sim, const sim_device *device,
                       const seen_dial *dial) {
  sim_link *links = realloc(sim->links, (sim->link_count + 1) * sizeof *links);

  if (links == NULL) abort();
  sim->links = links;
  memset(&links[sim->link_count], 0, sizeof *links);
  links[sim->link_count].device = device->number;
  links[sim->link_count].number = dial->connection;
  links[sim->link_count].polled = dial->link == SEEN_LINK_POLL;
  links[sim->link_count].at_client = true;
  return sim->link_count++;
}

static uint64_t ending(seen_ended why, uint32_t code) {
  return (uint64_t)why << 32 | code;
}

void network_ended(sim_world *sim, size_t link, seen_ended why, uint32_t code) {
  agenda_add(&sim->agenda, sim->now + network_latency(sim), SIM_ENDED, link,
             ending(why, code));
}

static void fail_dial(sim_world *sim, size_t link, uint64_t ms, sim_fault fault,
                      uint64_t how) {
  sim_met(sim, fault);
  agenda_add(&sim->agenda, sim->now + ms, SIM_ENDED, link, how);
}

void network_dial(sim_world *sim, sim_device *device, const seen_dial *dial) {
  size_t link = add_link(sim, device, dial);
  uint64_t now = sim->now;

  if (now < device->cut_until && below(sim, 2))
    fail_dial(sim, link, dial->timeout_ms, SIM_FAULT_UNANSWERED,
              ending(SEEN_ENDED_TIMEOUT, 0));
  else if (now < device->cut_until || sim->server == NULL || sim->draining)
    fail_dial(sim, link, REFUSED_MS, SIM_FAULT_REFUSED,
              ending(SEEN_ENDED_CONNECT, 0));
  else if (now < device->portal_until)
    fail_dial(sim, link, REFUSED_MS, SIM_FAULT_PORTALLED,
              ending(SEEN_ENDED_HTTP, PORTAL_STATUS));
  else if (now < device->blocked_until && dial->link == SEEN_LINK_SOCKET)
    fail_dial(sim, link, REFUSED_MS, SIM_FAULT_UNSOCKETED,
              ending(SEEN_ENDED_HTTP, BLOCKED_STATUS));
  else
    agenda_add(&sim->agenda, now + 2 * network_latency(sim), SIM_OPENED, link,
               0);
}

void network_cut(sim_world *sim, size_t link) {
  sim_link *cut = &sim->links[link];

  cut->dark = true;
  /* What it carried may come behind what the next one carries. */
  if (below(sim, 2)) cut->late_until = sim->now + below(sim, 30000);
  if (cut->at_client) network_ended(sim, link, SEEN_ENDED_LOST, 0);
  /* The server may believe in it for a while. */
  agenda_add(&sim->agenda, sim->now + below(sim, 40000), SIM_GONE, link, 0);
  sim_met(sim, SIM_FAULT_CUT);
}

void network_cut_all(sim_world *sim, const sim_device *device) {
  for (size_t i = 0; i < sim->link_count; i++) {
    sim_link *link = &sim->links[i];

    if (device != NULL && link->device != device->number) continue;
    if (link->at_client && !link->dark) network_cut(sim, i);
  }
}

void network_write(sim_world *sim, sim_device *device, uint64_t number,
                   const char *text, size_t length) {
  size_t at;
  sim_link *link = find(sim, device, number, &at);

  if (link == NULL || link->dark) return;
  agenda_add_text(&sim->agenda, arrival(sim, &link->up_at), SIM_UP, at, 0, text,
                  length);
  if (!sim->quiet && below(sim, 10000) < sim->plan.loss) network_cut(sim, at);
}

void network_ping(sim_world *sim, sim_device *device, uint64_t number) {
  size_t at;
  sim_link *link = find(sim, device, number, &at);

  uint64_t back;

  if (link == NULL || link->dark) return;
  back = sim->now + 2 * network_latency(sim);
  agenda_add(&sim->agenda, back > link->slow_until ? back : link->slow_until,
             SIM_PONG, at, 0);
}

void network_close(sim_world *sim, sim_device *device, uint64_t number,
                   uint32_t code) {
  size_t at;
  sim_link *link = find(sim, device, number, &at);

  (void)code;
  if (link == NULL || !link->at_client) return;
  agenda_add(&sim->agenda, sim->now + 1, SIM_ENDED, at,
             ending(SEEN_ENDED_LOCAL, 0));
  /* What is under way up still arrives, but on a dark link. */
  agenda_add(&sim->agenda,
             (link->up_at > sim->now ? link->up_at : sim->now) +
                 (link->dark ? below(sim, 40000) : 2),
             SIM_GONE, at, 0);
}

/* What answers nothing. */
static bool is_push(const char *text) {
  static const char *const types[] = {"message", "position", "peer", "receipts",
                                      "members", "set",      "left"};
  char start[32];

  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    snprintf(start, sizeof start, "{\"t\":\"%s\"", types[i]);
    if (strncmp(text, start, strlen(start)) == 0) return true;
  }
  return false;
}

/* Now and then it comes twice, or behind what is sent later, or not at all:
 * then false. */
static bool push_passes(sim_world *sim, size_t at, const char *text,
                        size_t length) {
  sim_link *link = &sim->links[at];
  uint64_t how = below(sim, 6);
  uint64_t late = sim->now + network_latency(sim) + below(sim, LATE_PUSH_MS);

  if (how > 2) return true;
  link->missed = true;
  sim_met(sim, how == 0   ? SIM_FAULT_MISSED
               : how == 1 ? SIM_FAULT_DOUBLED
                          : SIM_FAULT_DELAYED);
  if (how > 0)
    agenda_add_text(&sim->agenda, late, SIM_DOWN, at, 0, text, length);
  return how == 1;
}

void network_down(sim_world *sim, size_t at, const char *text, size_t length) {
  sim_link *link = &sim->links[at];

  if (link->dark) {
    sim_met(sim, SIM_FAULT_LOST_DOWN);
    return;
  }
  if (sim->now < sim->devices[link->device].misses_until && is_push(text) &&
      !push_passes(sim, at, text, length))
    return;
  agenda_add_text(&sim->agenda, arrival(sim, &link->down_at), SIM_DOWN, at, 0,
                  text, length);
}

void network_closed(sim_world *sim, size_t at, int code) {
  sim_link *link = &sim->links[at];

  if (link->dark || !link->at_client) return;
  agenda_add(&sim->agenda, arrival(sim, &link->down_at), SIM_ENDED, at,
             ending(SEEN_ENDED_PEER, (uint32_t)code));
}

void network_request(sim_world *sim, sim_device *device,
                     const seen_http_request *request) {
  sim_asked *asked =
      realloc(sim->asked, (sim->asked_count + 1) * sizeof *asked);
  size_t at = sim->asked_count;

  if (asked == NULL) abort();
  sim->asked = asked;
  asked = &asked[sim->asked_count++];
  memset(asked, 0, sizeof *asked);
  asked->device = device->number;
  asked->life = device->life;
  asked->history = sim->history;
  asked->number = request->request;
  asked->post = request->body != NULL;
  snprintf(asked->path, sizeof asked->path, "%s", request->path);
  sim->tally->requests++;
  if (sim->now < device->cut_until || sim->server == NULL) {
    sim_met(sim, SIM_FAULT_UNREACHED);
    agenda_add(&sim->agenda, sim->now + REFUSED_MS, SIM_ANSWERED, at, 0);
  } else if (sim->now < device->portal_until) {
    sim_met(sim, SIM_FAULT_PORTALLED);
    agenda_add_text(&sim->agenda, sim->now + REFUSED_MS, SIM_ANSWERED, at,
                    PORTAL_STATUS, "<html>sign in</html>", 20);
  } else {
    agenda_add_text(&sim->agenda, sim->now + network_latency(sim), SIM_ASKED,
                    at, 0, request->body != NULL ? request->body : "",
                    request->length);
  }
}

void network_cancel(sim_world *sim, sim_device *device, uint64_t number) {
  for (size_t i = 0; i < sim->asked_count; i++)
    if (sim->asked[i].device == device->number &&
        sim->asked[i].number == number)
      agenda_add(&sim->agenda, sim->now, SIM_ANSWERED, i, 0);
}

static void tell_client(sim_world *sim, size_t at,
                        seen_transport_event *event) {
  sim_link *link = &sim->links[at];

  event->size = sizeof *event;
  event->number = link->number;
  device_transport(&sim->devices[link->device], event);
}

static void opened(sim_world *sim, size_t at) {
  sim_link *link = &sim->links[at];
  seen_transport_event event = {.type = SEEN_TRANSPORT_OPEN};

  if (!link->at_client || link->dark) return;
  if (sim->server == NULL) {
    network_cut(sim, at);
    return;
  }
  if (link->polled)
    sim_met(sim, SIM_FAULT_POLL);
  else
    link->at_server = backend_connect(sim, at);
  tell_client(sim, at, &event);
}

static void ended(sim_world *sim, size_t at, uint64_t how) {
  seen_transport_event event = {.type = SEEN_TRANSPORT_ENDED};

  if (!sim->links[at].at_client) return;
  sim->links[at].at_client = false;
  event.ended = (seen_ended)(how >> 32);
  event.code = (uint32_t)how;
  tell_client(sim, at, &event);
}

/* The n-th page that is not the last is what it is killed behind. */
static void page_came(sim_world *sim, sim_device *device, const char *text) {
  if (device->falls_at_page == 0 || strstr(text, "\"t\":\"changes\"") == NULL ||
      strstr(text, "\"more\":true") == NULL || --device->falls_at_page > 0)
    return;
  if (device_kill(device, FALL_MS, false, false)) sim_met(sim, SIM_FAULT_PAGE);
}

static void came_down(sim_world *sim, const sim_event *came) {
  sim_link *link = &sim->links[came->a];
  seen_transport_event event = {
      .type = SEEN_TRANSPORT_FRAME, .text = came->text, .length = came->length};

  if (link->dark || !link->at_client) {
    sim_met(sim, SIM_FAULT_LOST_DOWN);
    return;
  }
  sim->tally->frames_down++;
  tell_client(sim, came->a, &event);
  page_came(sim, &sim->devices[sim->links[came->a].device], came->text);
}

static void answered(sim_world *sim, const sim_event *came) {
  sim_asked *asked = &sim->asked[came->a];
  sim_device *device = &sim->devices[asked->device];
  seen_transport_event event = {.size = sizeof event,
                                .type = SEEN_TRANSPORT_ANSWER,
                                .number = asked->number,
                                .ended = SEEN_ENDED_CONNECT,
                                .status = (uint32_t)came->b,
                                .text = came->text,
                                .length = came->length};

  if (asked->number == 0 || asked->life != device->life) return;
  asked->number = 0; /* one answer each */
  if (came->b == 200 && asked->history == sim->history &&
      sim->now >= device->portal_until)
    privacy_answer(sim, device, asked->path, came->text, came->length);
  device_transport(device, &event);
  if (came->b == 200 && came->text != NULL) page_came(sim, device, came->text);
}

void network_happen(sim_world *sim, sim_event *event) {
  seen_transport_event alive = {.type = SEEN_TRANSPORT_ALIVE};
  sim_link *link = &sim->links[event->a];

  switch (event->what) {
  case SIM_OPENED: opened(sim, event->a); break;
  case SIM_ENDED: ended(sim, event->a, event->b); break;
  case SIM_DOWN: came_down(sim, event); break;
  case SIM_ANSWERED: answered(sim, event); break;
  case SIM_RELEASE: backend_gather(sim); break;
  case SIM_PONG:
    if (!link->dark && link->at_client) tell_client(sim, event->a, &alive);
    break;
  default: abort();
  }
}
