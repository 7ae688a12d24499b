#include "sim/backend.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connections.h"
#include "sim/acting.h"
#include "sim/backup.h"
#include "sim/network.h"
#include "sim/positions.h"
#include "sim/privacy.h"
#include "sim/rules.h"

enum { COMMIT_MS = 3, DOWN_MS = 2000, DRAIN_MS = 2000 };

static const uint8_t cursor_key[32] = {1, 2, 3};

static uint64_t server_now(const sim_world *sim) {
  return sim->server_base + sim->now;
}

/* "u3:17000": a user and when the token ends, by the simulation's clock. */
void backend_token(const sim_world *sim, uint32_t user, uint64_t ends,
                   char token[64]) {
  (void)sim;
  snprintf(token, 64, "%s:%" PRIu64, sim_user(user), ends);
}

static bool read_token(const sim_world *sim, const char *token, identity *who) {
  const char *colon = strchr(token, ':');
  uint64_t ends;

  if (colon == NULL || colon - token >= NAME_MAX_BYTES) return false;
  ends = strtoull(colon + 1, NULL, 10);
  if (ends <= sim->now) return false;
  memset(who, 0, sizeof *who);
  memcpy(who->user, token, (size_t)(colon - token));
  who->expires_at = sim->server_base + ends;
  return true;
}

static bool authenticate(void *user_data, const char *token, identity *who) {
  return read_token(user_data, token, who);
}

/* A token that ended is none: then NULL. */
static const identity *identify(const sim_world *sim, const sim_device *device,
                                identity *who) {
  char token[64];

  backend_token(sim, device->user, device->token_at, token);
  return read_token(sim, token, who) ? who : NULL;
}

static void start(sim_world *sim) {
  const hooks with = {.user_data = sim, .authenticate = authenticate};
  int status = SEEN_OK;

  sim->server = server_open(&sim->disk.storage, &sim->limits, &with, cursor_key,
                            server_now(sim), &status);
  if (sim->server == NULL) {
    if (sim->quiet)
      sim_fail(sim, "the server does not open: %s", seen_error_name(status));
    agenda_add(&sim->agenda, sim->now + DOWN_MS, SIM_START, 0, 0);
    return;
  }
  sim->commit_planned = false;
  sim->draining = false;
  sim->switch_count = 0;
  sim->commits = 0;
  sim->server_tick = SEEN_NEVER;
  if (sim->quiet) mishap_enable(sim);
}

static void open_storage(sim_world *sim) {
  storage inner;
  char path[400];

  snprintf(path, sizeof path, "%s/server.db", sim->folder.path);
  if (sim->plan.sqlite_server) {
    if (storage_sqlite_open(&inner, path, "first", NULL) != SEEN_OK) abort();
  } else {
    storage_memory_open(&inner, "first");
  }
  faulty_begin(&sim->disk, inner);
}

void backend_open(sim_world *sim) {
  limits_init(&sim->limits);
  sim->limits.peer_limit = sim->plan.peer_limit;
  sim->limits.roster_limit = sim->plan.roster_limit;
  sim->limits.queue_bytes = sim->plan.queue_bytes;
  sim->limits.cache_entries = sim->plan.cache_entries;
  if (sim->plan.narrow > 0)
    sim->limits.page_rows = sim->limits.dirty_rows = sim->limits.items =
        sim->plan.narrow;
  if (sim->plan.busy) sim->limits.dirty_rows = 1;
  if (sim->plan.tight) {
    sim->limits.reports_per_second = 2;
    sim->limits.reports_burst = 2;
    sim->limits.reports_parked = 2;
    sim->limits.requests_per_second = 10;
    sim->limits.requests_burst = 20;
  }
  sim->server_base = UINT64_C(1700000000000);
  open_storage(sim);
  start(sim);
}

void backend_end(sim_world *sim) {
  if (sim->server != NULL) server_close(sim->server);
  sim->disk.inner.close(sim->disk.inner.self);
  backup_end(sim);
}

connection *backend_connect(sim_world *sim, size_t link) {
  identity who;

  /* A token that has ended: the session hears of it from `hello`. */
  return server_connect(
      sim->server, identify(sim, &sim->devices[sim->links[link].device], &who),
      NULL, server_now(sim));
}

/* Behind each frame that the server took. */
static void plan_commit(sim_world *sim) {
  privacy_switches(sim);
  if (sim->commit_planned) return;
  sim->commit_planned = true;
  agenda_add(&sim->agenda,
             sim->now + test_random_below(&sim->random, COMMIT_MS + 1),
             SIM_COMMIT, 0, 0);
}

