#include "sim/people.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/acting.h"
#include "sim/backend.h"
#include "sim/backup.h"
#include "sim/device.h"
#include "sim/namings.h"
#include "sim/rules.h"

enum { SCREEN = 6 };

seen_input acting_input(const sim_acting *acting, seen_input_type type) {
  seen_input input = {.size = sizeof input, .type = type};

  if (SEEN_INPUT_HAS_CONV(type)) input.id = acting->conv;
  return input;
}

bool acting_feed(const sim_acting *acting, seen_input_type type) {
  seen_input input = acting_input(acting, type);

  device_feed(acting->device, &input);
  return true;
}

bool acting_feed_on(const sim_acting *acting, seen_input_type type, bool on) {
  seen_input input = acting_input(acting, type);

  input.u.on = on;
  device_feed(acting->device, &input);
  return true;
}

static uint64_t last_seq(const sim_acting *acting) {
  seen_state state;

  return device_state(acting->device, acting->act->conv, &state)
             ? state.last_seq
             : 0;
}

/* A seq from 1 to the last one; 0: there is none. */
static uint64_t some_seq(const sim_acting *acting, uint32_t by) {
  uint64_t last = last_seq(acting);

  return last == 0 ? 0 : 1 + by % last;
}

static bool close_open(sim_device *device) {
  seen_input input = {.size = sizeof input, .type = SEEN_INPUT_CLOSE};

  if (device->open < 0) return false;
  input.id = sim_conv((uint32_t)device->open);
  device->farewells++;
  device_feed(device, &input);
  rules_farewell(device);
  device->open = -1;
  return true;
}

static bool open_conv(const sim_acting *acting) {
  sim_device *device = acting->device;

  close_open(device);
  device->open = (int)acting->act->conv;
  device->on_screen = 0;
  return acting_feed(acting, SEEN_INPUT_OPEN);
}

static bool show(const sim_acting *acting, uint64_t lo, uint64_t hi) {
  seen_input input = acting_input(acting, SEEN_INPUT_VISIBLE);
  uint64_t last = last_seq(acting);

  if (acting->device->open != (int)acting->act->conv) open_conv(acting);
  if (hi > last) hi = last;
  if (lo > hi || lo == 0) return false;
  input.u.range = (seen_run){lo, hi};
  acting->device->on_screen = hi;
  rules_screen(acting->device);
  namings_touched(acting->device, acting->act->conv, hi);
  device_feed(acting->device, &input);
  return true;
}

static bool scroll(const sim_acting *acting) {
  uint64_t last = last_seq(acting), at = some_seq(acting, acting->act->a);

  /* Mostly to the end, as people do. */
  if (acting->act->b % 3 != 0) at = last > SCREEN ? last - SCREEN + 1 : 1;
  return show(acting, at, at + SCREEN - 1);
}

static bool fling(const sim_acting *acting) {
  uint64_t last = last_seq(acting);

  for (uint64_t at = 1; at <= last; at += SCREEN)
    show(acting, at, at + SCREEN - 1);
  return last > 0;
}

static bool mark_read(const sim_acting *acting) {
  seen_input input = acting_input(acting, SEEN_INPUT_MARK_READ);
  uint64_t seq = some_seq(acting, acting->act->b);

  input.u.seq.said = acting->act->a % 2 == 0 && seq > 0;
  input.u.seq.seq = seq;
  if (!input.u.seq.said) seq = last_seq(acting);
  rules_seen(acting->device, acting->act->conv, seq);
  namings_touched(acting->device, acting->act->conv, seq);
  device_feed(acting->device, &input);
  return seq > 0;
}

static bool mark_unread(const sim_acting *acting) {
  seen_input input = acting_input(acting, SEEN_INPUT_MARK_UNREAD);
  uint64_t seq = some_seq(acting, acting->act->b);

  input.u.seq.said = acting->act->a % 2 == 0 && seq > 0;
  input.u.seq.seq = seq;
  device_feed(acting->device, &input);
  return seq > 0;
}

static bool read_all(const sim_acting *acting) {
  seen_state state;

  for (uint32_t i = 0; i < acting->sim->plan.convs; i++)
    if (device_state(acting->device, i, &state))
      rules_seen(acting->device, i, state.last_seq);
  return acting_feed(acting, SEEN_INPUT_READ_ALL);
}

static bool clear(const sim_acting *acting) {
  namings_touched(acting->device, acting->act->conv, last_seq(acting));
  return acting_feed(acting, SEEN_INPUT_CLEAR_MENTIONS);
}

