/* The server of the naive world: what it knows, says and answers. */
#include "naive/truth.h"

#include <stdio.h>
#include <string.h>

const char *const world_people[WORLD_PEOPLE] = {"u1", "u2", "u3", "u4"};

truth *truth_find(naive_world *world, const char *id) {
  for (size_t i = 0; i < world->truth_count; i++)
    if (strcmp(world->truths[i].id, id) == 0) return &world->truths[i];
  return NULL;
}

static bool counts(const seen_message *said) {
  if (said->countable != SEEN_COUNTABLE_BY_KIND)
    return said->countable == SEEN_COUNTABLE_YES;
  return said->kind == SEEN_MESSAGE_TEXT;
}

/* F3 */
bool truth_excluded(const truth *of, uint64_t seq) {
  const truth_message *message = &of->messages[seq];

  return message->recalled || message->down || message->said.hidden ||
         message->said.from == world_people[0] || !counts(&message->said);
}

uint64_t truth_low(const truth *of) {
  return of->floor > of->join - 1 ? of->floor : of->join - 1;
}

void truth_changed(naive_world *world, truth *of) {
  of->version = ++world->version;
}

/* M1: each seq is mentioned once. */
static void name(truth *of, uint64_t seq, seen_mention_why why) {
  if (of->messages[seq].named || why == SEEN_MENTION_NONE) return;
  of->messages[seq].named = true;
  of->messages[seq].open = why;
}

static seen_message_kind choose_kind(naive_world *world) {
  uint64_t roll = world_below(world, 100);

  if (roll < 8) return SEEN_MESSAGE_SYSTEM;
  if (roll < 18) return SEEN_MESSAGE_RECALL;
  if (roll < 25) return SEEN_MESSAGE_EDIT;
  return roll < 28 ? SEEN_MESSAGE_REACTION : SEEN_MESSAGE_TEXT;
}

/* A recall or an edit of one of the last few texts; else a notice. */
static void choose_target(naive_world *world, const truth *of,
                          seen_message *said) {
  uint64_t target = said->seq - world_between(world, 1, 8);

  if (target == 0 || target >= said->seq ||
      of->messages[target].said.kind != SEEN_MESSAGE_TEXT) {
    said->kind = SEEN_MESSAGE_SYSTEM;
    return;
  }
  said->target = target;
  if (world->mood != NAIVE_MOOD_HOSTILE)
    said->from = of->messages[target].said.from;
}

/* Somebody writes the next message. */
const truth_message *truth_write(naive_world *world, truth *of) {
  truth_message *message;
  seen_message *said;
  size_t people = of->kind == SEEN_KIND_DIRECT ? 2 : WORLD_PEOPLE;

  if (of->last + 1 >= WORLD_SEQS) return &of->messages[of->last];
  message = &of->messages[++of->last];
  said = &message->said;
  *said = (seen_message){.seq = of->last, .kind = choose_kind(world)};
  said->from = world_people[world_chance(world, 12)
                                ? 0
                                : world_between(world, 1, people - 1)];
  if (world->mood == NAIVE_MOOD_HOSTILE) /* who wrote a seq, nobody doubts */
    said->from = world_people[of->last % WORLD_PEOPLE];
  if (said->kind == SEEN_MESSAGE_RECALL || said->kind == SEEN_MESSAGE_EDIT)
    choose_target(world, of, said);
  if (said->kind == SEEN_MESSAGE_RECALL)
    of->messages[said->target].recalled = true;
  if (said->kind == SEEN_MESSAGE_EDIT && world_chance(world, 40) &&
      !of->messages[said->target].named && !truth_excluded(of, said->target))
    said->mention = SEEN_MENTION_ME;
  if (said->kind == SEEN_MESSAGE_TEXT && world_chance(world, 5))
    said->countable = SEEN_COUNTABLE_NO;
  said->hidden = said->kind == SEEN_MESSAGE_TEXT && world_chance(world, 4);
  if (said->kind == SEEN_MESSAGE_TEXT && said->from != world_people[0] &&
      world_chance(world, 20))
    said->mention = (seen_mention_why)world_between(world, 1, 3);
  name(of, said->kind == SEEN_MESSAGE_EDIT ? said->target : said->seq,
       said->mention);
  if (world_chance(world, 30)) said->sent_at = 1000000 + world->now;
  if (counts(said) && of->updated_at < said->sent_at)
    of->updated_at = said->sent_at;
  truth_changed(world, of);
  return message;
}

