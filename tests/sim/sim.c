#include "sim/sim.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/backend.h"
#include "sim/device.h"
#include "sim/network.h"
#include "sim/people.h"
#include "sim/rules.h"
#include "support/vfs.h"

/* How long until all waits are over, and how long nothing may happen then; and
 * those of who begin anew. */
enum {
  HEAL_MS = 400000,
  IDLE_MS = 600000,
  AGAIN_MS = 60000,
  AT_ONCE_MAX = 100000
};

static const char *const users[] = {"u0", "u1", "u2", "u3", "u4", "u5"};
static const char *const convs[] = {"c0", "c1", "c2", "c3", "c4"};

const char *sim_user(uint32_t user) {
  return users[user];
}
const char *sim_conv(uint32_t conv) {
  return convs[conv];
}

int sim_conv_of(const char *id) {
  return id[0] == 'c' && id[1] >= '0' && id[1] < '0' + SIM_CONVS ? id[1] - '0'
                                                                 : -1;
}

int sim_user_of(const char *id) {
  return id[0] == 'u' && id[1] >= '0' && id[1] < '0' + SIM_USERS ? id[1] - '0'
                                                                 : -1;
}

void sim_fail(sim_world *sim, const char *format, ...) {
  va_list list;

  if (sim->failed) return;
  sim->failed = true;
  va_start(list, format);
  vsnprintf(sim->why, sizeof sim->why, format, list);
  va_end(list);
}

void sim_met(sim_world *sim, sim_fault fault) {
  sim->tally->faults[fault]++;
}

static void happen(sim_world *sim, sim_event *event) {
  switch (event->what) {
  case SIM_ACT:
    sim->step = event->a + 1;
    people_act(sim, &sim->plan.acts[event->a]);
    break;
  case SIM_DEVICE:
  case SIM_BOOT:
  case SIM_LOGIN:
  case SIM_TOKEN: device_happen(sim, event); break;
  case SIM_SERVER:
  case SIM_COMMIT:
  case SIM_START:
  case SIM_DRAINED:
  case SIM_UP:
  case SIM_GONE:
  case SIM_ASKED: backend_happen(sim, event); break;
  default: network_happen(sim, event); break;
  }
  free(event->text);
}

/* Who always has something to do at once would take all of a processor. */
static void check_time(sim_world *sim, const sim_event *event) {
  sim->at_once = event->at == sim->now ? sim->at_once + 1 : 0;
  if (sim->at_once > AT_ONCE_MAX)
    sim_fail(sim, "time stands still: happening %d of %s", (int)event->what,
             event->a < sim->device_count ? sim->devices[event->a].name : "?");
}

static void run_until(sim_world *sim, uint64_t end) {
  sim_event event;

  while (!sim->failed && agenda_next(&sim->agenda) <= end &&
         agenda_take(&sim->agenda, &event)) {
    check_time(sim, &event);
    sim->now = event.at;
    happen(sim, &event);
  }
  if (!sim->failed) sim->now = end;
}

/* V5: once all is said, nothing but pings is sent. */
static void check_idle(sim_world *sim) {
  uint64_t before = sim->tally->frames_up + sim->tally->frames_down;
  uint64_t now;

  run_until(sim, sim->now + IDLE_MS);
  now = sim->tally->frames_up + sim->tally->frames_down;
  if (!sim->failed && now != before)
    sim_fail(sim, "V5: %llu frames were sent though nothing happened",
             (unsigned long long)(now - before));
}

/* S6: what was quiet is the same after all of them began anew. */
static void check_again(sim_world *sim) {
  for (size_t i = 0; i < sim->device_count; i++)
    device_kill(&sim->devices[i], 1000, false, false);
  backend_crash(sim, 100);
  run_until(sim, sim->now + AGAIN_MS);
  if (!sim->failed) rules_quiet(sim);
}

static void play(sim_world *sim) {
  uint64_t end = 0;

  backend_open(sim);
  people_begin(sim);
  for (size_t i = 0; i < sim->plan.count; i++) {
    agenda_add(&sim->agenda, sim->plan.acts[i].at, SIM_ACT, i, 0);
    end = sim->plan.acts[i].at;
  }
  run_until(sim, end + 1000);
  sim->quiet = true;
  if (!sim->failed) people_rest(sim);
  run_until(sim, sim->now + HEAL_MS);
  sim->healed = !sim->failed;
  if (!sim->failed) rules_quiet(sim);
  if (!sim->failed) check_idle(sim);
  if (!sim->failed) check_again(sim);
}

bool sim_run(sim_world *sim, const sim_plan *plan, sim_tally *tally,
             bool recording) {
  memset(sim, 0, sizeof *sim);
  sim->plan = *plan;
  sim->tally = tally;
  sim->recording = recording;
  sim->random.state = plan->seed * 2 + 7919;
  sim->hash = UINT64_C(0xcbf29ce484222325);
  if (plan->sqlite_server || plan->sqlite_devices) {
    setenv("TMPDIR", "/dev/shm", 0); /* nothing here outlives the process */
    test_folder_make(&sim->folder);
  }
  sn_frame_reader_init(&sim->reader, seen_allocator_default());
  if (plan->sqlite_devices) test_vfs_begin();
  play(sim);
  tally->seeds++;
  tally->virtual_ms += sim->now;
  return !sim->failed;
}

void sim_end(sim_world *sim) {
  for (size_t i = 0; i < sim->device_count; i++)
    device_end(&sim->devices[i]);
  if (sim->plan.sqlite_devices) test_vfs_end();
  backend_end(sim);
  sn_frame_reader_free(&sim->reader);
  agenda_free(&sim->agenda);
  free(sim->links);
  free(sim->asked);
  free(sim->ops);
  if (sim->folder.path[0] != '\0') test_folder_remove(&sim->folder);
}
