#include "sim/rules.h"

#include <inttypes.h>
#include <seen/sys/working.h>

#include <stdio.h>
#include <string.h>

#include "sim/device.h"

/* Of the frames that a session writes, by the word behind "t". */
static const char *const said[] = {
    "hello",  "read",      "delivered",   "mark_unread", "read_all", "fetch",
    "sync",   "subscribe", "unsubscribe", "set",         "send",     "history",
    "create", "add",       "remove",      "join",        "leave",    "settings",
};

void rules_touched(sim_world *sim, uint32_t user, uint32_t conv) {
  sim->touched[conv][user] = true;
}

void rules_seen(sim_device *device, uint32_t conv, uint64_t seq) {
  if (seq > device->seen[conv]) device->seen[conv] = seq;
}

void rules_killed(sim_world *sim, sim_device *device, bool wiped) {
  for (uint32_t i = 0; wiped && i < sim->plan.convs; i++) {
    device->claim[i] = 0;
    /* It knows of no read of its own any more: S2 has nothing to say again. */
    rules_touched(sim, device->user, i);
  }
}

void rules_restored(sim_world *sim) {
  sim->restored = true;
  for (uint32_t i = 0; i < sim->plan.convs; i++)
    for (uint32_t user = 0; user < sim->plan.users; user++) {
      sim->held[i][user] = (seen_position){0, 0, 0};
      rules_touched(sim, user, i);
    }
  for (size_t i = 0; i < sim->sent_count; i++)
    sim->sent[i].lost = true;
}

static uint64_t furthest(const sim_world *sim, uint32_t conv, uint32_t user) {
  const seen_position *held = &sim->held[conv][user];

  return held->seq > held->high ? held->seq : held->high;
}

/* Whether no unread message of the user lies in (from, to]. */
static bool nothing_unread(sim_world *sim, uint32_t conv, uint32_t user,
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

/* F5: the newest own text at or below a seq; 0: none. */
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
  uint64_t allowed = device->seen[conv];
  seen_state state;

  if (sim->restored || sim->plan.moderated[conv]) return;
  if (sim->plan.on_open && device->open == (int)conv &&
      device_state(device, conv, &state) && state.last_seq > allowed)
    allowed = state.last_seq; /* this very turn */
  if (furthest(sim, conv, device->user) > allowed)
    allowed = furthest(sim, conv, device->user);
  if (own_text(sim, conv, device->user, seq) > allowed)
    allowed = own_text(sim, conv, device->user, seq);
  if (seq > allowed && !nothing_unread(sim, conv, device->user, allowed, seq))
    sim_fail(sim, "V1: %s reports %s up to %" PRIu64 ", and saw up to %" PRIu64,
             device->name, sim_conv(conv), seq, allowed);
}

void rules_effect(sim_world *sim, sim_device *device, const seen_effect *effect,
                  const char *id) {
  int conv = id == NULL ? -1 : sim_conv_of(id);

  if (effect->type == SEEN_EFFECT_DRIFT)
    sim_fail(sim, "U8: %s: a count drifted in %s", device->name,
             id == NULL ? "totals" : id);
  if (effect->type == SEEN_EFFECT_REPORT && conv >= 0)
    check_report(sim, device, (uint32_t)conv, effect->u.report.seq);
}

static void check_row(sim_world *sim, const sim_device *device,
                      const seen_state *state) {
  if (state->unread > state->last_seq)
    sim_fail(sim, "U1: %s: %s has %" PRIu64 " unread of %" PRIu64, device->name,
             state->id, state->unread, state->last_seq);
  if (state->read_seq > state->last_seq)
    sim_fail(sim, "P3: %s: %s is read up to %" PRIu64 " of %" PRIu64,
             device->name, state->id, state->read_seq, state->last_seq);
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
  if (held.dirty_since != SEEN_NEVER ||
      seen_mirror_unwritten(device->mirror) > 0)
    return;
  for (uint32_t i = 0; i < sim->plan.convs; i++)
    if (device_state(device, i, &state) && state.read_seq > device->claim[i])
      device->claim[i] = state.read_seq;
}

/* Counts of readers stay within the audience, and never fall. */
static void check_receipts(sim_world *sim, sim_device *device) {
  seen_engine *engine = seen_mirror_engine(device->mirror);

  for (size_t i = sim->sent_count; i-- > 0;) {
    const sim_sent *sent = &sim->sent[i];
    seen_receipt now = {.size = sizeof now};
    seen_receipt *last = &device->receipts[sent->conv];
    seen_conv conv;

    if (sent->user != device->user || sent->seq == 0 || sent->lost) continue;
    conv = seen_engine_find(engine, sim_conv(sent->conv));
    if (conv == 0 ||
        seen_engine_receipt(engine, conv, sent->seq, &now) != SEEN_OK)
      return;
    if (now.read > now.audience)
      sim_fail(sim, "R2: %s: read by %" PRIu64 " of %" PRIu64, device->name,
               now.read, now.audience);
    if (device->receipt_seq[sent->conv] == sent->seq && now.read < last->read &&
        now.audience >= last->audience)
      sim_fail(
          sim,
          "P9: %s: %s %" PRIu64 " was read by %" PRIu64 ", and is by %" PRIu64,
          device->name, sim_conv(sent->conv), sent->seq, last->read, now.read);
    device->receipt_seq[sent->conv] = sent->seq;
    *last = now;
    return;
  }
}

