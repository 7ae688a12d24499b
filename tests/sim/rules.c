#include "sim/rules.h"

#include <inttypes.h>
#include <seen/sys/working.h>

#include <stdio.h>
#include <string.h>

#include "engine/core.h"
#include "sim/backup.h"
#include "sim/device.h"
#include "sim/namings.h"
#include "sim/positions.h"
#include "sim/privacy.h"
#include "sim/promises.h"

void rules_seen(sim_device *device, uint32_t conv, uint64_t seq) {
  if (seq > device->seen[conv]) device->seen[conv] = seq;
}

/* V9 */
static bool looks(const sim_device *device) {
  return device->foreground && device->focus;
}

void rules_screen(sim_device *device) {
  if (device->open >= 0 && looks(device))
    rules_seen(device, (uint32_t)device->open, device->on_screen);
}

/* Who is installed anew knows of no read of its own: S2 has nothing to say
 * again. What others of the user showed as read was the server's, unless it was
 * restored since. */
void rules_killed(sim_world *sim, sim_device *device, bool wiped) {
  if (!wiped) return;
  device->wiped = true;
  device->counted = false;
  memset(device->claim, 0, sizeof device->claim);
  for (size_t i = 0; sim->restored && i < sim->device_count; i++)
    if (sim->devices[i].user == device->user)
      memset(sim->devices[i].claim, 0, sizeof sim->devices[i].claim);
}

static bool was_wiped(const sim_world *sim, uint32_t user) {
  for (size_t i = 0; i < sim->device_count; i++)
    if (sim->devices[i].user == user && sim->devices[i].wiped) return true;
  return false;
}

/* S2: what was read is said again, as far as it is there; but what a rejoin
 * made read, what was left, or a device that knows of it no more, is lost. */
static uint64_t claim_left(const sim_world *sim, const sim_device *device,
                           uint32_t conv, bool present) {
  uint64_t last = sim->facts[conv].last;

  if (was_wiped(sim, device->user) || sim->rejoined[conv][device->user] ||
      !present)
    return 0;
  return device->claim[conv] < last ? device->claim[conv] : last;
}

/* R3, P9: a membership, and how far it was reported. */
static void note_period(sim_member *noted, const stored_member *member) {
  sim_period *last =
      noted->count > 0 ? &noted->periods[noted->count - 1] : NULL;

  if (last == NULL || last->join != member->join_seq) {
    if (noted->count == SIM_PERIODS_MAX)
      memmove(noted->periods, noted->periods + 1,
              --noted->count * sizeof *noted->periods);
    last = &noted->periods[noted->count++];
    *last = (sim_period){member->join_seq, 0, member->read.epoch};
  }
  last->leave = member->leave_seq;
  if (member->receipt > noted->receipt) noted->receipt = member->receipt;
}

static int check_member(void *user_data, const stored_membership *found) {
  sim_world *of = user_data;
  int conv = sim_conv_of(found->member.conv);
  int user = sim_user_of(found->member.user);
  seen_position *held, read = found->member.read;

  if (conv < 0 || user < 0) return SEEN_OK;
  held = &of->held[conv][user];
  if (read.epoch < held->epoch ||
      (read.epoch == held->epoch && read.seq < held->seq))
    sim_fail(of,
             "P1: the server's position of %s in %s fell from (%" PRIu64
             ",%" PRIu64 ") to (%" PRIu64 ",%" PRIu64 ")",
             found->member.user, found->member.conv, held->epoch, held->seq,
             read.epoch, read.seq);
  positions_moved(of, (uint32_t)conv, (uint32_t)user, held, &found->member);
  *held = read;
  note_period(&of->facts[conv].members[user], &found->member);
  if (of->facts[conv].members[user].count > 1) of->rejoined[conv][user] = true;
  return SEEN_OK;
}

