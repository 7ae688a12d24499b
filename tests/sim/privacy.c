#include "sim/privacy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whom a frame is for, and what it was written behind. */
typedef struct sim_told {
  sim_world *sim;
  const sim_device *to;
  const sim_link *link; /* NULL: an HTTP answer */
  int conv;
} sim_told;

static sim_facts *facts_of(const sim_told *told) {
  return &told->sim->facts[told->conv];
}

/* What waited for a slow link may be older than what happened since. */
static bool is_fresh(const sim_told *told, uint64_t since) {
  return told->link == NULL || told->link->slow_until <= since;
}

/* S7: whether somebody's receipts are off, and that is known by now. */
static bool is_off(const sim_told *told, uint32_t user) {
  const sim_world *sim = told->sim;

  return user != told->to->user && !sim->receipts_on[user] &&
         sim->now >=
             sim->receipts_off_at[user] + (uint64_t)2 * sim->limits.window_ms &&
         is_fresh(told, sim->receipts_off_at[user]);
}

/* P9, S7: how far somebody is said to have read is what they reported, and not
 * while their receipts were off. */
static void check_reader(const sim_told *told, const char *name, uint64_t seq) {
  int user = sim_user_of(name);
  const sim_member *member;

  if (user < 0 || (uint32_t)user == told->to->user) return;
  if (is_off(told, (uint32_t)user))
    sim_fail(told->sim, "S7: %s hears of %s", told->to->name, name);
  member = &facts_of(told)->members[user];
  if (seq > member->receipt)
    sim_fail(told->sim,
             "P9: %s hears that %s has read %" PRIu64 ", and it is %" PRIu64,
             told->to->name, name, seq, member->receipt);
  for (size_t i = 0; i < member->secret_count; i++)
    if (seq > member->secrets[i].above && seq <= member->secrets[i].to &&
        member->secrets[i].to != SEEN_SEQ_MAX)
      sim_fail(told->sim, "S7: %s hears of what %s read in private: %" PRIu64,
               told->to->name, name, seq);
}

static void check_unread(const sim_told *told, const seen_word *word,
                         uint64_t join) {
  uint64_t base = word->read.seq;
  sim_range may;

  if (join - 1 > base) base = join - 1;
  may = facts_unread(facts_of(told), told->to->user,
                     word->floor > base ? word->floor : base, word->last_seq);
  if (word->unread < may.least || word->unread > may.most)
    sim_fail(told->sim,
             "U1: %s is told of %" PRIu64 " unread above %" PRIu64
             " of %" PRIu64 ", and it is %" PRIu64 " to %" PRIu64,
             told->to->name, word->unread, base, word->last_seq, may.least,
             may.most);
}

/* A word is of this user and conversation, and was true. */
static void check_word(const sim_told *told, const seen_word *word) {
  const seen_position *held;
  const sim_period *present;

  if (told->conv < 0) return;
  held = &told->sim->held[told->conv][told->to->user];
  if (word->read.epoch > held->epoch ||
      (word->read.epoch == held->epoch && word->read.seq > held->seq))
    sim_fail(told->sim, "P6: %s is told a position that is not the server's",
             told->to->name);
  if (word->last_seq > facts_of(told)->last)
    sim_fail(told->sim, "%s is told of what was not committed", told->to->name);
  present = facts_present(facts_of(told), told->to->user);
  if (present != NULL && word->read.epoch >= present->epoch &&
      word->last_seq >= present->join - 1 &&
      (word->fields & SEEN_WORD_UNREAD) != 0)
    check_unread(told, word, present->join);
}

/* Whether what waits for approval is for them: it is of them, or they decide. */
static bool sees_held(const sim_told *told, const sim_fact *fact) {
  uint32_t user = told->to->user;

  return fact->from == (int)user || (told->sim->plan.admins >> user & 1) != 0;
}

static void check_body(const sim_told *told, const seen_text *text) {
  const sim_fact *fact = &facts_of(told)->list[text->seq];

  if (text->body != NULL && fact->held && !sees_held(told, fact))
    sim_fail(told->sim, "%s is told what waits for approval", told->to->name);
}

/* Live, it is for the members of that time; old ones are for who comes later
 * as well. */
static void check_live(const sim_told *told, const sn_live *live) {
  if (told->conv < 0) return;
  if (!facts_member_at(facts_of(told), told->to->user, live->message.seq))
    sim_fail(told->sim, "%s is told of %s %" PRIu64 ", and was no member",
             told->to->name, sim_conv((uint32_t)told->conv), live->message.seq);
  check_body(told, &live->text);
}

