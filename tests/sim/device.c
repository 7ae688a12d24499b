#include "sim/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <seen/sys/working.h>

#include "base/memory.h"
#include "sim/backend.h"
#include "sim/namings.h"
#include "sim/network.h"
#include "sim/promises.h"
#include "sim/rules.h"
#include "support/vfs.h"

enum { RETRY_MS = 2000, LONG_MS = 36000000, LOGIN_MS = 30000 };

uint64_t device_now(const sim_device *device) {
  return (uint64_t)((int64_t)device->sim->now + device->shift);
}

static seen_engine *engine_of(const sim_device *device) {
  return seen_mirror_engine(device->mirror);
}

bool device_state(const sim_device *device, uint32_t conv, seen_state *state) {
  seen_conv handle;

  state->size = sizeof *state;
  if (!device->on) return false;
  handle = seen_engine_find(engine_of(device), sim_conv(conv));
  return handle != 0 &&
         seen_engine_state(engine_of(device), handle, state) == SEEN_OK;
}

static void fill_options(sim_device *device) {
  sim_world *sim = device->sim;
  seen_options *options = &device->options;

  seen_options_init(options);
  options->user = sim_user(device->user);
  options->device = device->name;
  options->delivered = true;
  options->subscriptions = true;
  options->jitter = true;
  options->read = sim->plan.on_open ? SEEN_READ_ON_OPEN : SEEN_READ_VIEWPORT;
  options->own_send =
      sim->plan.own_send_reads ? SEEN_OWN_SEND_READS : SEEN_OWN_SEND_NEUTRAL;
  options->seed =
      (sim->plan.seed * 64 + device->number) * 1024 + device->boots + 1;
}

/* Whether a failure may be of the disk. */
static bool disk_fails(const sim_device *device) {
  return device->sim->plan.faulty_disks && !device->sim->quiet;
}

static void open_store(sim_device *device) {
  seen_sqlite_options options;
  seen_error error = SEEN_ERROR_INIT;
  int status;

  if (device->store != NULL) return;
  if (device->path[0] == '\0') {
    status = seen_store_open_memory(NULL, &device->store, &error);
  } else {
    seen_sqlite_options_init(&options);
    options.path = device->path;
    options.vfs = TEST_VFS;
    options.log = NULL;
    status = seen_store_open_sqlite(&options, &device->store, &error);
  }
  if (status != SEEN_OK && !disk_fails(device))
    sim_fail(device->sim, "%s: its mirror: %s", device->name, error.message);
}

static bool open_session(sim_device *device) {
  sn_session_options options;
  seen_meta meta;
  char token[64];

  memset(&options, 0, sizeof options);
  meta.size = sizeof meta;
  seen_mirror_server(device->mirror, &meta);
  backend_token(device->sim, device->user, device->token_at, token);
  options.user = device->options.user;
  options.device = device->name;
  options.incarnation = meta.incarnation;
  options.version = meta.version;
  options.rows = seen_engine_count(engine_of(device)) > 0;
  options.token = token;
  options.seed = device->options.seed ^ 0x5eed;
  sn_intervals_init(&options.intervals);
  options.memory = seen_allocator_default();
  return sn_session_new(&options, device_now(device), &device->session, NULL) ==
         SEEN_OK;
}

/* What is on its screen when a process begins: nothing. */
static void fresh(sim_device *device) {
  device->on = true;
  device->life++;
  device->boots++;
  device->tick = SEEN_NEVER;
  device->foreground = true;
  device->focus = true;
  device->open = -1;
  device->login_planned = false;
  device->farewells = 0;
  device->frames = device->left = device->frame = 0;
  device->slept = false;
  device->units = (uint64_t)device->options.burst * 1000;
  device->units_at = device_now(device);
  device->asked = device->replied = 0;
  memset(device->held, 0, sizeof device->held);
  memset(device->waited, 0, sizeof device->waited);
  memset(device->receipt_seq, 0, sizeof device->receipt_seq);
  for (uint32_t i = 0; i < SIM_CONVS; i++)
    namings_forget(device, i);
}

/* Its disk can't be read now. */
static void start_later(sim_device *device, const char *why) {
  if (!disk_fails(device))
    sim_fail(device->sim, "%s does not start: %s", device->name, why);
  if (device->store != NULL) device->store->close(device->store);
  device->store = NULL;
  agenda_add(&device->sim->agenda, device->sim->now + RETRY_MS, SIM_BOOT,
             device->number, device->life);
}