/* The server's deadline, as an event. */
static void plan_tick(sim_world *sim) {
  uint64_t at = server_deadline(sim->server);

  if (at == SEEN_NEVER) return;
  at = at > server_now(sim) ? at - sim->server_base : sim->now;
  if (at >= sim->server_tick) return;
  sim->server_tick = at;
  agenda_add(&sim->agenda, at, SIM_SERVER, 0, 0);
}

/* As docs/protocol.md has them; a connection can be in several, the rarest is
 * what counts. */
static sim_state state_of(const sim_world *sim, const sim_link *link,
                          const connection *of) {
  const sim_device *device = &sim->devices[link->device];

  if (of == NULL || connection_user(of)[0] == '\0') return SIM_STATE_FRESH;
  if (sim->draining) return SIM_STATE_DRAINING;
  if (of->resyncing) return SIM_STATE_RESYNCING;
  if (link->slow) return SIM_STATE_SLOW;
  if (link->polled) return SIM_STATE_POLLED;
  if (device->on && device->session->link.number == link->number &&
      (device->session->paging != SN_PAGING_NONE ||
       device->session->link.stage != SN_STAGE_UP))
    return SIM_STATE_PAGING;
  return SIM_STATE_SYNCED;
}

static void gather_one(sim_world *sim, connection *from, size_t at) {
  sim_link *link = &sim->links[at];
  const char *frame, *reason;
  size_t length;
  int code;

  if (link->slow_until > sim->now && !sim->quiet) {
    if (connection_has_next(from)) sim_met(sim, SIM_FAULT_HELD);
    return;
  }
  while ((frame = connection_next(from, &length)) != NULL) {
    rules_frame_down(sim, at, state_of(sim, link, from), frame, length);
    network_down(sim, at, frame, length);
  }
  link->slow = false;
  if (link->polled) return; /* a request that finds it closed ends it */
  code = connection_closing(from, &reason);
  if (code == 0) return;
  network_closed(sim, at, code);
  link->at_server = NULL;
  facts_all(sim);
  server_disconnect(sim->server, from, server_now(sim));
  plan_commit(sim);
}

static void name_polled(size_t link, char name[24]) {
  snprintf(name, 24, "poll-%zu", link);
}

/* A poll is held all the time: what a link of requests is at the server. */
static void gather_polled(sim_world *sim, size_t at) {
  sim_link *link = &sim->links[at];
  connection *from = NULL;
  identity who;
  char name[24];

  name_polled(at, name);
  if (identify(sim, &sim->devices[link->device], &who) != NULL)
    from = http_poll(sim->server, &who, name, server_now(sim));
  if (from != NULL) {
    gather_one(sim, from, at);
    return;
  }
  link->greeted = false; /* 404: it is forgotten; 401 */
  network_ended(sim, at, SEEN_ENDED_LOST, 0);
}

void backend_gather(sim_world *sim) {
  if (sim->server == NULL) return;
  while (server_next_waiting(sim->server) != NULL) {
  }
  for (size_t i = 0; i < sim->link_count; i++)
    if (sim->links[i].at_server != NULL)
      gather_one(sim, sim->links[i].at_server, i);
    else if (sim->links[i].greeted && sim->links[i].at_client &&
             !sim->links[i].dark)
      gather_polled(sim, i);
}

static void commit(sim_world *sim) {
  bool done;

  sim->commit_planned = false;
  if (sim->server == NULL) return;
  done = server_commit(sim->server, server_now(sim));
  if (!done) sim_met(sim, SIM_FAULT_SERVER_IO);
  rules_server(sim);
  backend_gather(sim);
  plan_tick(sim);
  if (!done && sim->quiet) mishap_enable(sim); /* it was of that turn */
}

/* Whoever is slow has not heard yet that the server ends it: what they say is
 * not taken. */
static bool is_closing(const connection *of) {
  const char *reason;

  return of != NULL && connection_closing(of, &reason) != 0;
}

/* No request of theirs is taken. */
static bool is_disabled(const sim_world *sim, const char *user) {
  const storage *disk = &sim->disk.inner;
  stored_user found;

  return disk->get_user(disk->self, user, &found) == SEEN_OK && found.disabled;
}

