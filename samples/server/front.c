/*
 * The loop: libwebsockets serves one round of sockets, then the turn is
 * committed, then what it said is written. Alarms wake the loop for what the
 * state part has due; a sweep looks for silence.
 */
#include "front_parts.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>

enum { WHY_BYTES = 512 };

/*
 * It rings before libwebsockets waits for sockets: that has to end at once, so
 * that the loop goes round and looks what is due.
 */
static void on_alarm(lws_sorted_usec_list_t *alarm) {
  front *self = lws_container_of(alarm, front, alarm);

  self->alarm_at = SEEN_NEVER;
  lws_cancel_service(self->context);
}

static void set_alarm(front *self) {
  uint64_t at = server_deadline(self->server);

  if (self->drain_until != 0 && self->drain_until < at) at = self->drain_until;
  if (at == self->alarm_at) return;
  self->alarm_at = at;
  if (at == SEEN_NEVER)
    lws_sul_cancel(&self->alarm);
  else
    lws_sul_schedule(
        self->context, 0, &self->alarm, on_alarm,
        at <= self->now ? 1 : (lws_usec_t)(at - self->now) * LWS_US_PER_MS);
}

static lws_usec_t sweep_interval(const config *of) {
  uint32_t least = of->ping_ms;

  if (of->hello_ms < least) least = of->hello_ms;
  if (of->give_up_ms - of->ping_ms < least)
    least = of->give_up_ms - of->ping_ms;
  least /= 4;
  if (least > 1000) least = 1000;
  if (least < 10) least = 10;
  return (lws_usec_t)least * LWS_US_PER_MS;
}

static void on_sweep(lws_sorted_usec_list_t *sweep) {
  front *self = lws_container_of(sweep, front, sweep);

  self->now = clock_now();
  for (socket_peer *peer = self->sockets; peer != NULL; peer = peer->next)
    socket_sweep(self, peer);
  if (self->due != NULL) lws_cancel_service(self->context);
  lws_sul_schedule(self->context, 0, sweep, on_sweep,
                   sweep_interval(self->config));
}

static uint64_t transactions(const front *self) {
  const metrics *now = server_metrics(self->server);

  return now->commits + now->commits_failed;
}

/* Many a turn has nothing to write, and no transaction. */
static bool commit(front *self) {
  uint64_t began = clock_precise(), before;
  bool committed;

  if (self->turn_began == 0) return true;
  before = transactions(self);
  committed = server_commit(self->server, self->now);
  if (transactions(self) != before)
    histogram_add(&self->commits, clock_precise() - began);
  if (!committed) log_event(LEVEL_ERROR, "commit_failed", "%s", "");
  return committed;
}

/* Whom the state part has something for: sockets to write, polls to end. */
static void gather_waiting(front *self) {
  connection *peer;

  while ((peer = server_next_waiting(self->server)) != NULL) {
    owner *has = connection_owner(peer);

    if (has == NULL) continue;
    if (has->is_request)
      request_end_poll(self, (request *)has);
    else
      socket_is_due(self, (socket_peer *)has);
  }
}

static void write_due(front *self) {
  socket_peer *peer;

  while ((peer = self->due) != NULL) {
    self->due = peer->next_due;
    peer->is_due = false;
    socket_write(self, peer);
  }
}

static void end_turn(front *self) {
  bool committed;

  self->now = clock_now();
  committed = commit(self);
  gather_waiting(self);
  while (self->requests != NULL)
    request_settle(self, self->requests, committed);
  write_due(self);
  if (self->turn_began != 0)
    histogram_add(&self->answers, clock_precise() - self->turn_began);
  self->turn_began = 0;
}

/*
 * What the state part has due is a turn of its own: it may end connections,
 * which requests of the turn before still pointed to.
 */
static void tick(front *self) {
  if (server_deadline(self->server) <= self->now) {
    front_takes(self);
    server_tick(self->server, self->now);
    end_turn(self);
  }
  set_alarm(self);
}

static void start_drain(front *self) {
  self->now = clock_now(); /* the loop may have waited for long */
  log_event(LEVEL_INFO, "drain", "sockets=%u", (unsigned)self->open);
  self->drain_until = self->now + self->config->drain_ms;
  front_takes(self);
  server_report_now(self->server);
}

