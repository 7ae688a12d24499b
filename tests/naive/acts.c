/* What happens in the naive world: the person, other people, other devices. */
#include "naive/truth.h"

#include <string.h>

static truth *any_truth(naive_world *world) {
  return &world->truths[world_below(world, world->truth_count)];
}

static void put_bare(naive_world *world, seen_input_type type, const char *id) {
  seen_input input = world_input(type, id);

  world_put(world, &input);
}

static void put_on(naive_world *world, seen_input_type type, const char *id,
                   bool on) {
  seen_input input = world_input(type, id);

  input.u.on = on;
  world_put(world, &input);
}

static void put_seq(naive_world *world, seen_input_type type, const char *id,
                    bool said, uint64_t seq) {
  seen_input input = world_input(type, id);

  input.u.seq = (seen_optional_seq){said, said ? seq : 0};
  world_put(world, &input);
}

/* Pushed late, twice, out of order, or lost. */
static void write_one(naive_world *world, truth *of) {
  static const uint64_t delays[] = {0, 5, 5, 30, 150};
  seen_input input = world_input(SEEN_INPUT_MESSAGE, of->id);

  if (of->last + 1 >= WORLD_SEQS) return;
  input.u.message = truth_write(world, of)->said;
  if (!of->member || world_chance(world, 8)) return;
  world_send(world, &input, delays[world_below(world, 5)]);
  if (world_chance(world, 8))
    world_send(world, &input, world_chance(world, 50) ? 20 : 300);
}

static void push(naive_world *world, truth *of) {
  static const uint64_t delays[] = {0, 10, 100, 700};
  seen_input input = world_input(SEEN_INPUT_POSITION, of->id);
  unsigned copies = world->versions && world_chance(world, 25) ? 2 : 1;

  truth_changed(world, of);
  if (!world->link) return;
  input.u.word = truth_word(world, of);
  for (; copies > 0; copies--)
    world_send(world, &input,
               world->versions ? delays[world_below(world, 4)] : 0);
}

static void other_device(naive_world *world, truth *of) {
  seen_position *read = &of->read;
  uint64_t roll = world_below(world, 10), low = truth_low(of);

  if (roll < 3 && read->seq > low) {
    read->high = read->high > read->seq ? read->high : read->seq;
    read->epoch++;
    read->seq = world_between(world, read->seq > low + 6 ? read->seq - 6 : low,
                              read->seq - 1);
  } else if (roll < 4 && read->seq < of->last) {
    read->seq = of->last; /* all marked as read there */
  } else if (roll < 5) {
    for (uint64_t s = 1; s <= of->last; s++)
      of->messages[s].open = SEEN_MENTION_NONE;
  } else if (read->seq < of->last) {
    truth_report(of, read->epoch, world_between(world, read->seq + 1, of->last),
                 false);
  }
  push(world, of);
}

/* A takedown or an approval takes no seq (U4). */
static void correct(naive_world *world, truth *of) {
  for (int tries = 0; tries < 6 && of->last > 0; tries++) {
    uint64_t lo = of->last > 10 ? of->last - 9 : 1;
    truth_message *message = &of->messages[world_between(world, lo, of->last)];

    if (message->said.kind != SEEN_MESSAGE_TEXT || message->recalled) continue;
    message->down = !message->down;
    push(world, of);
    return;
  }
}

static void purge(naive_world *world, truth *of) {
  uint64_t upto = of->last > 8 ? world_between(world, 1, of->last / 2) : 0;

  if (upto <= of->floor) return;
  of->floor = upto;
  push(world, of);
}

void world_rows(naive_world *world) {
  for (size_t i = 0; i < world->truth_count; i++) {
    seen_input input;

    if (!world->truths[i].member) continue;
    input = truth_row(world, &world->truths[i], false);
    world_put(world, &input);
  }
}

void world_toggle_link(naive_world *world) {
  bool first = world_chance(world, 50);

  world->link = !world->link;
  if (!world->link) {
    world->link_number++;
    put_on(world, SEEN_INPUT_LINK, NULL, false);
    return;
  }
  for (size_t i = 0; i < world->truth_count; i++)
    if (world->truths[i].member && world_chance(world, 40))
      correct(world, &world->truths[i]);
  if (first) world_rows(world);
  put_on(world, SEEN_INPUT_LINK, NULL, true);
  if (!first && world_chance(world, 80)) world_rows(world);
}