static void check_rows(sim_told *told, const sn_changes *changes) {
  for (size_t i = 0; i < changes->count; i++) {
    const sn_row *row = &changes->rows[i];

    told->conv = sim_conv_of(row->id);
    if (told->conv < 0) continue;
    check_word(told, &row->snapshot.word);
    for (size_t k = 0; k < row->snapshot.roster_count; k++)
      check_reader(told, row->snapshot.roster[k].user,
                   row->snapshot.roster[k].read_seq);
  }
}

static void check_ack(sim_told *told, const sn_ack *ack) {
  for (size_t i = 0; i < ack->count; i++) {
    told->conv = sim_conv_of(ack->items[i].conv);
    if (ack->items[i].has_word) check_word(told, &ack->items[i].word);
  }
}

/* Whether others may know that somebody has read it (P9, S7). */
static bool may_know(const sim_member *member, uint64_t seq) {
  for (size_t i = 0; i < member->secret_count; i++)
    if (seq > member->secrets[i].above && seq <= member->secrets[i].to &&
        member->secrets[i].to != SEEN_SEQ_MAX)
      return false;
  return member->receipt >= seq;
}

/* R2: no more readers than reported it, no larger an audience than were there:
 * besides people with devices there is a moderator. */
static void check_counts(const sim_told *told, const seen_receipt_row *row) {
  const sim_facts *facts = facts_of(told);
  uint64_t read = 0, audience = 1;

  for (uint32_t user = 0; user < told->sim->plan.users; user++) {
    if (facts->list[row->seq].from == (int)user) continue;
    read += may_know(&facts->members[user], row->seq);
    audience += facts_member_at(facts, user, row->seq);
  }
  if (row->read > row->audience || row->read > read || row->audience > audience)
    sim_fail(told->sim,
             "R2: %s is told that %s %" PRIu64 " was read by %" PRIu64
             " of %" PRIu64 ", and it is by %" PRIu64 " of %" PRIu64 " at most",
             told->to->name, sim_conv((uint32_t)told->conv), row->seq,
             row->read, row->audience, read, audience);
}

/* R4: whether somebody may know who read a message. */
static bool may_ask(const sim_told *told, uint64_t seq) {
  uint32_t user = told->to->user;

  return facts_of(told)->list[seq].from == (int)user || user == 0 ||
         (told->sim->plan.admins >> user & 1) != 0;
}

/* The conversation and seq of a path; 0: it names none. */
static uint64_t asked_seq(sim_told *told, const char *path) {
  const char *at = strstr(path, "messages/");
  const char *seq = strstr(path, "%3A");

  told->conv = at == NULL ? -1 : sim_conv_of(at + strlen("messages/"));
  return seq == NULL ? 0 : strtoull(seq + 3, NULL, 10);
}

static void check_receipts(const sim_told *told,
                           const seen_receipt_rows *rows) {
  for (size_t i = 0; i < rows->count; i++) {
    uint64_t seq = rows->rows[i].seq;

    check_counts(told, &rows->rows[i]);
    if (!may_ask(told, seq))
      sim_fail(told->sim, "R4: %s is told who read what others sent",
               told->to->name);
  }
}

static void check_frame(sim_told *told, const sn_frame *frame) {
  switch (frame->type) {
  case SN_FRAME_CHANGES: check_rows(told, &frame->u.changes); break;
  case SN_FRAME_POSITION: check_word(told, &frame->u.position); break;
  case SN_FRAME_ACK: check_ack(told, &frame->u.ack); break;
  case SN_FRAME_MESSAGE: check_live(told, &frame->u.message); break;
  case SN_FRAME_PAGE:
    for (size_t i = 0; i < frame->u.page.count && told->conv >= 0; i++)
      check_body(told, &frame->u.page.messages[i]);
    break;
  case SN_FRAME_PEER:
    for (size_t i = 0; i < frame->u.peer.count && told->conv >= 0; i++)
      check_reader(told, frame->u.peer.items[i].user,
                   frame->u.peer.items[i].read_seq);
    break;
  case SN_FRAME_RECEIPTS:
    if (told->conv >= 0) check_receipts(told, &frame->u.receipts);
    break;
  default: break;
  }
}

sn_frame_type privacy_frame(sim_world *sim, const sim_link *link,
                            const char *text, size_t length) {
  sim_told told = {sim, &sim->devices[link->device], link, -1};
  const sn_frame *frame;

  if (sn_frame_read(&sim->reader, text, length, &frame, NULL) != SEEN_OK) {
    sim_fail(sim, "the server says what can't be read: %.200s", text);
    return SN_FRAME_UNKNOWN;
  }
  if (frame->conv != NULL) told.conv = sim_conv_of(frame->conv);
  check_frame(&told, frame);
  return frame->type;
}