/* Sockets are closed; polls that are held have waited long enough. */
static void say_goodbye(front *self) {
  self->is_closing = true;
  self->drain_until = self->now + 1000;
  for (socket_peer *peer = self->sockets; peer != NULL; peer = peer->next)
    socket_close(self, peer, CLOSE_GOING_AWAY, "the server drains");
  lws_callback_all_protocol_vhost_args(
      self->vhost, lws_vhost_name_to_protocol(self->vhost, "http"),
      LWS_CALLBACK_USER, NULL, 0);
}

/* True: nothing is left, or it does not go by itself. */
static bool drained(front *self) {
  if (self->drain_until == 0) start_drain(self);
  if (self->stopping > 1 || server_metrics(self->server)->connections == 0)
    return true;
  if (!self->is_closing && self->now >= self->drain_until) say_goodbye(self);
  return self->is_closing &&
         (self->sockets == NULL || self->now >= self->drain_until);
}

int front_run(front *self) {
  for (;;) {
    self->now = clock_now();
    if (lws_service(self->context, 0) < 0) return 1;
    if (self->stopping != 0 && drained(self)) break;
    end_turn(self);
    tick(self);
  }
  /* Responses of the last turn have a round each to be written. */
  for (int round = 0; round < 3; round++) {
    end_turn(self);
    lws_service(self->context, -1);
  }
  end_turn(self);
  log_event(LEVEL_INFO, "stopped", "%s", "");
  return 0;
}

void front_stop(front *self) {
  self->stopping++;
  lws_cancel_service(self->context);
}

static bool authenticate(void *user_data, const char *token, identity *who) {
  const front *self = user_data;

  return token_check(self->key, token, self->now, who);
}

static void audit(void *user_data, const char *user, const char *conv,
                  uint64_t seq, const char *status, int answer) {
  front *self = user_data;
  log_name who, where;

  self->counts.lists_audited++;
  log_event(LEVEL_INFO, "readers_asked",
            "user=%s conv=%s seq=%llu status=%s answer=%d",
            log_quote(who, user), log_quote(where, conv),
            (unsigned long long)seq, *status != '\0' ? status : "none", answer);
}

static void reported(void *user_data, const char *user, const char *conv,
                     const char *device, const char *event, int answer) {
  log_name who, where, by, as;

  (void)user_data;
  log_event(LEVEL_DEBUG, "read_cursor",
            "user=%s conv=%s device=%s event=%s answer=%d",
            log_quote(who, user), log_quote(where, conv), log_quote(by, device),
            log_quote(as, event), answer);
}

static void cleared(void *user_data, uint64_t since) {
  front *self = user_data;
  uint64_t now = clock_now();

  histogram_add(&self->clears, now > since ? (now - since) * 1000000 : 0);
}

static void state_log(void *user_data, const char *line) {
  (void)user_data;
  log_event(LEVEL_WARN, "state", "%s", line);
}

static bool open_state(front *self, const storage *opened, char *why) {
  size_t size = sizeof self->cursor_key;
  int status = SEEN_OK;

  self->hooks =
      (hooks){self, authenticate, audit, reported, cleared, state_log};
  if (lws_get_random(self->context, self->cursor_key, size) != size) {
    snprintf(why, WHY_BYTES, "there is no randomness");
    return false;
  }
  self->server = server_open(opened, &self->config->limits, &self->hooks,
                             self->cursor_key, self->now, &status);
  if (self->server == NULL)
    snprintf(why, WHY_BYTES, "the database can't be read: %s",
             seen_error_name(status));
  return self->server != NULL;
}

front *front_open(const config *settings, const storage *opened,
                  const token_key *key, char *why) {
  front *self = calloc(1, sizeof *self);

  if (self == NULL) {
    snprintf(why, WHY_BYTES, "no memory");
    return NULL;
  }
  self->config = settings;
  self->key = key;
  self->now = clock_now();
  self->alarm_at = SEEN_NEVER;
  if (front_open_port(self, why) && open_state(self, opened, why)) {
    on_sweep(&self->sweep);
    return self;
  }
  front_close(self);
  return NULL;
}

int front_port(const front *self) {
  return lws_get_vhost_listen_port(self->vhost);
}

/* Sockets that are left are closed, and so unlinked, before the state part. */
void front_close(front *self) {
  if (self == NULL) return;
  if (self->context != NULL) lws_context_destroy(self->context);
  if (self->server != NULL) server_close(self->server);
  free(self);
}
