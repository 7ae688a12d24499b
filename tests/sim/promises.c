#include "sim/promises.h"

#include <inttypes.h>
#include <string.h>

#include "engine/core.h"
#include "engine/gaps.h"
#include "sim/device.h"

/* A second to wait for what is late (U5) or for more to report, half a second
 * for a token, and room for what is under way. */
enum { LATE_MS = 4000 };

static void keep(const sim_device *device, sim_promise *promise) {
  promise->link = device->session->link.number;
  promise->owed = promise->kept = true;
}

static void check_mark(sim_device *device, uint32_t conv,
                       const seen_mark *mark) {
  seen_mark *last = &device->marks[conv];

  if (last->op != 0 && last->expected_epoch == mark->expected_epoch &&
      last->expected_seq == mark->expected_seq &&
      last->target == mark->target && last->op != mark->op &&
      !device->sim->restored)
    sim_fail(device->sim,
             "P7: %s says the mark of %s at (%" PRIu64 ",%" PRIu64
             ") again, as another one",
             device->name, sim_conv(conv), mark->expected_epoch,
             mark->expected_seq);
  *last = *mark;
}

void promises_effect(sim_device *device, const seen_effect *effect,
                     const char *id) {
  int conv = id == NULL ? -1 : sim_conv_of(id);

  if (effect->type == SEEN_EFFECT_READ_ALL)
    for (uint32_t i = 0; i < SIM_CONVS; i++)
      keep(device, &device->unsent[i]);
  if (conv < 0) return;
  if (effect->type == SEEN_EFFECT_FETCH) keep(device, &device->gaps[conv]);
  if (effect->type == SEEN_EFFECT_REPORT ||
      effect->type == SEEN_EFFECT_MARK_UNREAD)
    keep(device, &device->unsent[conv]);
  if (effect->type == SEEN_EFFECT_MARK_UNREAD)
    check_mark(device, (uint32_t)conv, &effect->u.mark);
}

/* Whether it is owed for too long; begins anew with each link. */
static bool is_late(const sim_device *device, sim_promise *promise, bool owed) {
  uint64_t now = device->sim->now, link = device->session->link.number;

  if (owed && promise->owed && promise->link == link) {
    if (device->slept) promise->since = now; /* what was sent stays so */
    return !promise->kept && now > promise->since + LATE_MS;
  }
  *promise = (sim_promise){.since = now, .link = link, .owed = owed};
  return false;
}

static void check_row(sim_device *device, uint32_t conv) {
  const seen_engine *engine = seen_mirror_engine(device->mirror);
  const sn_conv *row =
      sn_engine_conv(engine, seen_engine_find(engine, sim_conv(conv)));
  seen_state state;
  /* Reports by request of their own are told of as a link, too (V5). */
  bool up = engine->link && device->session->link.stage == SN_STAGE_UP &&
            device_state(device, conv, &state) && !sn_conv_has(row, SN_WAITING);
  bool gap = up && sn_gaps_above(row, 0) > 0;

  if (is_late(device, &device->gaps[conv], gap))
    sim_fail(device->sim, "U5: %s has a gap in %s, and does not ask",
             device->name, sim_conv(conv));
  /* V7: over the rate it waits up to a minute. */
  if (is_late(device, &device->unsent[conv],
              up && state.pending && !device->sim->plan.tight))
    sim_fail(device->sim, "V3: %s has something of %s to send, and does not",
             device->name, sim_conv(conv));
}

void promises_check(sim_device *device) {
  for (uint32_t i = 0; i < device->sim->plan.convs; i++)
    if (seen_engine_find(seen_mirror_engine(device->mirror), sim_conv(i)) != 0)
      check_row(device, i);
}

void promises_begin(sim_device *device, bool lost) {
  memset(device->gaps, 0, sizeof device->gaps);
  memset(device->unsent, 0, sizeof device->unsent);
  if (lost) memset(device->marks, 0, sizeof device->marks);
}