static void check_audience(sim_told *told, const char *path,
                           const sn_audience *audience) {
  uint64_t seq = asked_seq(told, path);

  if (told->conv < 0) return;
  if (!may_ask(told, seq))
    sim_fail(told->sim, "R4: %s is told who read what others sent",
             told->to->name);
  for (size_t i = 0; i < audience->count; i++) {
    int user = sim_user_of(audience->users[i]);

    if (user < 0 || (uint32_t)user == told->to->user) continue;
    if (is_off(told, (uint32_t)user) ||
        (strstr(path, "status=read") != NULL &&
         !may_know(&facts_of(told)->members[user], seq)))
      sim_fail(told->sim, "S7: %s finds %s among the readers", told->to->name,
               audience->users[i]);
  }
}

void privacy_answer(sim_world *sim, const sim_device *to, const char *path,
                    const char *body, size_t length) {
  sim_told told = {sim, to, NULL, -1};
  const sn_frame *frame;
  const sn_audience *audience;

  if (strstr(path, "/read-receipts") == NULL) {
    if (sn_frame_read(&sim->reader, body, length, &frame, NULL) == SEEN_OK)
      check_frame(&told, frame);
    return;
  }
  if (sn_audience_read(&sim->reader, body, length, &audience, NULL) == SEEN_OK)
    check_audience(&told, path, audience);
}

/* How far somebody reported, also in this turn. */
static int note_receipt(void *user_data, const stored_membership *found) {
  sim_switch *to = user_data;
  int conv = sim_conv_of(found->member.conv);

  if (conv >= 0 && sim_user_of(found->member.user) == (int)to->user &&
      found->member.receipt > to->receipt[conv])
    to->receipt[conv] = found->member.receipt;
  return SEEN_OK;
}

static void note_switch(sim_world *sim, uint32_t user, bool on) {
  const storage *disk = &sim->disk.inner;
  sim_switch *to = &sim->switches[sim->switch_count];
  stored_conversation found;

  if (sim->switch_count == SIM_SWITCHES_MAX) {
    sim_fail(sim, "more switches than a turn has room for");
    return;
  }
  sim->switch_count++;
  *to = (sim_switch){.user = user, .on = on};
  for (uint32_t i = 0; i < sim->plan.convs; i++) {
    to->receipt[i] = sim->facts[i].members[user].receipt;
    if (disk->get_conversation(disk->self, sim_conv(i), &found) == SEEN_OK)
      to->last[i] = found.last_seq;
    disk->each_member(disk->self, sim_conv(i), to, note_receipt);
  }
}

/* As of the last switch, committed or not. */
static bool is_on(const sim_world *sim, uint32_t user) {
  for (size_t i = sim->switch_count; i-- > 0;)
    if (sim->switches[i].user == user) return sim->switches[i].on;
  return sim->receipts_on[user];
}

void privacy_switches(sim_world *sim) {
  const storage *disk = &sim->disk.inner;
  stored_user found;

  for (uint32_t user = 0; sim->switching && user < sim->plan.users; user++) {
    bool on = disk->get_user(disk->self, sim_user(user), &found) != SEEN_OK ||
              found.receipts;

    if (on != is_on(sim, user)) note_switch(sim, user, on);
  }
  sim->switching = false;
}

/* What they read from here on, or up to here, nobody else is to learn. */
static void follow(sim_world *sim, const sim_switch *to) {
  for (uint32_t i = 0; i < sim->plan.convs; i++) {
    sim_member *member = &sim->facts[i].members[to->user];
    size_t count = member->secret_count;

    if (to->on && count > 0)
      member->secrets[count - 1].to = to->last[i];
    else if (!to->on && count < SIM_PERIODS_MAX)
      member->secrets[member->secret_count++] =
          (sim_secret){to->receipt[i], SEEN_SEQ_MAX};
  }
  if (!to->on) sim->receipts_off_at[to->user] = sim->now;
  sim->receipts_on[to->user] = to->on;
  sim->receipts_changed = true;
}

void privacy_turn(sim_world *sim, bool committed) {
  for (size_t i = 0; committed && i < sim->switch_count; i++)
    follow(sim, &sim->switches[i]);
  sim->switch_count = 0;
}

void privacy_restored(sim_world *sim) {
  const storage *disk = &sim->disk.inner;
  stored_user found;

  sim->switch_count = 0;
  for (uint32_t user = 0; user < sim->plan.users; user++) {
    sim->receipts_on[user] = true;
    if (disk->get_user(disk->self, sim_user(user), &found) != SEEN_OK ||
        found.receipts)
      continue;
    note_switch(sim, user, false);
    privacy_turn(sim, true);
  }
}