bool acting_away(const sim_acting *acting) {
  acting->device->foreground = false;
  acting->device->farewells++;
  acting_feed_on(acting, SEEN_INPUT_APP, false);
  rules_farewell(acting->device);
  return true;
}

/* As the client's flush does: to the engine where there is a link. */
static bool flush(const sim_acting *acting) {
  sim_device *device = acting->device;

  if (device->session->link.stage == SN_STAGE_UP)
    return acting_feed(acting, SEEN_INPUT_FLUSH);
  sn_session_flush(device->session, device_now(device));
  device_turn(device);
  return true;
}

static bool back(const sim_acting *acting) {
  acting->device->foreground = true;
  rules_screen(acting->device);
  return acting_feed_on(acting, SEEN_INPUT_APP, true);
}

static bool focus(const sim_acting *acting, bool on) {
  acting->device->focus = on;
  rules_screen(acting->device);
  return acting_feed_on(acting, SEEN_INPUT_FOCUS, on);
}

/* Sends something; a text has its own body, to be found again. */
static bool post(const sim_acting *acting, seen_message_kind kind,
                 uint64_t target, bool names) {
  sim_world *sim = acting->sim;
  const char *users[1];
  sim_sent *sent = &sim->sent[sim->sent_count];
  seen_post body = {.size = sizeof body, .kind = kind, .target = target};
  sn_ask ask = {.act = SEEN_ACT_SEND, .conv = acting->conv, .post = &body};

  if (sim->sent_count == SIM_SENT_MAX) return false;
  memset(sent, 0, sizeof *sent);
  sent->user = acting->act->user;
  sent->conv = acting->act->conv;
  snprintf(sent->body, sizeof sent->body, "m%zu", sim->sent_count);
  body.body = kind == SEEN_MESSAGE_EDIT ? "x" : sent->body;
  if (kind == SEEN_MESSAGE_RECALL) body.body = NULL;
  if (kind == SEEN_MESSAGE_TEXT && acting->act->c % 8 == 0) /* F2 */
    body.countable = SEEN_COUNTABLE_NO;
  if (kind == SEEN_MESSAGE_REACTION && acting->act->c % 8 == 0)
    body.countable = SEEN_COUNTABLE_YES;
  if (names) {
    users[0] = sim_user(acting->act->a % sim->plan.users);
    body.mentions = users;
    body.mention_count = acting->act->b % 4 == 0 ? 0 : 1;
    body.mention_all = acting->act->b % 4 == 0;
  }
  sim->sent_count++;
  if (device_request(acting->device, &ask) != 0) return true;
  sim->sent_count--;
  return false;
}

/* An own message that the person may recall or edit; 0: none. */
static uint64_t own_message(const sim_acting *acting) {
  const sim_world *sim = acting->sim;

  for (size_t i = 0; i < sim->sent_count; i++) {
    size_t at = (acting->act->a + i) % sim->sent_count;
    const sim_sent *sent = &sim->sent[at];

    if (sent->user == acting->act->user && sent->conv == acting->act->conv &&
        sent->seq > 0)
      return sent->seq;
  }
  return 0;
}

static bool post_about(const sim_acting *acting, seen_message_kind kind) {
  bool own = kind == SEEN_MESSAGE_RECALL || kind == SEEN_MESSAGE_EDIT;
  uint64_t target =
      own ? own_message(acting) : some_seq(acting, acting->act->a);

  return target > 0 &&
         post(acting, kind, target,
              kind == SEEN_MESSAGE_EDIT && acting->act->b % 2 == 0);
}

static bool ask(const sim_acting *acting, seen_act act) {
  sn_ask request = {.act = act, .conv = acting->conv, .limit = 20};

  if ((act == SEEN_ACT_JOIN || act == SEEN_ACT_LEAVE) &&
      acting->sim->plan.kinds[acting->act->conv] == 0)
    return false;
  if (act == SEEN_ACT_READERS) {
    request.seq = acting->act->c % 8 == 0 ? some_seq(acting, acting->act->a)
                                          : own_message(acting);
    request.which = (seen_ask)(acting->act->b % 4);
    if (request.seq == 0) return false;
  }
  return device_request(acting->device, &request) != 0;
}