/* With its connection goes what is on the way; `act` is done meanwhile. */
static void reconnect(naive_world *world, seen_input_type act, const char *id) {
  put_on(world, SEEN_INPUT_LINK, NULL, false);
  world->link_number++;
  if (act != SEEN_INPUT_TICK) put_seq(world, act, id, false, 0);
  put_on(world, SEEN_INPUT_LINK, NULL, true);
  world_rows(world);
}

/* P5 */
static void leave_or_join(naive_world *world, truth *of) {
  seen_input input;

  if (!world->link) return;
  for (size_t i = 0; i < world->truth_count; i++)
    if (!world->truths[i].member && world_chance(world, 80))
      of = &world->truths[i];
  if (of->member) {
    of->member = false;
    reconnect(world, SEEN_INPUT_TICK, NULL);
    put_seq(world, SEEN_INPUT_LEFT, of->id, world_chance(world, 50), of->last);
    if (world->open == of->id) world->open = NULL;
    return;
  }
  of->member = true;
  of->read = (seen_position){of->read.epoch + 1, of->last, of->last};
  of->join = of->last + 1;
  of->delivered = of->last;
  of->took_count = 0;
  truth_changed(world, of);
  input = truth_row(world, of, false);
  world_put(world, &input);
}

/* What another incarnation says first. */
static void announce_reset(naive_world *world) {
  put_bare(world, SEEN_INPUT_SERVER_RESET, NULL);
  if (world_chance(world, 30)) /* the person goes on meanwhile */
    put_seq(world, SEEN_INPUT_MARK_READ, any_truth(world)->id, false, 0);
  world_rows(world);
  put_bare(world, SEEN_INPUT_SNAPSHOT_END, NULL);
  world->reset_at = world->now;
}

static void restart(naive_world *world) {
  if (world_chance(world, 50)) { /* all is written */
    world->now += 250;
    put_bare(world, SEEN_INPUT_TICK, NULL);
  }
  world->link_number++;
  world_put(world, &(seen_input){0});
  world->queue[world->queue_count - 1].deed = NAIVE_RESTART;
  world->open = NULL;
  world->link = false;
  if (world_chance(world, 50)) world->now += 500;
  world_toggle_link(world);
  /* That the server is another one may not have been written either. */
  if (world->reset_at > 0 && world->now < world->reset_at + 1000)
    announce_reset(world);
}

static void move(naive_world *world) {
  world_put(world, &(seen_input){0});
  world->queue[world->queue_count - 1].deed = NAIVE_MOVE;
}

/* The server comes back from an older backup (S2). */
static void restore_backup(naive_world *world, truth *of) {
  uint64_t lost = world_below(world, 4);

  of->took_count = 0;
  of->lost = false;
  if (!of->member || of->last <= 3 || world_chance(world, 50)) return;
  for (; lost > 0; lost--) {
    const seen_message *gone = &of->messages[of->last].said;

    if (gone->kind == SEEN_MESSAGE_RECALL)
      of->messages[gone->target].recalled = false;
    memset(&of->messages[of->last--], 0, sizeof *of->messages);
  }
  if (of->join > of->last + 1) of->join = of->last + 1;
  if (of->floor > of->last) of->floor = of->last;
  if (of->read.epoch > 0 && world_chance(world, 50)) of->read.epoch--;
  of->read.seq = world_between(
      world, 0, of->read.seq < of->last ? of->read.seq : of->last);
  of->read.high = of->read.epoch > 0 ? of->last : 0;
  if (of->delivered > of->last) of->delivered = of->last;
}

static void reset(naive_world *world) {
  if (!world->link) return;
  world->link_number++;
  for (size_t i = 0; i < world->truth_count; i++) {
    restore_backup(world, &world->truths[i]);
    truth_changed(world, &world->truths[i]);
  }
  announce_reset(world);
}

/* S4, P8: the server lost a position, or an epoch, that it acknowledged. */
static void lose(naive_world *world, truth *of) {
  seen_position *read = &of->read;
  static const seen_input_type acts[] = {SEEN_INPUT_TICK, SEEN_INPUT_MARK_READ,
                                         SEEN_INPUT_MARK_UNREAD};

  if (!world->link || !of->member || read->seq <= truth_low(of)) return;
  of->lost = true;
  read->seq = world_between(world, truth_low(of), read->seq - 1);
  if (read->epoch > 0 && world_chance(world, 60)) {
    read->epoch--;
    of->took_count = 0;
  }
  truth_changed(world, of);
  reconnect(world, acts[world_below(world, 3)], of->id);
}