static void look_at_members(sim_world *sim) {
  const storage *disk = &sim->disk.inner;

  for (uint32_t i = 0; i < sim->plan.convs; i++) {
    if (!sim->facts[i].stale) continue;
    sim->facts[i].stale = false;
    disk->each_member(disk->self, sim_conv(i), sim, check_member);
  }
}

/* S2: whatever was read of the old history may be said again, and what was
 * cleared be open again. */
static void note_old_reads(sim_device *device) {
  seen_state state;

  for (uint32_t i = 0; i < device->sim->plan.convs; i++) {
    rules_seen(device, i, device->claim[i]);
    if (device_state(device, i, &state)) rules_seen(device, i, state.read_seq);
    namings_forget(device, i);
    /* Said again it clears: an own message of the old history (F5), and a mark
     * all as read that was acknowledged, of which nothing is held. */
    namings_touched(device, i, device->seen[i]);
  }
}

void rules_restored(sim_world *sim) {
  bool present[SIM_CONVS][SIM_USERS];

  for (uint32_t conv = 0; conv < SIM_CONVS; conv++)
    for (uint32_t user = 0; user < SIM_USERS; user++)
      present[conv][user] = facts_present(&sim->facts[conv], user) != NULL;
  sim->restored = true;
  for (size_t i = 0; i < sim->device_count; i++)
    note_old_reads(&sim->devices[i]);
  facts_restored(sim);
  memset(sim->held, 0, sizeof sim->held);
  memset(sim->notes, 0, sizeof sim->notes);
  positions_restored(sim);
  look_at_members(sim);
  privacy_restored(sim);
  for (size_t i = 0; i < sim->device_count; i++)
    for (uint32_t conv = 0; conv < sim->plan.convs; conv++)
      sim->devices[i].claim[conv] = claim_left(
          sim, &sim->devices[i], conv, present[conv][sim->devices[i].user]);
  memset(sim->newest, 0, sizeof sim->newest);
  for (size_t i = 0; i < sim->sent_count; i++)
    sim->sent[i].lost = true;
}

static uint64_t furthest(const sim_world *sim, uint32_t conv, uint32_t user) {
  const seen_position *held = &sim->held[conv][user];

  return held->seq > held->high ? held->seq : held->high;
}

bool rules_nothing_unread(sim_world *sim, uint32_t conv, uint32_t user,
                          uint64_t from, uint64_t to) {
  const storage *disk = &sim->disk.inner;
  stored_message message;

  for (uint64_t seq = from + 1; seq <= to; seq++)
    if (disk->get_message(disk->self, sim_conv(conv), seq, &message) ==
            SEEN_OK &&
        message.state == 0 && strcmp(message.from, sim_user(user)) != 0)
      return false;
  return true;
}

/* F5: the newest own text at or below a seq; 0: none. A later one may have come
 * before the fresh row (S2), to whose end it was clamped. */
static uint64_t own_text(sim_world *sim, uint32_t conv, uint32_t user,
                         uint64_t seq) {
  const storage *disk = &sim->disk.inner;
  stored_message message;

  for (; sim->plan.own_send_reads && seq > 0; seq--)
    if (disk->get_message(disk->self, sim_conv(conv), seq, &message) ==
            SEEN_OK &&
        message.kind == SEEN_MESSAGE_TEXT &&
        strcmp(message.from, sim_user(user)) == 0)
      return seq;
  return 0;
}

/* No report goes beyond what was seen or named here, or read elsewhere. */
static void check_report(sim_world *sim, sim_device *device, uint32_t conv,
                         uint64_t seq) {
  uint64_t allowed = device->seen[conv], own;
  seen_state state;

  if (sim->plan.moderated[conv]) return;
  if (sim->plan.on_open && device->open == (int)conv && looks(device) &&
      device_state(device, conv, &state) && state.last_seq > allowed)
    allowed = state.last_seq; /* this very turn */
  if (furthest(sim, conv, device->user) > allowed)
    allowed = furthest(sim, conv, device->user);
  own = own_text(sim, conv, device->user, sim->restored ? SIM_SEQS_MAX : seq);
  if (own > allowed) allowed = own;
  if (seq > allowed &&
      !rules_nothing_unread(sim, conv, device->user, allowed, seq))
    sim_fail(sim, "V1: %s reports %s up to %" PRIu64 ", and saw up to %" PRIu64,
             device->name, sim_conv(conv), seq, allowed);
}