void device_boot(sim_device *device) {
  seen_error error = SEEN_ERROR_INIT;
  size_t left_out = 0;
  seen_recorder_options recording;

  fill_options(device);
  open_store(device);
  if (device->store == NULL ||
      seen_mirror_open(&device->options, device->store, device_now(device),
                       &device->mirror, &left_out, &error) != SEEN_OK) {
    start_later(device, error.message);
    return;
  }
  if (!open_session(device)) {
    sim_fail(device->sim, "%s has no session", device->name);
    return;
  }
  if (left_out > 0)
    sim_fail(device->sim, "%s: %zu records make no sense", device->name,
             left_out);
  fresh(device);
  if (device->sim->recording) {
    seen_recorder_options_init(&recording);
    recording.capacity = 100000;
    recording.bytes = (size_t)64 << 20;
    seen_recorder_new(&recording, &device->options, engine_of(device),
                      device->store, &device->recorder, NULL);
  }
  sn_session_start(device->session, device_now(device));
  device_turn(device);
}

/* The process is gone; what was not written is lost. */
static void stop(sim_device *device) {
  device->on = false;
  device->life++;
  seen_recorder_free(device->recorder);
  device->recorder = NULL;
  seen_mirror_free(device->mirror);
  device->mirror = NULL;
  sn_session_free(device->session);
  device->session = NULL;
  if (device->path[0] != '\0' && device->store != NULL) {
    device->store->close(device->store);
    device->store = NULL;
  }
}

static void wipe_disk(sim_device *device) {
  static const char *const ends[] = {"", "-wal", "-shm", "-lock"};
  char path[320];

  if (device->store != NULL) device->store->close(device->store);
  device->store = NULL;
  for (size_t i = 0; device->path[0] != '\0' && i < 4; i++) {
    snprintf(path, sizeof path, "%s%s", device->path, ends[i]);
    unlink(path);
  }
}

static bool is_dirty(const sim_device *device) {
  seen_session held = {.size = sizeof held};

  seen_engine_session(engine_of(device), &held);
  return held.dirty_since != SEEN_NEVER;
}

bool device_kill(sim_device *device, uint64_t ms, bool reboot, bool wipe) {
  sim_world *sim = device->sim;
  bool lost;

  if (!device->on) return false;
  lost = seen_mirror_unwritten(device->mirror) > 0 || is_dirty(device);
  if (lost) sim_met(sim, SIM_FAULT_DEVICE_LOSS);
  promises_begin(device, lost || wipe || sim->plan.faulty_disks);
  stop(device);
  network_cut_all(sim, device);
  if (wipe) wipe_disk(device);
  if (reboot) device->shift = -(int64_t)(sim->now + ms) + 5000;
  rules_killed(sim, device, wipe);
  agenda_add(&sim->agenda, sim->now + ms, SIM_BOOT, device->number,
             device->life);
  return true;
}

void device_end(sim_device *device) {
  if (device->on) stop(device);
  if (device->store != NULL) device->store->close(device->store);
  device->store = NULL;
}

/* Effects of the engine to the server go through the session. */
static void pull_effects(sim_device *device) {
  seen_effect effect = {.size = sizeof effect};

  while (seen_mirror_next(device->mirror, &effect)) {
    const char *id = effect.conv == 0
                         ? NULL
                         : seen_engine_id(engine_of(device), effect.conv);

    rules_effect(device->sim, device, &effect, id);
    if (effect.type >= SEEN_EFFECT_CONVERSATION_CHANGED) continue;
    sn_session_effect(device->session, &effect, id, device_now(device));
  }
}

static void feed(sim_device *device, const seen_input *input) {
  seen_error error = SEEN_ERROR_INIT;
  sim_before before;

  namings_before(device, input, &before);
  if (input->type == SEEN_INPUT_LINK)
    memset(device->fetched, 0, sizeof device->fetched);
  if (seen_engine_feed(engine_of(device), input, device_now(device), &error) !=
      SEEN_OK)
    sim_fail(device->sim, "%s: the engine refuses an input: %s", device->name,
             error.message);
  namings_after(device, input, &before);
  pull_effects(device);
  if (device->recorder != NULL)
    seen_recorder_note(device->recorder, input, device_now(device), NULL);
}

static void note_newest(sim_world *sim, const sim_sent *sent) {
  uint64_t *newest = &sim->newest[sent->conv][sent->user];

  if (!sent->lost && sent->seq > *newest) *newest = sent->seq;
}

static void take_reply(sim_device *device, const seen_reply *reply) {
  sim_world *sim = device->sim;

  device->replied += reply->request != 0;
  if (reply->act != SEEN_ACT_SEND || reply->request == 0) return;
  if (reply->request > sim->sent_count) return;
  if (reply->code == SEEN_OK) {
    sim->sent[reply->request - 1].seq = reply->seq;
    sim->sent[reply->request - 1].known = true;
    note_newest(sim, &sim->sent[reply->request - 1]);
  }
}