/* V4: frames for a token each, and farewells without. */
static void check_rate(sim_world *sim, const sim_device *device) {
  seen_metrics sent = {.size = sizeof sent};
  uint64_t lived = sim->now - device->began_at, most;

  seen_engine_metrics(seen_mirror_engine(device->mirror), &sent);
  most = device->options.burst + device->farewells +
         (lived * device->options.reports_per_second + 999) / 1000;
  if (device->shift == 0 && sent.report_frames > most)
    sim_fail(sim, "V4: %s sent %" PRIu64 " frames of reports in %" PRIu64 " ms",
             device->name, sent.report_frames, lived);
}

void rules_device(sim_world *sim, sim_device *device) {
  seen_state state;

  if (sim->plan.on_open && device->open >= 0 &&
      device_state(device, (uint32_t)device->open, &state))
    rules_seen(device, (uint32_t)device->open, state.last_seq);
  check_totals(sim, device);
  check_rate(sim, device);
  if (!sim->restored) check_receipts(sim, device);
  note_claims(sim, device);
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
  *held = read;
  return SEEN_OK;
}

/* What the server holds of a user's switch (S7). */
static void note_receipts(sim_world *sim, uint32_t user) {
  stored_user found;
  bool on = sim->disk.inner.get_user(sim->disk.inner.self, sim_user(user),
                                     &found) != SEEN_OK ||
            found.receipts;

  if (sim->receipts_on[user] && !on) sim->receipts_off_at[user] = sim->now;
  sim->receipts_on[user] = on;
}

void rules_server(sim_world *sim) {
  const metrics *counts = server_metrics(sim->server);

  if (counts->read_above_audience + counts->position_above_last +
          counts->counts_drifted >
      0)
    sim_fail(sim, "R2, U8: the server's counts are wrong");
  for (uint32_t i = 0; i < sim->plan.convs; i++)
    sim->disk.inner.each_member(sim->disk.inner.self, sim_conv(i), sim,
                                check_member);
  for (uint32_t i = 0; i < sim->plan.users; i++)
    note_receipts(sim, i);
}

static void mix(sim_world *sim, const char *text, uint64_t extra) {
  uint64_t hash = sim->hash ^ (sim->now + extra);

  for (; *text != '\0'; text++)
    hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
  sim->hash = hash;
}

/* Which state a link is in, as far as frames that are legal in it go. */
static size_t state_of(const sim_link *link) {
  return (size_t)link->polled * 2 + (link->slow_until != 0);
}

void rules_frame_up(sim_world *sim, size_t link, const char *text) {
  const char *word = strstr(text, "\"t\":\"");

  mix(sim, text, link);
  if (sim->tally == NULL || word == NULL) return;
  sim->tally->frames_up++;
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    size_t length = strlen(said[i]);

    if (strncmp(word + 5, said[i], length) == 0 && word[5 + length] == '"')
      sim->tally->up[i][state_of(&sim->links[link])]++;
  }
}

/* S7: once receipts are off, and what was on its way is there, no frame to
 * others names how far that user has read. */
static void check_private(sim_world *sim, const sim_link *link,
                          const char *text) {
  const sim_device *to = &sim->devices[link->device];
  char named[40];

  if (strncmp(text, "{\"t\":\"peer\"", 11) != 0) return;
  for (uint32_t user = 0; user < sim->plan.users; user++) {
    if (sim->receipts_on[user] || user == to->user ||
        sim->now < sim->receipts_off_at[user] + 2 * sim->limits.window_ms ||
        link->slow_until > sim->receipts_off_at[user])
      continue;
    snprintf(named, sizeof named, "\"user\":\"%s\"", sim_user(user));
    if (strstr(text, named) != NULL)
      sim_fail(sim, "S7: %s hears of %s: %.200s", to->name, sim_user(user),
               text);
  }
}

void rules_frame_down(sim_world *sim, size_t link, const char *text,
                      size_t length) {
  mix(sim, text, link);
  if (length > SEEN_FRAME_MAX) sim_fail(sim, "a frame of %zu bytes", length);
  check_private(sim, &sim->links[link], text);
}