/* S7. The switch is thrown at the server; whether it took it is seen there. */
static bool receipts(const sim_acting *acting) {
  sim_world *sim = acting->sim;
  const sn_ask ask = {.act = SEEN_ACT_SETTINGS, .on = acting->act->a % 2 == 0};

  if (acting->act->b % 2 == 0) return device_request(acting->device, &ask) != 0;
  sim->switching = true;
  return backend_say(sim, sim_user(acting->act->user), false,
                     "{\"t\":\"settings\",\"id\":2,\"receipts\":%s}",
                     ask.on ? "true" : "false");
}

static bool moderate(const sim_acting *acting, const char *act) {
  uint64_t seq = some_seq(acting, acting->act->a);

  if (seq == 0) return false;
  acting->sim->moderated = true;
  return backend_say(acting->sim, "root", true,
                     "{\"t\":\"admin\",\"id\":2,\"op\":\"%s%u\",\"act\":\"%s\","
                     "\"conv\":\"%s\",\"seq\":%llu}",
                     act, acting->act->c, act, acting->conv,
                     (unsigned long long)seq);
}

/* By a member, who may or may not do that; otherwise by the operator. */
static bool membership(const sim_acting *acting, const char *act) {
  const char *users[] = {sim_user(acting->act->a % acting->sim->plan.users)};
  const sn_ask ask = {.act = act[0] == 'a' ? SEEN_ACT_ADD : SEEN_ACT_REMOVE,
                      .conv = acting->conv,
                      .users = users,
                      .user_count = 1,
                      .role = SEEN_ROLE_MEMBER};

  if (acting->sim->plan.kinds[acting->act->conv] == 0) return false;
  if (acting->act->b % 3 == 0) return device_request(acting->device, &ask) != 0;
  return backend_say(acting->sim, "root", true,
                     "{\"t\":\"%s\",\"id\":2,\"op\":\"%s%u\",\"conv\":\"%s\","
                     "\"users\":[\"%s\"]}",
                     act, act, acting->act->c, acting->conv,
                     sim_user(acting->act->user));
}

/* One of a name that there is already: names are for all. */
static bool make(const sim_acting *acting) {
  const seen_creation creation = {.size = sizeof creation,
                                  .kind = SEEN_KIND_GROUP};
  const sn_ask ask = {
      .act = SEEN_ACT_CREATE, .conv = acting->conv, .create = &creation};

  return device_request(acting->device, &ask) != 0;
}

/* A push notification brings rows as the server has them now, or what was sent
 * to somebody of this user some time ago. */
static bool pushed(const sim_acting *acting) {
  const sim_note *note = &acting->sim->notes[acting->act->user];
  response answer;

  if (note->length > 0 && acting->act->b % 2 == 0) {
    sn_session_push(acting->device->session, note->text, note->length,
                    device_now(acting->device), NULL);
    device_turn(acting->device);
    sim_met(acting->sim, SIM_FAULT_STALE_NOTE);
    return true;
  }
  if (acting->sim->server == NULL || acting->sim->commit_planned) return false;
  answer = backend_ask(acting->sim, acting->act->user,
                       "/im/conversations?after=0&limit=200");
  sn_session_push(acting->device->session, answer.body, answer.length,
                  device_now(acting->device), NULL);
  device_turn(acting->device);
  response_free(&answer);
  return true;
}

static bool person(const sim_acting *acting) {
  switch (acting->act->type) {
  case SIM_SAY: return post(acting, SEEN_MESSAGE_TEXT, 0, false);
  case SIM_NAME: return post(acting, SEEN_MESSAGE_TEXT, 0, true);
  case SIM_QUOTE: return post_about(acting, SEEN_MESSAGE_TEXT);
  case SIM_REACT: return post_about(acting, SEEN_MESSAGE_REACTION);
  case SIM_RECALL: return post_about(acting, SEEN_MESSAGE_RECALL);
  case SIM_EDIT: return post_about(acting, SEEN_MESSAGE_EDIT);
  case SIM_OPEN: return open_conv(acting);
  case SIM_SCROLL: return scroll(acting);
  case SIM_FLING: return fling(acting);
  case SIM_CLOSE: return close_open(acting->device);
  case SIM_READ: return mark_read(acting);
  case SIM_UNREAD: return mark_unread(acting);
  case SIM_READ_ALL: return read_all(acting);
  case SIM_CLEAR: return clear(acting);
  case SIM_MUTE:
    return acting_feed_on(acting, SEEN_INPUT_MUTE, acting->act->a % 2);
  case SIM_PIN:
    return acting_feed_on(acting, SEEN_INPUT_PIN, acting->act->a % 2);
  case SIM_AWAY: return acting_away(acting);
  case SIM_BACK: return back(acting);
  case SIM_BLUR: return focus(acting, false);
  case SIM_FOCUS: return focus(acting, true);
  case SIM_FLUSH: return flush(acting);
  case SIM_AUDIT: return acting_feed(acting, SEEN_INPUT_AUDIT);
  case SIM_PUSHED: return pushed(acting);
  case SIM_HISTORY: return ask(acting, SEEN_ACT_HISTORY);
  case SIM_READERS: return ask(acting, SEEN_ACT_READERS);
  case SIM_CREATE: return make(acting);
  case SIM_JOIN: return ask(acting, SEEN_ACT_JOIN);
  case SIM_LEAVE: return ask(acting, SEEN_ACT_LEAVE);
  case SIM_ADD: return membership(acting, "add");
  case SIM_REMOVE: return membership(acting, "remove");
  case SIM_RECEIPTS: return receipts(acting);
  case SIM_TAKEDOWN: return moderate(acting, "takedown");
  case SIM_PURGE: return moderate(acting, "purge");
  case SIM_APPROVE: return moderate(acting, "approve");
  default: return mishap_act(acting);
  }
}

