#include "sim/acting.h"

#include <inttypes.h>

#include "sim/backend.h"
#include "sim/backup.h"
#include "sim/device.h"
#include "sim/network.h"
#include "support/vfs.h"

static bool half_open(const sim_acting *acting) {
  size_t link = network_link(acting->sim, acting->device);

  if (link >= acting->sim->link_count) return false;
  acting->sim->links[link].dark = true;
  /* Who notices does so by silence. */
  agenda_add(&acting->sim->agenda, acting->sim->now + 40000, SIM_GONE, link, 0);
  return true;
}

static bool slow(const sim_acting *acting) {
  size_t link = network_link(acting->sim, acting->device);
  uint64_t until = acting->sim->now + 500 + acting->act->a % 20000;

  if (link >= acting->sim->link_count) return false;
  acting->sim->links[link].slow = true;
  acting->sim->links[link].slow_until = until;
  agenda_add(&acting->sim->agenda, until, SIM_RELEASE, link, 0);
  return true;
}

static bool network_changed(const sim_acting *acting) {
  if (!acting->device->on) return false;
  sn_session_network_changed(acting->device->session,
                             device_now(acting->device));
  device_turn(acting->device);
  return true;
}

/* Its clock leaps, as after a sleep. */
static bool jump(const sim_acting *acting) {
  sim_device *device = acting->device;

  device->shift += acting->act->a % 600000;
  device->slept = true;
  return acting_feed(acting, SEEN_INPUT_TICK) && device->on;
}

static bool expire(const sim_acting *acting) {
  size_t link = network_link(acting->sim, acting->device);

  acting->device->token_at = acting->sim->now;
  if (link < acting->sim->link_count) network_cut(acting->sim, link);
  return true;
}

/* What is pushed to it is lost, comes twice or comes late, and the link stays:
 * a broker in between, a queue that overflows. */
static bool miss(const sim_acting *acting, uint64_t until) {
  acting->device->misses_until = until;
  return acting->device->on;
}

/* It is killed as soon as a page that is not the last is there. Mostly there
 * are such pages for who is installed anew. */
static bool falls(const sim_acting *acting, uint64_t ms) {
  sim_device *device = acting->device;

  if (!device->on) return false;
  device->falls_at_page = 1 + acting->act->c % 3;
  if (acting->act->b % 2 == 0)
    device_kill(device, ms, false, true);
  else
    network_cut_all(acting->sim, device);
  return true;
}

static bool account(const sim_acting *acting, const char *act) {
  sim_world *sim = acting->sim;

  sim->accounts++;
  facts_all(sim);
  return backend_say(sim, "root", true,
                     "{\"t\":\"admin\",\"id\":2,\"op\":\"%s%" PRIu64
                     "\",\"act\":\"%s\",\"user\":\"%s\"}",
                     act, sim->accounts, act, sim_user(acting->act->user));
}

static bool server_act(const sim_acting *acting) {
  sim_world *sim = acting->sim;

  switch (acting->act->type) {
  case SIM_CRASH: return backend_crash(sim, 200 + acting->act->a % 8000);
  case SIM_STALL: sim->disk.fails_at = 1 + acting->act->a % 60; return true;
  case SIM_DRAIN: return backend_drain(sim);
  default: return backup_restore(sim);
  }
}

/* Of one device, of a user's home, of everybody. */
static bool partition(const sim_acting *acting, uint64_t until) {
  sim_world *sim = acting->sim;

  for (size_t i = 0; i < sim->device_count; i++) {
    sim_device *device = &sim->devices[i];

    if (device != acting->device && acting->act->b % 4 != 0 &&
        (acting->act->b % 4 != 1 || device->user != acting->act->user))
      continue;
    device->cut_until = until;
    network_cut_all(sim, device);
  }
  return true;
}

static void note_calls(sim_world *sim) {
  sim->tally->faults[SIM_FAULT_DEVICE_CALL] += test_vfs_failures();
}

/* Its disk fails: now and then in SQLite's own calls, else as a whole. */
static bool fail_disk(const sim_acting *acting, uint64_t until) {
  static const test_fault faults[] = {TEST_FAULT_IO, TEST_FAULT_FULL,
                                      TEST_FAULT_READONLY, TEST_FAULT_BUSY};

  acting->device->disk_fails_until = until;
  if (!acting->sim->plan.faulty_disks) return true;
  acting->device->disk_fails_until = 0;
  note_calls(acting->sim);
  test_vfs_fail(faults[acting->act->b % 4], 1 + acting->act->c % 60,
                acting->act->c % 3 == 0);
  return true;
}

static bool cut(const sim_acting *acting) {
  bool has =
      network_link(acting->sim, acting->device) < acting->sim->link_count;

  network_cut_all(acting->sim, acting->device);
  return has;
}

bool mishap_act(const sim_acting *acting) {
  sim_device *device = acting->device;
  uint64_t ms = 1000 + acting->act->a % 60000;
  uint64_t until = acting->sim->now + ms;

  switch (acting->act->type) {
  case SIM_CUT: return cut(acting);
  case SIM_HALF: return half_open(acting);
  case SIM_PARTITION: return partition(acting, until);
  case SIM_BLOCKED: device->blocked_until = until; return cut(acting);
  case SIM_PORTAL: device->portal_until = until; return cut(acting);
  case SIM_SLOW: return slow(acting);
  case SIM_MISS: return miss(acting, until);
  case SIM_NETWORK: return network_changed(acting);
  case SIM_SWIPE:
    return device->on && acting_away(acting) &&
           device_kill(device, ms, false, false);
  case SIM_KILL: return device_kill(device, ms, false, false);
  case SIM_PAGE: return falls(acting, ms);
  case SIM_REBOOT: return device_kill(device, ms, true, false);
  case SIM_REINSTALL: return device_kill(device, 1000, false, true);
  case SIM_JUMP: return jump(acting);
  case SIM_EXPIRE: return expire(acting);
  case SIM_DISK: return fail_disk(acting, until);
  case SIM_DISABLE: return account(acting, "disable");
  case SIM_ENABLE: return account(acting, "enable");
  default: return server_act(acting);
  }
}

void mishap_enable(sim_world *sim) {
  for (uint32_t user = 0; sim->accounts > 0 && user < sim->plan.users; user++) {
    const sim_act act = {.type = SIM_ENABLE, .user = user};
    const sim_acting acting = {sim, NULL, &act, NULL};

    account(&acting, "enable");
  }
}

/* Who missed something learns of it with the next link. */
static void cut_missed(sim_world *sim) {
  for (size_t i = 0; i < sim->link_count; i++)
    if (sim->links[i].missed && sim->links[i].at_client && !sim->links[i].dark)
      network_cut(sim, i);
}

void mishap_rest(sim_world *sim) {
  if (sim->plan.sqlite_devices) note_calls(sim);
  if (sim->plan.faulty_disks) test_vfs_fail(TEST_FAULT_NONE, 0, false);
  for (size_t i = 0; i < sim->device_count; i++) {
    sim_device *device = &sim->devices[i];

    device->cut_until = device->blocked_until = device->portal_until = 0;
    device->disk_fails_until = device->misses_until = 0;
    device->falls_at_page = 0;
  }
  sim->disk.fails_at = 0;
  mishap_enable(sim);
  cut_missed(sim);
}