/* What the session wants; false: it was no more than a word for the host. */
static void carry_out(sim_device *device, const sn_out *out) {
  sim_world *sim = device->sim;

  switch (out->type) {
  case SN_OUT_INPUT: feed(device, &out->u.input); break;
  case SN_OUT_SERVER:
    seen_mirror_set_server(device->mirror, out->u.server.incarnation,
                           out->u.server.version, NULL);
    break;
  case SN_OUT_REPLY: take_reply(device, &out->u.reply); break;
  case SN_OUT_TOKEN:
    agenda_add(&sim->agenda, sim->now + network_latency(sim), SIM_TOKEN,
               device->number, device->life);
    break;
  case SN_OUT_DIAL: network_dial(sim, device, &out->u.dial); break;
  case SN_OUT_WRITE:
    network_write(sim, device, out->u.write.connection, out->u.write.text,
                  out->u.write.length);
    break;
  case SN_OUT_PING: network_ping(sim, device, out->u.number); break;
  case SN_OUT_CLOSE:
    network_close(sim, device, out->u.close.connection, out->u.close.code);
    break;
  case SN_OUT_REQUEST: network_request(sim, device, &out->u.request); break;
  case SN_OUT_CANCEL: network_cancel(sim, device, out->u.number); break;
  default: break;
  }
}

/* When something of it is due next, as an event. */
static void plan_tick(sim_device *device) {
  uint64_t at = seen_engine_deadline(engine_of(device));
  uint64_t other = seen_mirror_deadline(device->mirror);
  uint64_t now = device_now(device);

  if (other < at) at = other;
  other = sn_session_deadline(device->session);
  if (other < at) at = other;
  if (at == SEEN_NEVER) return;
  at = at > now ? device->sim->now + (at - now) : device->sim->now;
  if (at >= device->tick) return;
  device->tick = at;
  agenda_add(&device->sim->agenda, at, SIM_DEVICE, device->number,
             device->life);
}

/* Whoever was told that the account is disabled tries again, by hand. */
static void plan_login(sim_device *device) {
  if (!device->session->disabled || device->login_planned) return;
  device->login_planned = true;
  agenda_add(&device->sim->agenda, device->sim->now + LOGIN_MS, SIM_LOGIN,
             device->number, device->life);
}

static void login(sim_device *device) {
  device->login_planned = false;
  sn_session_start(device->session, device_now(device));
  device_turn(device);
}

void device_turn(sim_device *device) {
  uint64_t now = device_now(device);
  sn_out out;

  while (sn_session_next(device->session, &out, now))
    carry_out(device, &out);
  if (device->sim->now >= device->disk_fails_until || device->sim->quiet)
    seen_mirror_commit(device->mirror, now, NULL);
  else if (seen_mirror_unwritten(device->mirror) > 0)
    sim_met(device->sim, SIM_FAULT_DEVICE_IO);
  plan_login(device);
  rules_device(device->sim, device);
  plan_tick(device);
}

void device_feed(sim_device *device, const seen_input *input) {
  if (!device->on) return;
  feed(device, input);
  device_turn(device);
}

void device_transport(sim_device *device, const seen_transport_event *event) {
  if (!device->on) return;
  if (sn_session_transport(device->session, event, device_now(device)) !=
      SEEN_OK)
    sim_fail(device->sim, "%s: the session takes no event", device->name);
  device_turn(device);
}

uint64_t device_request(sim_device *device, const sn_ask *ask) {
  /* What is sent has the number of its place; the rest comes above. */
  uint64_t number = ask->act == SEEN_ACT_SEND ? device->sim->sent_count
                                              : 1000000 + ++device->requests;
  sn_request *request;

  if (!device->on || sn_request_new(ask, number, seen_allocator_default(),
                                    &request, NULL) != SEEN_OK)
    return 0;
  device->asked++;
  sn_session_request(device->session, request, device_now(device));
  device_turn(device);
  return number;
}

static void wake(sim_device *device) {
  const seen_input tick = {.size = sizeof tick, .type = SEEN_INPUT_TICK};
  uint64_t now = device_now(device);

  device->tick = SEEN_NEVER;
  sn_session_tick(device->session, now);
  if (seen_engine_deadline(engine_of(device)) <= now) feed(device, &tick);
  device_turn(device);
}

static void bring_token(sim_device *device) {
  char token[64];

  device->token_at =
      device->sim->now +
      (device->sim->quiet ? LONG_MS : device->sim->plan.token_ms);
  backend_token(device->sim, device->user, device->token_at, token);
  sn_session_token(device->session, token, device_now(device));
  device_turn(device);
}

void device_happen(sim_world *sim, sim_event *event) {
  sim_device *device = &sim->devices[event->a];

  if (device->life != event->b) return;
  switch (event->what) {
  case SIM_BOOT: device_boot(device); break;
  case SIM_DEVICE:
    if (device->on && event->at == device->tick) wake(device);
    break;
  case SIM_LOGIN:
    if (device->on) login(device);
    break;
  case SIM_TOKEN:
    if (device->on) bring_token(device);
    break;
  default: abort();
  }
}
