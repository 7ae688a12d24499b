#include "sim/people.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/backend.h"
#include "sim/device.h"
#include "sim/network.h"
#include "sim/rules.h"
#include "support/vfs.h"

enum { SCREEN = 6 };

/* The parts of an act. */
typedef struct sim_acting {
  sim_world *sim;
  sim_device *device;
  const sim_act *act;
  const char *conv;
} sim_acting;

static seen_input input_of(const sim_acting *acting, seen_input_type type) {
  seen_input input = {.size = sizeof input, .type = type};

  if (SEEN_INPUT_HAS_CONV(type)) input.id = acting->conv;
  return input;
}

static void feed(const sim_acting *acting, seen_input_type type) {
  seen_input input = input_of(acting, type);

  device_feed(acting->device, &input);
}

static void feed_on(const sim_acting *acting, seen_input_type type, bool on) {
  seen_input input = input_of(acting, type);

  input.u.on = on;
  device_feed(acting->device, &input);
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

static void close_open(sim_device *device) {
  seen_input input = {.size = sizeof input, .type = SEEN_INPUT_CLOSE};

  if (device->open < 0) return;
  input.id = sim_conv((uint32_t)device->open);
  device->farewells++;
  device_feed(device, &input);
  rules_farewell(device);
  device->open = -1;
}

static void open_conv(const sim_acting *acting) {
  sim_device *device = acting->device;

  close_open(device);
  device->open = (int)acting->act->conv;
  feed(acting, SEEN_INPUT_OPEN);
}

static void show(const sim_acting *acting, uint64_t lo, uint64_t hi) {
  seen_input input = input_of(acting, SEEN_INPUT_VISIBLE);
  uint64_t last = last_seq(acting);

  if (acting->device->open != (int)acting->act->conv) open_conv(acting);
  if (hi > last) hi = last;
  if (lo > hi || lo == 0) return;
  input.u.range = (seen_run){lo, hi};
  rules_seen(acting->device, acting->act->conv, hi);
  device_feed(acting->device, &input);
}

static void scroll(const sim_acting *acting) {
  uint64_t last = last_seq(acting), at = some_seq(acting, acting->act->a);

  /* Mostly to the end, as people do. */
  if (acting->act->b % 3 != 0) at = last > SCREEN ? last - SCREEN + 1 : 1;
  show(acting, at, at + SCREEN - 1);
}

static void fling(const sim_acting *acting) {
  uint64_t last = last_seq(acting);

  for (uint64_t at = 1; at <= last; at += SCREEN)
    show(acting, at, at + SCREEN - 1);
}

static void mark_read(const sim_acting *acting) {
  seen_input input = input_of(acting, SEEN_INPUT_MARK_READ);
  uint64_t seq = some_seq(acting, acting->act->b);

  input.u.seq.said = acting->act->a % 2 == 0 && seq > 0;
  input.u.seq.seq = seq;
  rules_seen(acting->device, acting->act->conv,
             input.u.seq.said ? seq : last_seq(acting));
  device_feed(acting->device, &input);
}

static void mark_unread(const sim_acting *acting) {
  seen_input input = input_of(acting, SEEN_INPUT_MARK_UNREAD);
  uint64_t seq = some_seq(acting, acting->act->b);

  input.u.seq.said = acting->act->a % 2 == 0 && seq > 0;
  input.u.seq.seq = seq;
  rules_marked(acting->device, acting->act->conv);
  device_feed(acting->device, &input);
}

static void read_all(const sim_acting *acting) {
  seen_state state;

  for (uint32_t i = 0; i < acting->sim->plan.convs; i++)
    if (device_state(acting->device, i, &state))
      rules_seen(acting->device, i, state.last_seq);
  feed(acting, SEEN_INPUT_READ_ALL);
}

static void away(const sim_acting *acting) {
  acting->device->foreground = false;
  acting->device->farewells++;
  feed_on(acting, SEEN_INPUT_APP, false);
  rules_farewell(acting->device);
}

/* Reports by requests where there is no link. */
static void flush(const sim_acting *acting) {
  sim_device *device = acting->device;

  if (device->session->link.stage == SN_STAGE_UP) {
    feed(acting, SEEN_INPUT_FLUSH);
    return;
  }
  sn_session_flush(device->session, device_now(device));
  device_turn(device);
}

static void back(const sim_acting *acting) {
  acting->device->foreground = true;
  feed_on(acting, SEEN_INPUT_APP, true);
}

/* Sends something; a text has its own body, to be found again. */
static void post(const sim_acting *acting, seen_message_kind kind,
                 uint64_t target, bool names) {
  sim_world *sim = acting->sim;
  const char *users[1];
  sim_sent *sent = &sim->sent[sim->sent_count];
  seen_post body = {.size = sizeof body, .kind = kind, .target = target};
  sn_ask ask = {.act = SEEN_ACT_SEND, .conv = acting->conv, .post = &body};

  if (sim->sent_count == SIM_SENT_MAX) return;
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
  if (device_request(acting->device, &ask) == 0) sim->sent_count--;
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

static void post_about(const sim_acting *acting, seen_message_kind kind) {
  uint64_t target = kind == SEEN_MESSAGE_REACTION
                        ? some_seq(acting, acting->act->a)
                        : own_message(acting);

  if (target == 0) return;
  post(acting, kind, target,
       kind == SEEN_MESSAGE_EDIT && acting->act->b % 2 == 0);
}

static void ask(const sim_acting *acting, seen_act act) {
  sn_ask request = {.act = act, .conv = acting->conv, .limit = 20};

  if ((act == SEEN_ACT_JOIN || act == SEEN_ACT_LEAVE) &&
      acting->sim->plan.kinds[acting->act->conv] == 0)
    return;
  if (act == SEEN_ACT_READERS) {
    request.seq = own_message(acting);
    request.which = (seen_ask)(acting->act->b % 4);
    if (request.seq == 0) return;
  }
  device_request(acting->device, &request);
}

/* S7. The switch is thrown at the server; whether it took it is seen there. */
static void receipts(const sim_acting *acting) {
  sim_world *sim = acting->sim;
  const sn_ask ask = {.act = SEEN_ACT_SETTINGS, .on = acting->act->a % 2 == 0};

  if (acting->act->b % 2 == 0 && acting->device->on) {
    device_request(acting->device, &ask);
    return;
  }
  sim->switching = true;
  backend_say(sim, sim_user(acting->act->user), false,
              "{\"t\":\"settings\",\"id\":2,\"receipts\":%s}",
              ask.on ? "true" : "false");
}

static void moderate(const sim_acting *acting, const char *act) {
  uint64_t seq = some_seq(acting, acting->act->a);

  if (seq == 0) return;
  acting->sim->moderated = true;
  backend_say(acting->sim, "root", true,
              "{\"t\":\"admin\",\"id\":2,\"op\":\"%s%u\",\"act\":\"%s\","
              "\"conv\":\"%s\",\"seq\":%llu}",
              act, acting->act->c, act, acting->conv, (unsigned long long)seq);
}

/* By a member, who may or may not do that; otherwise by the operator. */
static void membership(const sim_acting *acting, const char *act) {
  const char *users[] = {sim_user(acting->act->a % acting->sim->plan.users)};
  const sn_ask ask = {.act = act[0] == 'a' ? SEEN_ACT_ADD : SEEN_ACT_REMOVE,
                      .conv = acting->conv,
                      .users = users,
                      .user_count = 1,
                      .role = SEEN_ROLE_MEMBER};

  if (acting->sim->plan.kinds[acting->act->conv] == 0) return;
  if (acting->act->b % 3 == 0) {
    device_request(acting->device, &ask);
    return;
  }
  backend_say(acting->sim, "root", true,
              "{\"t\":\"%s\",\"id\":2,\"op\":\"%s%u\",\"conv\":\"%s\","
              "\"users\":[\"%s\"]}",
              act, act, acting->act->c, acting->conv,
              sim_user(acting->act->user));
}

/* One of a name that there is already: names are for all. */
static void make(const sim_acting *acting) {
  const seen_creation creation = {.size = sizeof creation,
                                  .kind = SEEN_KIND_GROUP};
  const sn_ask ask = {
      .act = SEEN_ACT_CREATE, .conv = acting->conv, .create = &creation};

  device_request(acting->device, &ask);
}

static void half_open(const sim_acting *acting) {
  size_t link = network_link(acting->sim, acting->device);

  if (link < acting->sim->link_count) acting->sim->links[link].dark = true;
  /* Who notices does so by silence. */
  if (link < acting->sim->link_count)
    agenda_add(&acting->sim->agenda, acting->sim->now + 40000, SIM_GONE, link,
               0);
}

static void slow(const sim_acting *acting) {
  size_t link = network_link(acting->sim, acting->device);
  uint64_t until = acting->sim->now + 500 + acting->act->a % 20000;

  if (link >= acting->sim->link_count) return;
  acting->sim->links[link].slow = true;
  acting->sim->links[link].slow_until = until;
  agenda_add(&acting->sim->agenda, until, SIM_RELEASE, link, 0);
}

static void network_changed(const sim_acting *acting) {
  if (!acting->device->on) return;
  sn_session_network_changed(acting->device->session,
                             device_now(acting->device));
  device_turn(acting->device);
}

/* Its clock leaps, as after a sleep. */
static void jump(const sim_acting *acting) {
  sim_device *device = acting->device;

  device->shift += acting->act->a % 600000;
  device->slept = true;
  feed(acting, SEEN_INPUT_TICK);
}

static void expire(const sim_acting *acting) {
  size_t link = network_link(acting->sim, acting->device);

  acting->device->token_at = acting->sim->now;
  if (link < acting->sim->link_count) network_cut(acting->sim, link);
}

/* A push notification brings rows as the server has them now, or what was sent
 * to somebody of this user some time ago. */
static void pushed(const sim_acting *acting) {
  const sim_note *note = &acting->sim->notes[acting->act->user];
  response answer;

  if (note->length > 0 && acting->act->b % 2 == 0) {
    sn_session_push(acting->device->session, note->text, note->length,
                    device_now(acting->device), NULL);
    device_turn(acting->device);
    return;
  }
  if (acting->sim->server == NULL || acting->sim->commit_planned) return;
  answer = backend_ask(acting->sim, acting->act->user,
                       "/im/conversations?after=0&limit=200");
  sn_session_push(acting->device->session, answer.body, answer.length,
                  device_now(acting->device), NULL);
  device_turn(acting->device);
  response_free(&answer);
}

static void server_act(const sim_acting *acting) {
  sim_world *sim = acting->sim;

  switch (acting->act->type) {
  case SIM_CRASH: backend_crash(sim, 200 + acting->act->a % 8000); break;
  case SIM_STALL: sim->disk.fails_at = 1 + acting->act->a % 60; break;
  case SIM_DRAIN: backend_drain(sim); break;
  case SIM_RESTORE: backend_restore(sim); break;
  default: break;
  }
}

/* Of one device, of a user's home, of everybody. */
static void partition(const sim_acting *acting, uint64_t until) {
  sim_world *sim = acting->sim;

  for (size_t i = 0; i < sim->device_count; i++) {
    sim_device *device = &sim->devices[i];

    if (device != acting->device && acting->act->b % 4 != 0 &&
        (acting->act->b % 4 != 1 || device->user != acting->act->user))
      continue;
    device->cut_until = until;
    network_cut_all(sim, device);
  }
}

/* Its disk fails: now and then in SQLite's own calls, else as a whole. */
static void fail_disk(const sim_acting *acting, uint64_t until) {
  static const test_fault faults[] = {TEST_FAULT_IO, TEST_FAULT_FULL,
                                      TEST_FAULT_READONLY, TEST_FAULT_BUSY};

  if (acting->sim->plan.faulty_disks)
    test_vfs_fail(faults[acting->act->b % 4], 1 + acting->act->c % 60,
                  acting->act->c % 3 == 0);
  else
    acting->device->disk_fails_until = until;
}

static void fault(const sim_acting *acting) {
  sim_device *device = acting->device;
  uint64_t until = acting->sim->now + 1000 + acting->act->a % 60000;

  switch (acting->act->type) {
  case SIM_CUT: network_cut_all(acting->sim, device); break;
  case SIM_HALF: half_open(acting); break;
  case SIM_PARTITION: partition(acting, until); break;
  case SIM_BLOCKED:
    device->blocked_until = until;
    network_cut_all(acting->sim, device);
    break;
  case SIM_PORTAL:
    device->portal_until = until;
    network_cut_all(acting->sim, device);
    break;
  case SIM_SLOW: slow(acting); break;
  case SIM_NETWORK: network_changed(acting); break;
  case SIM_SWIPE:
    if (device->on) away(acting);
    device_kill(device, until - acting->sim->now, false, false);
    break;
  case SIM_KILL:
    device_kill(device, until - acting->sim->now, false, false);
    break;
  case SIM_REBOOT:
    device_kill(device, until - acting->sim->now, true, false);
    break;
  case SIM_REINSTALL: device_kill(device, 1000, false, true); break;
  case SIM_JUMP: jump(acting); break;
  case SIM_EXPIRE: expire(acting); break;
  case SIM_DISK: fail_disk(acting, until); break;
  default: server_act(acting); break;
  }
}

static void person(const sim_acting *acting) {
  switch (acting->act->type) {
  case SIM_SAY: post(acting, SEEN_MESSAGE_TEXT, 0, false); break;
  case SIM_NAME: post(acting, SEEN_MESSAGE_TEXT, 0, true); break;
  case SIM_REACT: post_about(acting, SEEN_MESSAGE_REACTION); break;
  case SIM_RECALL: post_about(acting, SEEN_MESSAGE_RECALL); break;
  case SIM_EDIT: post_about(acting, SEEN_MESSAGE_EDIT); break;
  case SIM_OPEN: open_conv(acting); break;
  case SIM_SCROLL: scroll(acting); break;
  case SIM_FLING: fling(acting); break;
  case SIM_CLOSE: close_open(acting->device); break;
  case SIM_READ: mark_read(acting); break;
  case SIM_UNREAD: mark_unread(acting); break;
  case SIM_READ_ALL: read_all(acting); break;
  case SIM_CLEAR: feed(acting, SEEN_INPUT_CLEAR_MENTIONS); break;
  case SIM_MUTE: feed_on(acting, SEEN_INPUT_MUTE, acting->act->a % 2); break;
  case SIM_PIN: feed_on(acting, SEEN_INPUT_PIN, acting->act->a % 2); break;
  case SIM_AWAY: away(acting); break;
  case SIM_BACK: back(acting); break;
  case SIM_BLUR: feed_on(acting, SEEN_INPUT_FOCUS, false); break;
  case SIM_FOCUS: feed_on(acting, SEEN_INPUT_FOCUS, true); break;
  case SIM_FLUSH: flush(acting); break;
  case SIM_AUDIT: feed(acting, SEEN_INPUT_AUDIT); break;
  case SIM_PUSHED: pushed(acting); break;
  case SIM_HISTORY: ask(acting, SEEN_ACT_HISTORY); break;
  case SIM_READERS: ask(acting, SEEN_ACT_READERS); break;
  case SIM_CREATE: make(acting); break;
  case SIM_JOIN: ask(acting, SEEN_ACT_JOIN); break;
  case SIM_LEAVE: ask(acting, SEEN_ACT_LEAVE); break;
  case SIM_ADD: membership(acting, "add"); break;
  case SIM_REMOVE: membership(acting, "remove"); break;
  case SIM_RECEIPTS: receipts(acting); break;
  case SIM_TAKEDOWN: moderate(acting, "takedown"); break;
  case SIM_PURGE: moderate(acting, "purge"); break;
  case SIM_APPROVE: moderate(acting, "approve"); break;
  default: fault(acting); break;
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

  if (act->type >= SIM_CUT || acting.device->on) person(&acting);
  if (sim->tally != NULL) sim->tally->acts[act->type]++;
  /* Now and then a backup is taken. */
  if (act->a % 16 == 0) backend_back_up(sim);
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
  if (sim->plan.faulty_disks) test_vfs_fail(TEST_FAULT_NONE, 0, false);
  for (size_t i = 0; i < sim->device_count; i++) {
    sim_device *device = &sim->devices[i];

    device->cut_until = device->blocked_until = device->portal_until = 0;
    device->disk_fails_until = 0;
    if (device->on) close_open(device);
  }
  sim->disk.fails_at = 0;
}