/* S8: a row that is not there is asked for once a link. */
static void check_fetch(sim_world *sim, sim_device *device, uint32_t conv) {
  seen_engine *engine = seen_mirror_engine(device->mirror);

  if (sn_conv_has(
          sn_engine_conv(engine, seen_engine_find(engine, sim_conv(conv))),
          SN_ROW))
    return;
  if (device->fetched[conv])
    sim_fail(sim, "S8: %s asks again for the row of %s", device->name,
             sim_conv(conv));
  device->fetched[conv] = true;
}

void rules_effect(sim_world *sim, sim_device *device, const seen_effect *effect,
                  const char *id) {
  int conv = id == NULL ? -1 : sim_conv_of(id);

  promises_effect(device, effect, id);
  if (effect->type == SEEN_EFFECT_CONVERSATION_CHANGED && conv >= 0)
    device->changed[conv] = true;
  if (effect->type == SEEN_EFFECT_DRIFT)
    sim_fail(sim, "U8: %s: a count drifted in %s", device->name,
             id == NULL ? "totals" : id);
  if (effect->type == SEEN_EFFECT_REPORT &&
      effect->u.report.frame != device->frame) {
    device->frame = effect->u.report.frame;
    device->left++;
  }
  if (effect->type == SEEN_EFFECT_FETCH && conv >= 0)
    check_fetch(sim, device, (uint32_t)conv);
  if (effect->type == SEEN_EFFECT_REPORT && conv >= 0)
    check_report(sim, device, (uint32_t)conv, effect->u.report.seq);
}

/* Whether what it shows is of a history that a restore ended (S2). */
static bool is_behind(const sim_world *sim, const sim_device *device) {
  const sn_session *session = device->session;
  char incarnation[32];

  if (!sim->restored) return false;
  snprintf(incarnation, sizeof incarnation, "restored-%" PRIu64, sim->history);
  return session->reset || session->doubtful || session->incarnation == NULL ||
         strcmp(session->incarnation, incarnation) != 0;
}

/* S2: its row is of another history. */
static bool is_waiting(const sim_device *device, uint32_t conv) {
  seen_engine *engine = seen_mirror_engine(device->mirror);
  seen_conv handle = seen_engine_find(engine, sim_conv(conv));

  return handle != 0 && sn_conv_has(sn_engine_conv(engine, handle), SN_WAITING);
}

static void check_row(sim_world *sim, const sim_device *device,
                      const seen_state *state) {
  if (state->unread > state->last_seq)
    sim_fail(sim, "U1: %s: %s has %" PRIu64 " unread of %" PRIu64, device->name,
             state->id, state->unread, state->last_seq);
  /* Who does not know of a restore may meet a push of the new history. */
  if (state->read_seq > state->last_seq && !is_behind(sim, device))
    sim_fail(sim, "P3: %s: %s is read up to %" PRIu64 " of %" PRIu64,
             device->name, state->id, state->read_seq, state->last_seq);
}

bool rules_recount(const sim_world *sim, const sim_device *device,
                   uint32_t conv, const seen_state *state, sim_range *may) {
  const sim_facts *facts = &sim->facts[conv];
  const sim_period *present = facts_present(facts, device->user);
  uint64_t base = state->read_seq;

  if (present == NULL || state->server_read.epoch < present->epoch)
    return false;
  if (present->join - 1 > base) base = present->join - 1;
  *may = facts_unread(facts, device->user, base, state->last_seq);
  return true;
}

/* U1, U6: what is said to be exact is what a recount of all facts says, as of
 * what the device knows; what is not is no less. */