static sim_device *device_of(sim_world *sim, uint32_t user, uint32_t number) {
  for (size_t i = 0; i < sim->device_count; i++)
    if (sim->devices[i].user == user && number-- == 0) return &sim->devices[i];
  abort(); /* the plan names none that is not there */
}

void people_act(sim_world *sim, const sim_act *act) {
  sim_acting acting = {sim, device_of(sim, act->user, act->device), act,
                       sim_conv(act->conv)};

  if ((act->type >= SIM_CUT || acting.device->on) && person(&acting))
    sim->tally->acts[act->type]++;
  /* Now and then a backup is taken. */
  if (act->a % 16 == 0) backup_take(sim);
}

static void create(sim_world *sim, uint32_t conv) {
  static const char *const kinds[] = {"direct", "group", "group", "large"};
  char users[128] = "";

  if (sim->plan.kinds[conv] == 0) {
    backend_say(sim, sim_user(0), false,
                "{\"t\":\"create\",\"id\":2,\"op\":\"c%u\",\"conv\":\"%s\","
                "\"kind\":\"direct\",\"users\":[\"%s\"]}",
                conv, sim_conv(conv), sim_user(1));
    return;
  }
  for (uint32_t i = 0; i < sim->plan.users; i++)
    snprintf(users + strlen(users), sizeof users - strlen(users), "%s\"%s\"",
             i == 0 ? "" : ",", sim_user(i));
  backend_say(sim, "root", true,
              "{\"t\":\"create\",\"id\":2,\"op\":\"c%u\",\"conv\":\"%s\","
              "\"kind\":\"%s\",\"open\":true,\"moderated\":%s,"
              "\"users\":[%s]}",
              conv, sim_conv(conv), kinds[sim->plan.kinds[conv]],
              sim->plan.moderated[conv] ? "true" : "false", users);
  for (uint32_t i = 0; i < sim->plan.users; i++)
    if ((sim->plan.admins >> i & 1) != 0)
      backend_say(sim, "root", true,
                  "{\"t\":\"add\",\"id\":2,\"op\":\"a%u-%u\",\"conv\":\"%s\","
                  "\"users\":[\"%s\"],\"role\":\"admin\"}",
                  conv, i, sim_conv(conv), sim_user(i));
}

static void add_device(sim_world *sim, uint32_t user, uint32_t number) {
  sim_device *device = &sim->devices[sim->device_count];

  memset(device, 0, sizeof *device);
  device->sim = sim;
  device->number = sim->device_count++;
  device->user = user;
  device->open = -1;
  device->tick = SEEN_NEVER;
  device->token_at = sim->plan.token_ms;
  snprintf(device->name, sizeof device->name, "u%u-d%u", user, number);
  if (sim->plan.sqlite_devices)
    snprintf(device->path, sizeof device->path, "%s/device-%zu",
             sim->folder.path, device->number);
  device_boot(device);
}

void people_begin(sim_world *sim) {
  for (uint32_t i = 0; i < sim->plan.convs; i++)
    create(sim, i);
  for (uint32_t user = 0; user < sim->plan.users; user++) {
    sim->receipts_on[user] = true;
    for (uint32_t i = 0; i < sim->plan.devices[user]; i++)
      add_device(sim, user, i);
  }
}

void people_rest(sim_world *sim) {
  mishap_rest(sim);
  for (size_t i = 0; i < sim->device_count; i++)
    if (sim->devices[i].on) close_open(&sim->devices[i]);
}