/* P2, M3 */
void truth_report(truth *of, uint64_t epoch, uint64_t seq, bool keep) {
  uint64_t before = of->read.seq;

  if (epoch > of->read.epoch ||
      (epoch < of->read.epoch && seq <= of->read.high))
    return;
  if (seq > before) of->read.seq = seq;
  for (uint64_t s = before + 1; s <= of->read.seq && !keep; s++)
    of->messages[s].open = SEEN_MENTION_NONE;
}

/* Where the list begins: a block with a number, or more than asked for. */
static void choose_from(naive_world *world, const truth *of, seen_word *word) {
  uint64_t base = of->read.seq > truth_low(of) ? of->read.seq : truth_low(of);
  uint64_t roll = world_below(world, 100);

  word->from = base;
  if (world->finishing > 0) return;
  if (roll < 12 && of->last > base + 2) {
    word->from = world_between(world, base + 1, of->last - 1);
    word->fields |= SEEN_WORD_FROM | SEEN_WORD_COUNTED;
    for (uint64_t s = base + 1; s <= word->from; s++)
      word->counted += truth_excluded(of, s);
  } else if (roll < 70 && base > truth_low(of)) {
    word->from = world_between(
        world, base > 32 + truth_low(of) ? base - 32 : truth_low(of), base);
    word->fields |= SEEN_WORD_FROM;
  } else if (roll > 97) {
    word->fields |= SEEN_WORD_UNCOUNTABLE_UNKNOWN;
  }
}

static void list_uncountable(naive_world *world, const truth *of,
                             seen_word *word) {
  seen_run *runs = world_allocate(world, of->last + 1, sizeof *runs);
  size_t count = 0;

  if (word->fields & SEEN_WORD_UNCOUNTABLE_UNKNOWN) return;
  for (uint64_t s = word->from + 1; s <= of->last; s++) {
    if (!truth_excluded(of, s)) continue;
    if (count > 0 && runs[count - 1].hi == s - 1)
      runs[count - 1].hi = s;
    else
      runs[count++] = (seen_run){s, s};
  }
  word->uncountable = runs;
  word->uncountable_count = count;
}

static void list_mentions(naive_world *world, const truth *of,
                          seen_word *word) {
  seen_mention *mentions =
      world_allocate(world, of->last + 1, sizeof *mentions);

  for (uint64_t s = truth_low(of) + 1; s <= of->last; s++)
    if (of->messages[s].open != SEEN_MENTION_NONE && !truth_excluded(of, s))
      mentions[word->mention_count++] = (seen_mention){s, of->messages[s].open};
  word->mentions = mentions;
}

/* U2: position and tally as they are now. */
seen_word truth_word(naive_world *world, const truth *of) {
  seen_word word;
  uint64_t base = of->read.seq > truth_low(of) ? of->read.seq : truth_low(of);

  memset(&word, 0, sizeof word);
  word.read = of->read;
  word.last_seq = of->last;
  choose_from(world, of, &word);
  list_uncountable(world, of, &word);
  list_mentions(world, of, &word);
  if (of->floor > 0 || !world->versions || world_chance(world, 20)) {
    word.fields |= SEEN_WORD_FLOOR;
    word.floor = of->floor;
  }
  if (world->versions) word.version = of->version;
  if (world_chance(world, 30)) {
    word.fields |= SEEN_WORD_UNREAD;
    for (uint64_t s = base + 1; s <= of->last; s++)
      word.unread += !truth_excluded(of, s);
  }
  return word;
}

seen_input truth_row(naive_world *world, const truth *of, bool roster) {
  seen_input input = world_input(SEEN_INPUT_CONVERSATION, of->id);
  seen_snapshot *row = &input.u.snapshot;

  row->kind = of->kind;
  row->word = truth_word(world, of);
  row->fields = SEEN_SNAPSHOT_MUTED | SEEN_SNAPSHOT_PINNED |
                SEEN_SNAPSHOT_UPDATED_AT | SEEN_SNAPSHOT_JOIN_SEQ |
                SEEN_SNAPSHOT_DELIVERED_SEQ;
  row->muted = of->muted;
  row->pinned = of->pinned;
  row->updated_at = of->updated_at;
  row->join_seq = of->join;
  row->delivered_seq = of->delivered;
  if (roster && of->kind == SEEN_KIND_GROUP) {
    seen_member *members =
        world_allocate(world, WORLD_PEOPLE + 1, sizeof *members);

    for (size_t i = 0; i < WORLD_PEOPLE; i++)
      members[i] = (seen_member){.user = world_people[i], .join_seq = 1};
    members[WORLD_PEOPLE] =
        (seen_member){.user = "bot", .join_seq = 1, .bot = true};
    row->fields |= SEEN_SNAPSHOT_ROSTER;
    row->roster = members;
    row->roster_count = WORLD_PEOPLE + 1;
  }
  return input;
}