/* The same frame by a request of its own. */
static void came_polled(sim_world *sim, const sim_event *event) {
  sim_link *link = &sim->links[event->a];
  char body[SEEN_FRAME_MAX], name[24];
  identity who;
  connection *from = NULL;
  response answer;

  name_polled(event->a, name);
  if (identify(sim, &sim->devices[link->device], &who) == NULL) {
    sim_met(sim, SIM_FAULT_UNAUTHORIZED);
    network_ended(sim, event->a, SEEN_ENDED_HTTP, 401);
    return;
  }
  snprintf(body, sizeof body, "[%s]", event->text);
  if (link->greeted) from = http_poll(sim->server, &who, name, server_now(sim));
  if (!is_closing(from) && !is_disabled(sim, who.user))
    rules_frame_up(sim, event->a, state_of(sim, link, from), event->text);
  answer = http_frames(sim->server, &who, link->greeted ? name : NULL, name,
                       body, strlen(body), &from, server_now(sim));
  if (answer.status == 200)
    link->greeted = true;
  else if (answer.status == 404)
    network_ended(sim, event->a, SEEN_ENDED_LOST, 0);
  else
    network_ended(sim, event->a, SEEN_ENDED_HTTP, (uint32_t)answer.status);
  response_free(&answer);
  plan_commit(sim);
}

/* R6: whatever it says waits for the commit; all that did not was taken. */
static void check_silent(sim_world *sim, const sim_link *link) {
  const char *frame;
  size_t length;

  if (link->slow) return;
  frame = connection_next(link->at_server, &length);
  if (frame != NULL)
    sim_fail(sim, "R6: %s is told before the commit: %.80s",
             sim->devices[link->device].name, frame);
}

static void came_up(sim_world *sim, const sim_event *event) {
  sim_link *link = &sim->links[event->a];

  if (sim->server == NULL) {
    sim_met(sim, SIM_FAULT_LOST_UP);
    return;
  }
  if (link->dark && link->late_until > sim->now) {
    agenda_add_text(&sim->agenda, link->late_until, SIM_UP, event->a, 0,
                    event->text, event->length);
    return;
  }
  if (link->dark && (link->polled || link->at_server != NULL))
    sim_met(sim, SIM_FAULT_LATE);
  if (link->polled) {
    came_polled(sim, event);
    return;
  }
  if (link->at_server == NULL || is_closing(link->at_server)) {
    sim_met(sim, SIM_FAULT_LOST_UP);
    return;
  }
  rules_frame_up(sim, event->a, state_of(sim, link, link->at_server),
                 event->text);
  server_frame(sim->server, link->at_server, event->text, event->length,
               server_now(sim));
  check_silent(sim, link);
  plan_commit(sim);
}

/* What it had reported and waited is taken now. */
static void gone(sim_world *sim, size_t at) {
  sim_link *link = &sim->links[at];

  link->dark = true;
  if (sim->server == NULL || link->at_server == NULL) return;
  facts_all(sim);
  server_disconnect(sim->server, link->at_server, server_now(sim));
  link->at_server = NULL;
  plan_commit(sim);
}

bool backend_say(sim_world *sim, const char *user, bool admin,
                 const char *frame, ...) {
  static const char hello[] = "{\"t\":\"hello\",\"id\":1,\"device\":\"desk\"}";
  char said[1024];
  identity who = {"", admin, 0};
  connection *desk;
  va_list list;

  if (sim->server == NULL) return false;
  snprintf(who.user, sizeof who.user, "%s", user);
  va_start(list, frame);
  vsnprintf(said, sizeof said, frame, list);
  va_end(list);
  desk = server_connect(sim->server, &who, NULL, server_now(sim));
  server_frame(sim->server, desk, hello, strlen(hello), server_now(sim));
  server_frame(sim->server, desk, said, strlen(said), server_now(sim));
  facts_named(sim, said);
  positions_frame(sim, user, said, backup_note(sim, user, said));
  server_disconnect(sim->server, desk, server_now(sim));
  plan_commit(sim);
  return true;
}

bool backend_crash(sim_world *sim, uint64_t ms) {
  if (sim->server == NULL) return false;
  if (sim->commit_planned) sim_met(sim, SIM_FAULT_SERVER_LOSS);
  sim_met(sim, SIM_FAULT_SERVER_CLOCK);
  positions_crashed(sim);
  server_close(sim->server);
  sim->server = NULL;
  /* The next one has a clock of its own (F6). */
  sim->server_base += test_random_below(&sim->random, 20000);
  sim->server_base -= 10000;
  for (size_t i = 0; i < sim->link_count; i++) {
    sim->links[i].at_server = NULL;
    sim->links[i].greeted = false;
    if (sim->links[i].at_client && !sim->links[i].dark) network_cut(sim, i);
  }
  agenda_add(&sim->agenda, sim->now + ms, SIM_START, 0, 0);
  return true;
}