/* U7 */
static void find(naive_world *world, const naive *model, truth *of) {
  seen_input input = world_input(SEEN_INPUT_FOUND, of->id);
  seen_state state;

  if (!naive_state(model, of->id, &state) || state.last_seq == 0) return;
  of->found = true;
  input.u.found.seq = world_between(
      world, state.last_seq > 8 ? state.last_seq - 8 : 1, state.last_seq);
  if (world_chance(world, 50))
    input.u.found.uncountable = true;
  else
    input.u.found.mention = SEEN_MENTION_ME;
  world_put(world, &input);
}

static void people_move(naive_world *world, truth *of) {
  size_t who = (size_t)world_between(world, 2, WORLD_PEOPLE - 1);
  seen_input input = world_input(SEEN_INPUT_MEMBERS, of->id);
  seen_membership *one = world_allocate(world, 1, sizeof *one);
  uint64_t seq = of->last > world->moved ? of->last : world->moved;

  *one = (seen_membership){world_people[who], seq + of->out[who], false};
  if (of->last == 0 || of->kind == SEEN_KIND_DIRECT) return;
  input.u.members = of->out[who] ? (seen_members){one, 1, NULL, 0}
                                 : (seen_members){NULL, 0, one, 1};
  of->out[who] = !of->out[who];
  world->moved = seq + 1;
  world_put(world, &input);
}

static void people_read(naive_world *world, truth *of) {
  seen_input input = world_input(SEEN_INPUT_PEER, of->id);
  seen_receipt_row *row;

  if (of->last == 0) return;
  if (of->kind != SEEN_KIND_DIRECT && world_chance(world, 30)) {
    row = world_allocate(world, 1, sizeof *row);
    *row = (seen_receipt_row){world_between(world, 1, of->last),
                              world_below(world, 4), 3, world_below(world, 4)};
    input.type = SEEN_INPUT_RECEIPTS;
    input.u.receipts = (seen_receipt_rows){row, 1};
  } else {
    input.u.peer.user = world_people[world_between(
        world, 1, of->kind == SEEN_KIND_DIRECT ? 1 : WORLD_PEOPLE - 1)];
    input.u.peer.read_seq = world_between(world, 0, of->last);
    input.u.peer.delivered_seq = world_between(world, 0, of->last);
  }
  world_put(world, &input);
}

static void open_or_close(naive_world *world, const naive *model, truth *of) {
  seen_state state;
  seen_input input;

  if (world->open != NULL) {
    put_bare(world, SEEN_INPUT_CLOSE, world->open);
    world->open = NULL;
    return;
  }
  put_bare(world, SEEN_INPUT_OPEN, of->id);
  world->open = of->id;
  if (!naive_state(model, of->id, &state) || !world_chance(world, 70)) return;
  input = world_input(SEEN_INPUT_VISIBLE, of->id); /* at the divider */
  input.u.range.lo = state.first_unread > 2 ? state.first_unread - 2 : 1;
  input.u.range.hi = input.u.range.lo + world_between(world, 1, 8);
  world_put(world, &input);
}

static void scroll(naive_world *world, const naive *model) {
  seen_state state;
  seen_input input;

  if (world->open == NULL || !naive_state(model, world->open, &state) ||
      state.last_seq == 0)
    return;
  input = world_input(SEEN_INPUT_VISIBLE, world->open);
  if (!world_chance(world, 4)) {
    input.u.range.lo = world_between(
        world, state.last_seq > 12 ? state.last_seq - 12 : 1, state.last_seq);
    input.u.range.hi = input.u.range.lo + world_below(world, 7);
  }
  world_put(world, &input);
}

/* Sometimes a burst over several conversations. */
static void mark_read(naive_world *world, truth *of) {
  uint64_t more = world_chance(world, 30) ? world_between(world, 2, 5) : 1;
  static const uint64_t pauses[] = {0, 10, 100, 300, 450};

  for (; more > 0; more--) {
    put_seq(world, SEEN_INPUT_MARK_READ, of->id, world_chance(world, 60),
            world_between(world, 0, of->last + 2));
    world->now += pauses[world_below(world, 5)];
    of = any_truth(world);
  }
}