/* An answer comes late, sometimes twice, and only while the link lives. */
static void answer(naive_world *world, const event *to, seen_input *input) {
  static const uint64_t delays[] = {5, 30, 100, 400};

  if (!world->link || to->link != world->link_number) return;
  world_send(world, input, delays[world_below(world, 4)]);
  if (input->type == SEEN_INPUT_ACK && world_chance(world, 10))
    world_send(world, input, world_chance(world, 50) ? 200 : 900);
}

static seen_input an_answer(naive_world *world, const truth *of,
                            seen_input_type type, seen_request to) {
  seen_input input = world_input(type, of->id);

  input.u.answer.of = to;
  input.u.answer.has_word = true;
  input.u.answer.word = truth_word(world, of);
  return input;
}

static void refuse(naive_world *world, const event *heard, const truth *of,
                   seen_request to, seen_refusal why) {
  seen_input input = an_answer(world, of, SEEN_INPUT_REFUSE, to);

  input.u.answer.refusal = why;
  if (why == SEEN_REFUSAL_NOT_MEMBER) input.u.answer.has_word = false;
  if (why == SEEN_REFUSAL_RATE_LIMITED) {
    input.u.answer.has_word = world_chance(world, 50);
    if (world_chance(world, 70))
      input.u.answer.retry_ms = world_chance(world, 50) ? 700 : 2000;
  }
  if (!input.u.answer.has_word)
    memset(&input.u.answer.word, 0, sizeof input.u.answer.word);
  answer(world, heard, &input);
}

static void hear_report(naive_world *world, const event *heard, truth *of) {
  const naive_output *sent = &heard->output;
  seen_input input;

  if (sent->epoch > of->read.epoch) {
    refuse(world, heard, of, SEEN_REQUEST_REPORT, SEEN_REFUSAL_EPOCH_AHEAD);
    return;
  }
  if (sent->seq > of->last) {
    refuse(world, heard, of, SEEN_REQUEST_REPORT,
           SEEN_REFUSAL_SEQ_OUT_OF_RANGE);
    return;
  }
  truth_report(of, sent->epoch, sent->seq, sent->keep);
  for (size_t i = 0; i < sent->cleared_count; i++)
    if (sent->cleared[i] <= of->last)
      of->messages[sent->cleared[i]].open = SEEN_MENTION_NONE;
  truth_changed(world, of);
  input = an_answer(world, of, SEEN_INPUT_ACK, SEEN_REQUEST_REPORT);
  answer(world, heard, &input);
}

static bool took(const truth *of, const naive_output *sent) {
  for (size_t i = 0; i < of->took_count; i++)
    if (of->took[i].expected_epoch == sent->epoch &&
        of->took[i].expected_seq == sent->seq &&
        of->took[i].target == sent->target)
      return true;
  return false;
}

/* P4: the same mark again gets the same answer. */
static void hear_mark(naive_world *world, const event *heard, truth *of) {
  const naive_output *sent = &heard->output;
  seen_position *read = &of->read;
  seen_input input;

  if (!took(of, sent)) {
    if (sent->epoch > read->epoch || sent->seq > of->last) {
      refuse(world, heard, of, SEEN_REQUEST_MARK_UNREAD,
             sent->epoch > read->epoch ? SEEN_REFUSAL_EPOCH_AHEAD
                                       : SEEN_REFUSAL_SEQ_OUT_OF_RANGE);
      return;
    }
    truth_report(of, sent->epoch, sent->seq, true);
    truth_changed(world, of);
    if (read->epoch != sent->epoch || read->seq != sent->seq ||
        of->took_count == WORLD_MARKS) {
      refuse(world, heard, of, SEEN_REQUEST_MARK_UNREAD, SEEN_REFUSAL_CONFLICT);
      return;
    }
    read->high = read->high > read->seq ? read->high : read->seq;
    read->epoch++;
    read->seq = sent->target;
    of->took[of->took_count++] =
        (seen_mark){sent->epoch, sent->seq, sent->target, 0};
  }
  input = an_answer(world, of, SEEN_INPUT_ACK, SEEN_REQUEST_MARK_UNREAD);
  answer(world, heard, &input);
}