bool backend_drain(sim_world *sim) {
  if (sim->server == NULL || sim->draining) return false;
  server_report_now(sim->server);
  sim->draining = true;
  plan_commit(sim);
  agenda_add(&sim->agenda, sim->now + DRAIN_MS, SIM_DRAINED, 0, 0);
  return true;
}

/* Its work is done, its connections are closed; another process begins. */
static void drained(sim_world *sim) {
  if (sim->server == NULL || !sim->draining) return;
  for (size_t i = 0; i < sim->link_count; i++) {
    sim_link *link = &sim->links[i];

    if (link->at_server == NULL) continue;
    network_closed(sim, i, CLOSE_GOING_AWAY);
    server_disconnect(sim->server, link->at_server, server_now(sim));
    link->at_server = NULL;
  }
  facts_all(sim);
  commit(sim);
  backend_crash(sim, 100);
}

/* What stands behind a word of a path, up to `end`; false: it is not there. */
static bool cut_out(const char *path, const char *word, const char *end,
                    char *into, size_t size) {
  const char *from = strstr(path, word), *to;

  into[0] = '\0';
  if (from == NULL) return false;
  from += strlen(word);
  to = end[0] == '\0' ? from + strcspn(from, "&") : strstr(from, end);
  if (to == NULL || (size_t)(to - from) >= size) return false;
  memcpy(into, from, (size_t)(to - from));
  into[to - from] = '\0';
  return true;
}

static uint64_t number_in(const char *path, const char *word) {
  const char *at = strstr(path, word);

  return at == NULL ? 0 : strtoull(at + strlen(word), NULL, 10);
}

/* The request paths that a session uses. */
static response route(sim_world *sim, const identity *who, const char *path,
                      const char *body, size_t length) {
  char conv[128], status[16], message[160];
  uint64_t now = server_now(sim);

  if (strncmp(path, "/im/conversations?", 18) == 0)
    return http_conversations(sim->server, who, number_in(path, "after="),
                              number_in(path, "limit="), now);
  if (cut_out(path, "/im/conversations/", "/read-cursor", conv, sizeof conv))
    return http_read_cursor(sim->server, who, conv, body, length, now);
  if (cut_out(path, "/im/messages/", "%3A", conv, sizeof conv)) {
    cut_out(path, "status=", "", status, sizeof status);
    snprintf(message, sizeof message, "%s:%" PRIu64, conv,
             number_in(path, "%3A"));
    return http_read_receipts(sim->server, who, message, status, NULL, 0, now);
  }
  if (strcmp(path, "/im/unread") == 0)
    return http_unread(sim->server, who, now);
  sim_fail(sim, "a session asks for %s", path);
  return http_error(404, "not_found", "", 0);
}

static void asked(sim_world *sim, const sim_event *event) {
  sim_asked *request = &sim->asked[event->a];
  sim_device *device = &sim->devices[request->device];
  identity who;
  response answer;

  if (sim->server == NULL) {
    agenda_add(&sim->agenda, sim->now, SIM_ANSWERED, event->a, 0);
    return;
  }
  facts_named(sim, request->path);
  positions_request(sim, device->user, request->path);
  answer = identify(sim, device, &who) != NULL
               ? route(sim, &who, request->path, event->text, event->length)
               : http_error(401, "unauthorized", "", 0);
  /* It may leave only after the commit. */
  if (!server_commit(sim->server, server_now(sim))) {
    response_free(&answer);
    answer = http_error(503, "storage", "", 0);
  }
  rules_server(sim);
  agenda_add_text(&sim->agenda, sim->now + network_latency(sim), SIM_ANSWERED,
                  event->a, (uint64_t)answer.status, answer.body,
                  answer.length);
  response_free(&answer);
  backend_gather(sim);
  plan_tick(sim);
}

response backend_ask(sim_world *sim, uint32_t user, const char *path) {
  identity who = {"", false, 0};

  snprintf(who.user, sizeof who.user, "%s", sim_user(user));
  return route(sim, &who, path, "", 0);
}

void backend_happen(sim_world *sim, sim_event *event) {
  switch (event->what) {
  case SIM_UP: came_up(sim, event); break;
  case SIM_GONE: gone(sim, event->a); break;
  case SIM_ASKED: asked(sim, event); break;
  case SIM_COMMIT: commit(sim); break;
  case SIM_START:
    if (sim->server == NULL) start(sim);
    break;
  case SIM_DRAINED: drained(sim); break;
  case SIM_SERVER:
    sim->server_tick = SEEN_NEVER;
    if (sim->server == NULL) break;
    facts_all(sim);
    server_tick(sim->server, server_now(sim));
    commit(sim);
    break;
  default: abort();
  }
}
