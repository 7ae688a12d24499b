/* Every act: whether it can be now, and what becomes of the state. */
#include "play.h"

#include <string.h>

model_state model_start(const model_scene *scene) {
  model_state state;
  memset(&state, 0, sizeof state);
  state.server.last = scene->last;
  state.server.member = 1;
  for (unsigned d = 0; d < MODEL_DEVICES; d++)
    state.device[d].up = 1;
  return state;
}

unsigned model_values(const model_scene *scene, model_act_kind kind) {
  switch (kind) {
  case MODEL_READS: return scene->most + 1u;
  case MODEL_MARKS: return scene->most;
  case MODEL_CUT: return 1u + scene->to_server;
  default: return 1;
  }
}

static bool reads(const model_scene *scene, model_state *state, unsigned d,
                  uint8_t seq) {
  const model_memory *memory = &state->device[d].now;
  if (memory->gone || seq > state->server.last || seq <= model_shown(memory))
    return false;
  model_device_reads(scene, state, d, seq);
  return true;
}

static bool marks(const model_scene *scene, model_state *state, unsigned d,
                  uint8_t target) {
  model_device *device = &state->device[d];
  if (state->server.marks == scene->marks || device->now.gone ||
      target >= model_shown(&device->now))
    return false;
  state->server.marks++;
  model_device_marks(device, target);
  return true;
}

static bool reads_all(const model_scene *scene, model_state *state,
                      unsigned d) {
  const model_device *device = &state->device[d];
  if (state->server.read_alls == scene->read_alls || !device->up ||
      device->now.gone ||
      model_count(device->to_server, scene->to_server) == scene->to_server)
    return false;
  state->server.read_alls++;
  model_device_reads_all(scene, state, d);
  return true;
}

static bool server_takes(const model_scene *scene, model_state *state,
                         unsigned d) {
  model_frame *queue = state->device[d].to_server;
  if (!model_count(queue, MODEL_SENT) || !model_server_ready(scene, state))
    return false;
  model_server_takes(scene, state, d, model_take(queue, MODEL_SENT));
  return true;
}

/* It may come again. */
static bool stray_comes(const model_scene *scene, model_state *state) {
  if (!state->stray.kind || !model_server_ready(scene, state)) return false;
  model_server_takes(scene, state, MODEL_DEVICES, state->stray);
  return true;
}

static bool lose_stray(model_state *state) {
  if (!state->stray.kind) return false;
  state->stray = (model_frame){0};
  return true;
}

static bool device_takes(const model_scene *scene, model_device *device) {
  if (!model_count(device->to_device, MODEL_ASKED)) return false;
  model_device_takes(scene, device, model_take(device->to_device, MODEL_ASKED));
  return true;
}

static bool cut(const model_scene *scene, model_state *state, unsigned d,
                uint8_t left) {
  model_device *device = &state->device[d];
  if (!device->up) return false;
  if (left) {
    model_frame frame = device->to_server[left - 1];
    if (!scene->strays || !frame.kind) return false;
    state->stray = frame;
  }
  device->up = 0;
  memset(device->to_server, 0, sizeof device->to_server);
  memset(device->to_device, 0, sizeof device->to_device);
  return true;
}

static bool links(const model_scene *scene, model_state *state, unsigned d) {
  model_device *device = &state->device[d];
  if (device->up) return false;
  model_device_links(scene, device);
  model_put(device->to_device, MODEL_ASKED,
            model_server_says(&state->server,
                              state->server.member ? MODEL_ROW : MODEL_LEFT));
  return true;
}

static bool may_crash(const model_scene *scene, const model_state *state) {
  return state->server.crashes < scene->crashes;
}

/* S6: within persist_ms what a device holds is written. */
static bool writes(const model_scene *scene, const model_state *state,
                   model_device *device) {
  if (!may_crash(scene, state) ||
      memcmp(&device->now, &device->written, sizeof device->now) == 0)
    return false;
  device->written = device->now;
  return true;
}

static bool crashes(const model_scene *scene, model_state *state, unsigned d) {
  model_device *device = &state->device[d];
  if (!may_crash(scene, state) || device->up) return false;
  state->server.crashes++;
  device->now = device->written;
  device->sent = device->sent_epoch = device->sent_seq = 0;
  device->mark_sent = 0;
  if (scene->fault == MODEL_OPEN_MARK_NOT_WRITTEN)
    model_set_mark(&device->now, &(sn_mark){0});
  return true;
}

static bool leaves(const model_scene *scene, model_state *state) {
  if (!state->server.member || state->server.rejoins == scene->rejoins ||
      !model_server_ready(scene, state))
    return false;
  state->server.member = 0;
  model_server_tells(state, MODEL_LEFT);
  return true;
}

static bool rejoins(const model_scene *scene, model_state *state) {
  if (state->server.member || state->server.last == scene->most ||
      !model_server_ready(scene, state))
    return false;
  model_server_rejoins(scene, state);
  return true;
}

static bool message(const model_scene *scene, model_server *server) {
  if (!server->member || server->last == scene->most) return false;
  server->last++;
  return true;
}

static bool keep_word(const model_scene *scene, model_state *state) {
  if (!scene->late || state->late_set) return false;
  state->late_set = 1;
  state->late = state->server.read;
  return true;
}

static bool word_comes(const model_scene *scene, model_state *state,
                       unsigned d) {
  model_position late = state->late;
  if (!state->late_set) return false;
  model_device_takes(
      scene, &state->device[d],
      (model_frame){MODEL_WORD, late.epoch, late.seq, late.high, 0});
  return true;
}