/* V11, M3: clears none. */
static void hear_read_all(naive_world *world, const event *heard) {
  for (size_t i = 0; i < world->truth_count; i++) {
    truth *of = &world->truths[i];
    seen_input input;

    if (!of->member) continue;
    truth_report(of, of->read.epoch, of->last, true);
    truth_changed(world, of);
    input = an_answer(world, of, SEEN_INPUT_ACK, SEEN_REQUEST_READ_ALL);
    answer(world, heard, &input);
  }
}

static void hear_setting(naive_world *world, const event *heard, truth *of) {
  seen_input input = world_input(SEEN_INPUT_SET, of->id);
  seen_settings *settings = &input.u.settings;

  if (heard->output.type == SEEN_EFFECT_MUTE) {
    settings->has_muted = true;
    settings->muted = of->muted = heard->output.on;
  } else {
    settings->has_pinned = true;
    settings->pinned = of->pinned = heard->output.on;
  }
  answer(world, heard, &input);
}

/* An output of the client reached the server. */
void truth_hear(naive_world *world, const event *heard) {
  const naive_output *sent = &heard->output;
  truth *of = truth_find(world, sent->id);
  bool is_mark = sent->type == SEEN_EFFECT_MARK_UNREAD;

  if (sent->type == SEEN_EFFECT_READ_ALL) hear_read_all(world, heard);
  if (of == NULL) return;
  if (is_mark || sent->type == SEEN_EFFECT_REPORT) {
    seen_request request =
        is_mark ? SEEN_REQUEST_MARK_UNREAD : SEEN_REQUEST_REPORT;

    if (!of->member)
      refuse(world, heard, of, request, SEEN_REFUSAL_NOT_MEMBER);
    else if (world->finishing == 0 && world_chance(world, 6))
      refuse(world, heard, of, request, SEEN_REFUSAL_RATE_LIMITED);
    else if (is_mark)
      hear_mark(world, heard, of);
    else
      hear_report(world, heard, of);
  } else if (sent->type == SEEN_EFFECT_DELIVERED) {
    if (of->delivered < sent->seq) of->delivered = sent->seq;
  } else if (sent->type == SEEN_EFFECT_FETCH) {
    if (of->member && world->link)
      world_later(world, EVENT_ROW, 20)->truth = of;
  } else if (sent->type == SEEN_EFFECT_MUTE || sent->type == SEEN_EFFECT_PIN) {
    hear_setting(world, heard, of);
  }
}

/* One conversation at the end: what the client shows is what is so. */
static const char *untrue(const truth *of, const naive *model) {
  uint64_t unread = 0, mentions = 0, low = truth_low(of);
  seen_state state;

  if (of->lost) return NULL;
  if (!naive_state(model, of->id, &state)) return "no row";
  for (uint64_t s = low + 1; s <= of->last; s++) {
    if (truth_excluded(of, s)) continue;
    unread += s > of->read.seq;
    mentions += of->messages[s].open != SEEN_MENTION_NONE;
  }
  if (state.server_read.epoch != of->read.epoch ||
      state.server_read.seq != of->read.seq || state.read_seq != of->read.seq)
    return "position";
  if (state.pending) return "pending";
  if (state.muted != of->muted || state.pinned != of->pinned) return "setting";
  if (of->found) return NULL;
  if (state.unread != unread || !state.exact) return "unread";
  return state.mentions != mentions ? "mentions" : NULL;
}

bool naive_world_untrue(const naive_world *world, const naive *model, char *why,
                        size_t size) {
  for (size_t i = 0; i < world->truth_count; i++) {
    const truth *of = &world->truths[i];
    const char *what = of->member ? untrue(of, model) : NULL;

    if (what == NULL) continue;
    snprintf(why, size, "%s: %s is not the server's in the end", of->id, what);
    return true;
  }
  return false;
}