static void check_count(sim_world *sim, const sim_device *device, uint32_t conv,
                        const seen_state *state) {
  sim_range may;

  if (state->last_seq > sim->facts[conv].last)
    sim_fail(sim, "%s knows of what was not committed", device->name);
  if (!rules_recount(sim, device, conv, state, &may)) return;
  if (state->unread < may.least || (state->exact && state->unread > may.most))
    sim_fail(sim,
             "U6: %s shows %s%" PRIu64 " unread in %s (%" PRIu64 ", %" PRIu64
             "], and it is %" PRIu64 " to %" PRIu64,
             device->name, state->exact ? "exactly " : "", state->unread,
             state->id, state->read_seq, state->last_seq, may.least, may.most);
}

static bool is_below(const seen_position *one, const seen_position *other) {
  return one->epoch < other->epoch ||
         (one->epoch == other->epoch && one->seq < other->seq);
}

/* P1, S4: the server's position only rises; but a row that is late behind an
 * answer by another way makes what was acknowledged a wish again, if no mark
 * expects it already, and its tally may list what was cleared. S2: a row that waits for that of another history
 * stays as it is until it comes. */
static void check_held(sim_world *sim, sim_device *device, uint32_t conv,
                       const seen_state *state) {
  seen_position *held = &device->held[conv];
  const seen_position *now = &state->server_read;
  bool waited = device->waited[conv];
  bool waits = device->waited[conv] = is_waiting(device, conv);
  bool moved = memcmp(held, now, sizeof *now) != 0;
  bool fell = is_below(now, held);
  bool may_fall = is_behind(sim, device) || (waited && sim->restored) ||
                  (state->pending &&
                   (state->read_seq >= held->seq || state->marked_unread));

  if (waits && waited ? moved : fell && !may_fall)
    sim_fail(sim,
             "%s: %s held (%" PRIu64 ",%" PRIu64 ") of %s, and holds (%" PRIu64
             ",%" PRIu64 ")",
             waits ? "S2" : "S4", device->name, held->epoch, held->seq,
             state->id, now->epoch, now->seq);
  if (fell) namings_forget(device, conv);
  if (waited && !waits) device->receipt_seq[conv] = 0; /* S2: dropped */
  *held = *now;
}

static void check_changed(sim_world *sim, sim_device *device) {
  seen_state state;

  for (uint32_t i = 0; i < sim->plan.convs; i++) {
    if (!device->changed[i]) continue;
    device->changed[i] = false;
    if (!device_state(device, i, &state)) {
      namings_forget(device, i);
      if (sim->restored) device->held[i] = (seen_position){0, 0, 0};
      device->waited[i] = false;
      continue;
    }
    if (!is_behind(sim, device)) check_count(sim, device, i, &state);
    check_held(sim, device, i, &state);
    if (!is_behind(sim, device)) namings_check(device, i, &state);
  }
}

static void check_totals(sim_world *sim, const sim_device *device) {
  seen_totals sum = {0, 0, 0, 0}, told;
  seen_state state;

  for (uint32_t i = 0; i < sim->plan.convs; i++) {
    if (!device_state(device, i, &state)) continue;
    check_row(sim, device, &state);
    sum.mentions += state.mentions;
    if (state.muted) sum.muted += state.unread;
    if (state.muted) continue;
    sum.unread += state.unread;
    sum.conversations += state.unread > 0 || state.marked_unread;
  }
  seen_engine_totals(seen_mirror_engine(device->mirror), &told);
  if (memcmp(&sum, &told, sizeof sum) != 0)
    sim_fail(sim, "B4: %s: totals are not the sum of the rows", device->name);
}

/* What is shown as read and written is a promise. */
static void note_claims(sim_world *sim, sim_device *device) {
  seen_session held = {.size = sizeof held};
  seen_state state;

  seen_engine_session(seen_mirror_engine(device->mirror), &held);
  if (held.dirty_since != SEEN_NEVER || is_behind(sim, device) ||
      seen_mirror_unwritten(device->mirror) > 0)
    return;
  for (uint32_t i = 0; i < sim->plan.convs; i++)
    if (device_state(device, i, &state) && state.read_seq > device->claim[i])
      device->claim[i] = state.read_seq;
}