static bool lose_word(model_state *state) {
  if (!state->late_set) return false;
  state->late_set = 0;
  state->late = (model_position){0};
  return true;
}

static bool backup(const model_scene *scene, model_server *server) {
  if (server->kept || server->forgets == scene->forgets) return false;
  server->kept = 1;
  server->backup = server->read;
  server->backup_last = server->last;
  return true;
}

/* Of a server that forgot: what is wished or was acknowledged is said again,
 * so no more than that is owed (S4). */
static void owe_what_is_said_again(model_memory *memory) {
  for (unsigned epoch = 0; epoch < MODEL_EPOCHS; epoch++) {
    uint8_t most = memory->wish_set ? memory->wish_read : 0;
    if (memory->acked && memory->acked_epoch == epoch &&
        most < memory->acked_seq)
      most = memory->acked_seq;
    if (memory->owed[epoch] > most) memory->owed[epoch] = most;
  }
}

/* What came since the backup is as if it had never come. */
static bool forgets(model_state *state) {
  model_server *server = &state->server;
  if (!server->kept || state->device[0].up || state->device[1].up) return false;
  server->fell |= server->backup.epoch < server->read.epoch ||
                  server->backup_last < server->last;
  server->read = server->backup;
  server->last = server->backup_last;
  server->receipt = (uint8_t)seen_position_receipt(model_unpack(server->read));
  for (unsigned op = 0; op < MODEL_OPS; op++)
    if (server->answers[op] & MODEL_SINCE) server->answers[op] = 0;
  for (unsigned d = 0; d < MODEL_DEVICES; d++)
    owe_what_is_said_again(&state->device[d].now);
  server->kept = server->backup_last = 0;
  server->backup = (model_position){0};
  server->forgets++;
  return true;
}

static bool play(const model_scene *scene, model_act act, model_state *state) {
  unsigned d = act.device;
  model_device *device = &state->device[d];
  switch ((model_act_kind)act.kind) {
  case MODEL_READS: return reads(scene, state, d, act.value);
  case MODEL_MARKS: return marks(scene, state, d, act.value);
  case MODEL_READS_ALL: return reads_all(scene, state, d);
  case MODEL_SENDS: return model_device_sends(scene, state, d);
  case MODEL_SERVER_TAKES: return server_takes(scene, state, d);
  case MODEL_DEVICE_TAKES: return device_takes(scene, device);
  case MODEL_CUT: return cut(scene, state, d, act.value);
  case MODEL_LINKS: return links(scene, state, d);
  case MODEL_WRITES: return writes(scene, state, device);
  case MODEL_CRASHES: return crashes(scene, state, d);
  case MODEL_WORD_COMES: return word_comes(scene, state, d);
  default: break;
  }
  if (d) return false; /* the rest is nobody's */
  switch ((model_act_kind)act.kind) {
  case MODEL_LEAVES: return leaves(scene, state);
  case MODEL_REJOINS: return rejoins(scene, state);
  case MODEL_MESSAGE: return message(scene, &state->server);
  case MODEL_STRAY_COMES: return stray_comes(scene, state);
  case MODEL_STRAY_LOST: return lose_stray(state);
  case MODEL_WORD_KEPT: return keep_word(scene, state);
  case MODEL_WORD_LOST: return lose_word(state);
  case MODEL_BACKUP: return backup(scene, &state->server);
  case MODEL_FORGETS: return forgets(state);
  default: return false;
  }
}

static void drop_arrived(const model_server *server, model_memory *memory) {
  for (unsigned epoch = 0; epoch < MODEL_EPOCHS; epoch++)
    if (epoch <= server->read.epoch &&
        model_arrived(server->read, epoch, memory->owed[epoch]))
      memory->owed[epoch] = 0;
}

/*
 * What can make no difference any more is dropped, so that states which differ
 * in nothing else are one. What has arrived stays arrived (P1, P4, P9) unless
 * the server forgets; nothing else asks for what was acknowledged. What was
 * sent of a wish that came true is never wished again in its epoch.
 */
static void trim(const model_scene *scene, model_state *state) {
  for (unsigned d = 0; d < MODEL_DEVICES; d++) {
    model_device *device = &state->device[d];
    model_memory *now = &device->now;
    if (!may_crash(scene, state))
      memset(&device->written, 0, sizeof device->written);
    if (!now->mark_set) device->mark_sent = 0;
    if (scene->forgets) continue;
    if (!now->wish_set)
      device->sent = device->sent_epoch = device->sent_seq = 0;
    now->acked = now->acked_epoch = now->acked_seq = 0;
    drop_arrived(&state->server, now);
    drop_arrived(&state->server, &device->written);
  }
}

bool model_play(const model_scene *scene, model_act act, model_state *state) {
  if (!play(scene, act, state)) return false;
  trim(scene, state);
  return state->server.read.epoch < MODEL_EPOCHS - 1;
}

bool model_heal(const model_scene *scene, const model_state *state,
                model_act *act) {
  static const model_act_kind order[] = {MODEL_STRAY_LOST,   MODEL_WORD_LOST,
                                         MODEL_LINKS,        MODEL_DEVICE_TAKES,
                                         MODEL_SERVER_TAKES, MODEL_SENDS};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++)
    for (unsigned d = 0; d < MODEL_DEVICES; d++) {
      model_state next = *state;
      *act = (model_act){(uint8_t)order[i], (uint8_t)d, 0};
      if (play(scene, *act, &next)) return true;
    }
  return false;
}