/* Sometimes another device is faster, or it is read again at once. */
static void mark_unread(naive_world *world, const naive *model, truth *of) {
  static const uint64_t pauses[] = {0, 0, 10, 40, 300};
  seen_state state;
  bool said = world_chance(world, 60) && naive_state(model, of->id, &state) &&
              state.read_seq > 0;
  uint64_t lo = said && state.read_seq > 6 ? state.read_seq - 6 : 0;

  if (world->link && of->member && world_chance(world, 30))
    other_device(world, of);
  put_seq(world, SEEN_INPUT_MARK_UNREAD, of->id, said,
          said ? world_between(world, lo, state.read_seq) : 0);
  if (!world_chance(world, 40) || of->last == 0) return;
  world->now += pauses[world_below(world, 5)];
  put_seq(world, SEEN_INPUT_MARK_READ, of->id, true,
          world_between(world, 1, of->last));
}

static void set_row(naive_world *world, truth *of) {
  seen_input input = world_input(SEEN_INPUT_SET, of->id);

  if (!world->link || world_chance(world, 70)) {
    for (uint64_t n = world_between(world, 1, 2); n > 0; n--)
      put_on(world, world_chance(world, 50) ? SEEN_INPUT_MUTE : SEEN_INPUT_PIN,
             of->id, world_chance(world, 50));
    return;
  }
  of->muted = !of->muted; /* on another device */
  truth_changed(world, of);
  input.u.settings = (seen_settings){true, of->muted, false, false};
  world_put(world, &input);
}

static void person_acts(naive_world *world, const naive *model, truth *of) {
  uint64_t roll = world_below(world, 100);

  if (roll < 20)
    open_or_close(world, model, of);
  else if (roll < 52)
    scroll(world, model);
  else if (roll < 62)
    mark_read(world, of);
  else if (roll < 72)
    mark_unread(world, model, of);
  else if (roll < 76)
    put_bare(world, SEEN_INPUT_READ_ALL, NULL);
  else if (roll < 79)
    put_bare(world, SEEN_INPUT_CLEAR_MENTIONS, of->id);
  else if (roll < 84)
    set_row(world, of);
  else if (roll < 87)
    put_bare(world,
             world_chance(world, 50) ? SEEN_INPUT_FLUSH : SEEN_INPUT_REPORT_NOW,
             NULL);
  else if (roll < 93)
    put_on(world, SEEN_INPUT_FOCUS, NULL, world_chance(world, 70));
  else
    put_on(world, SEEN_INPUT_APP, NULL, world_chance(world, 70));
}

static void something_rare(naive_world *world, truth *of) {
  switch (world_below(world, 11)) {
  case 0: purge(world, of); break;
  case 1:
  case 2: leave_or_join(world, of); break;
  case 3:
  case 4: restart(world); break;
  case 5: reset(world); break;
  case 6: lose(world, of); break;
  case 7:
    if (world->open != of->id) put_bare(world, SEEN_INPUT_FORGET, of->id);
    break;
  case 8: move(world); break;
  case 9: put_bare(world, SEEN_INPUT_AUDIT, NULL); break;
  default: put_bare(world, SEEN_INPUT_TICK, NULL); break;
  }
}

void world_act(naive_world *world, const naive *model) {
  truth *of = any_truth(world);
  uint64_t roll = world_below(world, 100);

  if (world->link && of->member && world_chance(world, 3)) {
    seen_input row = truth_row(world, of, false);

    world_put(world, &row);
  }
  if (roll < 35) {
    for (uint64_t n = world_between(world, 1, 3); n > 0; n--)
      write_one(world, of);
  } else if (roll < 78) {
    person_acts(world, model, of);
  } else if (roll < 82) {
    world_toggle_link(world);
  } else if (roll < 87) {
    if (of->member && world->link) other_device(world, of);
  } else if (roll < 90) {
    if (of->member) correct(world, of);
  } else if (roll < 92) {
    find(world, model, of);
  } else if (roll < 93) {
    people_move(world, of);
  } else if (roll < 96) {
    people_read(world, of);
  } else {
    something_rare(world, of);
  }
}

/* The link is up, nothing is open, rows say all, and everything has time. */
void world_act_last(naive_world *world) {
  unsigned at = world->finishing++;

  world->now += 600;
  if (at == 1 && !world->link) world_toggle_link(world);
  if (world->open != NULL) put_bare(world, SEEN_INPUT_CLOSE, world->open);
  world->open = NULL;
  if (at == WORLD_LAST_ACTS / 2 || at == WORLD_LAST_ACTS) world_rows(world);
  put_bare(world, SEEN_INPUT_TICK, NULL);
}