/* R4: whether a roster may be without positions: of who hid and is there again
 * nothing is known. */
static bool is_crowded(const sim_world *sim) {
  return sim->plan.peer_limit <= sim->plan.users + 1;
}

/* Counts of readers stay within the audience, and never fall. */
static void check_receipt(sim_world *sim, sim_device *device, uint32_t conv) {
  seen_engine *engine = seen_mirror_engine(device->mirror);
  seen_conv handle = seen_engine_find(engine, sim_conv(conv));
  seen_receipt now = {.size = sizeof now};
  seen_receipt *last = &device->receipts[conv];
  uint64_t seq = sim->newest[conv][device->user];
  seen_state state;

  /* Who has left knows of memberships that ended no more. */
  if (!device_state(device, conv, &state)) {
    device->receipt_seq[conv] = 0;
    return;
  }
  if (seq == 0 || handle == 0 ||
      seen_engine_receipt(engine, handle, seq, &now) != SEEN_OK)
    return;
  if (now.read > now.audience)
    sim_fail(sim, "R2: %s: read by %" PRIu64 " of %" PRIu64, device->name,
             now.read, now.audience);
  if (device->receipt_seq[conv] == seq && now.read < last->read &&
      now.audience >= last->audience &&
      !(sim->receipts_changed && (device->counted || is_crowded(sim))))
    sim_fail(sim,
             "P9: %s: %s %" PRIu64 " was read by %" PRIu64
             ", and is by %" PRIu64,
             device->name, sim_conv(conv), seq, last->read, now.read);
  device->receipt_seq[conv] = seq;
  *last = now;
}

static void check_receipts(sim_world *sim, sim_device *device) {
  for (uint32_t i = 0; i < sim->plan.convs; i++)
    check_receipt(sim, device, i);
}

static bool has_pending(const sim_device *device) {
  seen_state state;

  for (uint32_t i = 0; i < device->sim->plan.convs; i++)
    if (device_state(device, i, &state) && state.pending) return true;
  return false;
}

/* V4: a bucket of our own. After a sleep a turn is many in the engine, and may
 * have emptied and filled it. */
static void check_rate(sim_world *sim, sim_device *device) {
  const uint64_t size = (uint64_t)device->options.burst * 1000;
  seen_metrics sent = {.size = sizeof sent};
  uint64_t now = device_now(device);

  seen_engine_metrics(seen_mirror_engine(device->mirror), &sent);
  if (sent.report_frames != device->left)
    sim_fail(sim, "V4: %s says that %" PRIu64 " frames left, of %" PRIu64,
             device->name, sent.report_frames, device->left);
  device->units +=
      (now - device->units_at) * device->options.reports_per_second;
  device->units_at = now;
  if (device->units > size || device->slept) device->units = size;
  if (device->slept) device->frames = sent.report_frames;
  device->slept = false;
  for (; device->frames < sent.report_frames; device->frames++)
    if (device->units >= 1000) {
      device->units -= 1000;
    } else if (device->farewells > 0) {
      device->farewells--;
    } else {
      sim_fail(sim, "V4: %s sends frame %" PRIu64 " of reports without a token",
               device->name, device->frames + 1);
    }
  if (device->farewells > 0 && !has_pending(device)) device->farewells = 0;
}

void rules_farewell(sim_device *device) {
  sim_world *sim = device->sim;
  seen_session held = {.size = sizeof held};

  if (!device->on || sim->failed || sim->now < device->disk_fails_until ||
      sim->plan.faulty_disks)
    return;
  seen_engine_session(seen_mirror_engine(device->mirror), &held);
  if (held.dirty_since != SEEN_NEVER ||
      seen_mirror_unwritten(device->mirror) > 0)
    sim_fail(sim, "S6: %s is put away, and not all is written", device->name);
}

/* With on_open. */
static void see_all(sim_device *device, uint32_t conv, uint64_t last) {
  rules_seen(device, conv, last);
  namings_touched(device, conv, last);
}

void rules_device(sim_world *sim, sim_device *device) {
  seen_state state;

  if (sim->plan.on_open && device->open >= 0 && looks(device) &&
      device_state(device, (uint32_t)device->open, &state))
    see_all(device, (uint32_t)device->open, state.last_seq);
  if (is_behind(sim, device)) note_old_reads(device);
  check_totals(sim, device);
  promises_check(device);
  check_rate(sim, device);
  check_changed(sim, device);
  if (!is_behind(sim, device)) check_receipts(sim, device);
  note_claims(sim, device);
}

void rules_server(sim_world *sim) {
  const metrics *counts = server_metrics(sim->server);

  if (counts->read_above_audience + counts->position_above_last +
          counts->counts_drifted >
      0)
    sim_fail(sim, "R2, U8: the server's counts are wrong");
  if (counts->commits == sim->commits) {
    privacy_turn(sim, false);
    positions_turn(sim);
    return;
  }
  sim->commits = counts->commits;
  facts_take(sim);
  look_at_members(sim);
  privacy_turn(sim, true);
  positions_turn(sim);
}

static void mix(sim_world *sim, const char *text, uint64_t extra) {
  uint64_t hash = sim->hash ^ (sim->now + extra);

  for (; *text != '\0'; text++)
    hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
  sim->hash = hash;
}

/* The word behind "t", which the session writes first. */
static sn_say say_of(const char *text) {
  const char *word = strstr(text, "\"t\":\"");
  char name[16];
  size_t length = word == NULL ? 0 : strcspn(word + 5, "\"");

  if (length == 0 || length >= sizeof name) return SN_SAY_UNKNOWN;
  memcpy(name, word + 5, length);
  name[length] = '\0';
  return sn_say_of(name);
}

void rules_frame_up(sim_world *sim, size_t link, sim_state state,
                    const char *text) {
  const char *user = sim_user(sim->devices[sim->links[link].device].user);
  sn_say say = say_of(text);

  mix(sim, text, link);
  facts_named(sim, text);
  if (say == SN_SAY_SETTINGS) sim->switching = true;
  positions_frame(sim, user, text, backup_note(sim, user, text));
  sim->tally->frames_up++;
  sim->tally->coverage.up[say][state]++;
}

/* What a notification service may bring as well. */
static void note_frame(sim_world *sim, size_t link, sn_frame_type type,
                       const char *text, size_t length) {
  sim_note *note = &sim->notes[sim->devices[sim->links[link].device].user];

  if ((type != SN_FRAME_MESSAGE && type != SN_FRAME_POSITION &&
       type != SN_FRAME_CHANGES) ||
      length >= sizeof note->text)
    return;
  memcpy(note->text, text, length + 1);
  note->length = length;
}

void rules_frame_down(sim_world *sim, size_t link, sim_state state,
                      const char *text, size_t length) {
  sn_frame_type type;

  mix(sim, text, link);
  if (length > SEEN_FRAME_MAX) sim_fail(sim, "a frame of %zu bytes", length);
  type = privacy_frame(sim, &sim->links[link], text, length);
  note_frame(sim, link, type, text, length);
  if (type == SN_FRAME_RECEIPTS)
    sim->devices[sim->links[link].device].counted = true;
  sim->tally->coverage.down[type][state]++;
  if (type == SN_FRAME_ACK && strstr(text, "\"code\":\"conflict\"") != NULL)
    sim_met(sim, SIM_FAULT_CONFLICT);
  if (type == SN_FRAME_ACK && strstr(text, "\"code\":\"rate_limited\"") != NULL)
    sim_met(sim, SIM_FAULT_LIMITED);
  if (type == SN_FRAME_RESYNC) sim_met(sim, SIM_FAULT_OVERFLOW);
}
