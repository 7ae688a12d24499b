/*
 * U1–U6. Everything is counted from positions and runs each time; nothing is
 * stepped up or down.
 */
#include "engine/tally.h"

#include "base/memory.h"
#include "engine/found.h"
#include "engine/gaps.h"
#include "engine/mentions.h"

static uint64_t uncountable_in(const sn_conv *conv, uint64_t lo, uint64_t hi) {
  const sn_facts *facts = conv->facts;
  if (!facts || lo > hi) return 0;
  uint64_t count = 0;
  if (facts->uncountable.count)
    count = sn_runs_count(&facts->uncountable, lo, hi);
  if (facts->found.count) count += sn_runs_count(&facts->found, lo, hi);
  return count;
}

/* How many of (lo, hi] are not known to be uncountable. */
static uint64_t countable_above(const sn_conv *conv, uint64_t lo, uint64_t hi) {
  return hi > lo ? hi - lo - uncountable_in(conv, lo + 1, hi) : 0;
}

/* Where a tally gives no list but a number: (tally_base, tally_from]. */
static bool has_block(const sn_conv *conv) {
  return conv->tally_from > conv->tally_base;
}

/* The block's part above the base: as few as possible do not count (U6). */
static uint64_t block_above(const sn_conv *conv, uint64_t base) {
  uint64_t from = conv->tally_from, lo = sn_max(base, conv->tally_base);
  if (from <= lo) return 0;
  uint64_t below = lo - conv->tally_base, counted = conv->tally_counted;
  uint64_t least = uncountable_in(conv, lo + 1, from);
  if (counted != SN_NOT_COUNTED && counted > below)
    least = sn_max(least, counted - below);
  return from - lo - sn_min(least, from - lo);
}

static uint64_t unread_above(const sn_conv *conv, uint64_t base) {
  if (conv->last_seq <= base) return 0;
  if (!has_block(conv) || base >= conv->tally_from)
    return countable_above(conv, base, conv->last_seq);
  return countable_above(conv, base, conv->tally_base) +
         block_above(conv, base) +
         countable_above(conv, conv->tally_from, conv->last_seq);
}

uint64_t sn_tally_unread(const sn_conv *conv) {
  return unread_above(conv, sn_conv_base(conv));
}

/* Whether something came live or was found that does not count there. */
static bool is_disturbed(const sn_conv *conv, uint64_t lo, uint64_t hi) {
  const sn_facts *facts = conv->facts;
  if (!uncountable_in(conv, lo, hi)) return false;
  if (sn_runs_count(&facts->found, lo, hi)) return true;
  for (size_t i = 0; i < facts->note_count; i++)
    if (facts->notes[i].mention == SEEN_MENTION_NONE &&
        facts->notes[i].target >= lo && facts->notes[i].target <= hi)
      return true;
  return false;
}

static bool block_is_certain(const sn_conv *conv, uint64_t base) {
  uint64_t counted = conv->tally_counted;
  if (base >= conv->tally_from) return true;
  if (base < conv->tally_base || counted == SN_NOT_COUNTED) return false;
  uint64_t length = has_block(conv) ? conv->tally_from - conv->tally_base : 0;
  if (counted == 0 || counted == length) return true;
  return base == conv->tally_base &&
         !is_disturbed(conv, base + 1, conv->tally_from);
}

sn_unread sn_tally_count(const sn_conv *conv) {
  uint64_t base = sn_conv_base(conv);
  uint64_t count = unread_above(conv, base);
  return (sn_unread){count, !count || (block_is_certain(conv, base) &&
                                       !sn_gaps_above(conv, base))};
}

bool sn_tally_said_uncountable(const sn_conv *conv, uint64_t seq) {
  return conv->facts && sn_runs_has(&conv->facts->uncountable, seq);
}

bool sn_tally_uncountable(const sn_conv *conv, uint64_t seq) {
  return sn_tally_said_uncountable(conv, seq) ||
         (conv->facts && sn_runs_has(&conv->facts->found, seq));
}

uint64_t sn_tally_next_countable(const sn_conv *conv, uint64_t seq) {
  sn_run run;
  if (!conv->facts) return seq;
  for (;;) {
    uint64_t start = seq;
    if (sn_runs_next(&conv->facts->uncountable, seq, &run) && run.lo <= seq)
      seq = run.hi + 1;
    if (sn_runs_next(&conv->facts->found, seq, &run) && run.lo <= seq)
      seq = run.hi + 1;
    if (seq == start) return seq;
  }
}

uint64_t sn_tally_previous_countable(const sn_conv *conv, uint64_t seq) {
  sn_run run;
  if (!conv->facts) return seq;
  for (;;) {
    uint64_t start = seq;
    if (seq && sn_runs_previous(&conv->facts->uncountable, seq, &run) &&
        run.hi >= seq)
      seq = run.lo ? run.lo - 1 : 0;
    if (seq && sn_runs_previous(&conv->facts->found, seq, &run) &&
        run.hi >= seq)
      seq = run.lo ? run.lo - 1 : 0;
    if (seq == start) return seq;
  }
}

uint64_t sn_tally_read_through(const sn_conv *conv, uint64_t seq) {
  if (seq >= conv->last_seq) return conv->last_seq;
  return sn_min(sn_tally_next_countable(conv, seq + 1) - 1, conv->last_seq);
}

uint64_t sn_tally_first_unread(const sn_conv *conv) {
  if (!conv->unread) return 0;
  uint64_t seq = sn_tally_next_countable(conv, sn_conv_base(conv) + 1);
  return seq <= conv->last_seq ? seq : 0;
}

bool sn_tally_is_newer(const sn_conv *conv, const seen_word *word) {
  return word->version != conv->tally_version
             ? word->version > conv->tally_version
             : word->last_seq >= conv->tally_last;
}

int sn_tally_reserve(const seen_allocator *memory, sn_conv *conv,
                     const seen_word *word) {
  size_t said = word->uncountable_count, named = word->mention_count;
  sn_facts *facts = conv->facts;
  if (!facts) return SEEN_OK;
  size_t notes = facts->note_count;
  if (sn_runs_reserve(memory, &facts->uncountable, said + notes + 2) ||
      sn_runs_reserve(memory, &facts->mentions, named + notes + 2) ||
      sn_runs_reserve(memory, &facts->live, 1) ||
      sn_found_reserve(memory, facts, said + notes) ||
      sn_gaps_reserve(memory, facts, 1))
    return SEEN_ENOMEM;
  return sn_mentions_reserve(memory, conv, named + notes, 0, said + notes);
}

/* live_to rises, on through what came above it. */
static void raise_live(sn_conv *conv, uint64_t seq) {
  sn_run run;
  if (conv->facts && conv->facts->live.count) {
    if (sn_runs_next(&conv->facts->live, seq + 1, &run) && run.lo <= seq + 1)
      seq = run.hi;
    sn_runs_remove(&conv->facts->live, 0, seq);
  }
  conv->live_to = seq;
}

void sn_tally_came(sn_conv *conv, uint64_t lo, uint64_t hi) {
  if (lo > conv->live_to + 1)
    sn_runs_put(&conv->facts->live, lo, hi, 0);
  else if (hi > conv->live_to)
    raise_live(conv, hi);
}

/* The tally covers what came up to `last`, and no longer what it did above. */
static void cover_live(sn_conv *conv, uint64_t last) {
  uint64_t covered = conv->tally_last, live_to = conv->live_to;
  if (last >= live_to) {
    raise_live(conv, last);
  } else if (last < covered) {
    conv->live_to = last;
    if (live_to > covered) sn_tally_came(conv, covered + 1, live_to);
  }
}

/* What the tally covers is dropped; what lies above it stays (U3). */
static void drop_covered(sn_conv *conv, uint64_t last) {
  sn_facts *facts = conv->facts;
  uint64_t covered = sn_max(conv->tally_last, last);
  size_t kept = 0;
  sn_runs_remove(&facts->uncountable, 0, covered);
  sn_runs_remove(&facts->mentions, 0, covered);
  for (size_t i = 0; i < facts->note_count; i++)
    if (facts->notes[i].seq > last) facts->notes[kept++] = facts->notes[i];
  facts->note_count = kept;
}

static void say_word(sn_facts *facts, const seen_word *word) {
  for (size_t i = 0; i < word->uncountable_count; i++) {
    seen_run run = word->uncountable[i];
    if (run.lo <= word->last_seq)
      sn_runs_put(&facts->uncountable, run.lo, sn_min(run.hi, word->last_seq),
                  0);
  }
  for (size_t i = 0; i < word->mention_count; i++) {
    seen_mention mention = word->mentions[i];
    if (mention.seq <= word->last_seq &&
        !sn_runs_has(&facts->mentions, mention.seq))
      sn_runs_put(&facts->mentions, mention.seq, mention.seq,
                  (uint32_t)mention.why);
  }
}

/* Effects of what lies above on what the tally covers (U3). */
static void say_notes(sn_facts *facts) {
  for (size_t i = 0; i < facts->note_count; i++) {
    seen_note note = facts->notes[i];
    if (note.mention == SEEN_MENTION_NONE)
      sn_runs_put(&facts->uncountable, note.target, note.target, 0);
    else if (!sn_runs_has(&facts->mentions, note.target))
      sn_runs_put(&facts->mentions, note.target, note.target,
                  (uint32_t)note.mention);
  }
}

static void set_block(sn_conv *conv, const seen_word *word) {
  uint64_t base = sn_max(word->read.seq, sn_conv_low(conv));
  uint64_t from = word->fields & SEEN_WORD_FROM ? word->from : base;
  uint64_t counted =
      word->fields & SEEN_WORD_COUNTED ? word->counted : SN_NOT_COUNTED;
  if (word->fields & SEEN_WORD_UNCOUNTABLE_UNKNOWN) {
    from = word->last_seq; /* U6: nothing is known */
    counted = SN_NOT_COUNTED;
  }
  from = sn_min(from, sn_max(base, word->last_seq));
  if (counted != SN_NOT_COUNTED)
    counted = from > base ? sn_min(counted, from - base) : 0;
  conv->tally_base = base;
  conv->tally_from = from;
  conv->tally_counted = from <= base ? 0 : counted;
}

/* U8: the client's recount of the server's own tally. */
static bool agrees(const sn_conv *conv, const seen_word *word) {
  if (!(word->fields & SEEN_WORD_UNREAD)) return true;
  if (conv->tally_counted == SN_NOT_COUNTED) return true;
  uint64_t base = conv->tally_base, last = conv->tally_last;
  uint64_t listed = 0, above = sn_max(base, conv->tally_from);
  if (conv->facts && last > above)
    listed = sn_runs_count(&conv->facts->uncountable, above + 1, last);
  uint64_t less = listed + conv->tally_counted;
  uint64_t count = last > base ? last - base : 0;
  return word->unread == (count > less ? count - less : 0);
}

bool sn_tally_take(sn_conv *conv, const seen_word *word, uint64_t now) {
  sn_facts *facts = conv->facts;
  uint64_t last = word->last_seq, old_last = conv->tally_last;
  bool sound;
  if (word->fields & SEEN_WORD_FLOOR) conv->floor = word->floor;
  set_block(conv, word);
  cover_live(conv, last);
  if (facts) {
    drop_covered(conv, last);
    if (!(word->fields & SEEN_WORD_UNCOUNTABLE_UNKNOWN) || word->mention_count)
      say_word(facts, word);
  }
  conv->tally_version = word->version;
  conv->tally_last = last;
  sound = agrees(conv, word); /* before effects from above it */
  conv->last_seq = sn_max(conv->last_seq, last);
  if (facts) {
    say_notes(facts);
    sn_gaps_cover(facts, last);
    if (last < old_last)
      sn_gaps_show(conv, last + 1, sn_min(old_last, conv->last_seq), now);
    sn_mentions_confirm(conv, last);
    sn_found_drop_said(facts);
    sn_mentions_derive(conv);
  } else {
    sn_mentions_confirm(conv, last);
  }
  return sound;
}

bool sn_tally_counts(const seen_message *message) {
  return message->countable == SEEN_COUNTABLE_BY_KIND
             ? message->kind == SEEN_MESSAGE_TEXT
             : message->countable == SEEN_COUNTABLE_YES;
}

bool sn_tally_is_next(const sn_conv *conv, const seen_message *message,
                      bool own) {
  return message->seq <= conv->live_to + 1 && !own && !message->hidden &&
         sn_tally_counts(message) && message->kind != SEEN_MESSAGE_RECALL &&
         message->mention == SEEN_MENTION_NONE &&
         !(conv->facts && conv->facts->found_mentions.count);
}

int sn_tally_reserve_message(const seen_allocator *memory, sn_conv *conv,
                             const seen_message *message) {
  sn_facts *facts = conv->facts;
  if (message->seq > conv->live_to + 1 &&
      (sn_runs_reserve(memory, &facts->live, 1) ||
       sn_gaps_reserve(memory, facts, 1)))
    return SEEN_ENOMEM;
  if (message->target &&
      SN_RESERVE(memory, &facts->notes, &facts->note_capacity,
                 facts->note_count + 1))
    return SEEN_ENOMEM;
  if (sn_runs_reserve(memory, &facts->uncountable, 2)) return SEEN_ENOMEM;
  if (facts->open.count && sn_runs_reserve(memory, &facts->open, 3))
    return SEEN_ENOMEM;
  if (sn_found_reserve(memory, facts, 2)) return SEEN_ENOMEM;
  if (message->mention == SEEN_MENTION_NONE && !facts->found_mentions.count)
    return SEEN_OK;
  if (sn_runs_reserve(memory, &facts->mentions, 1)) return SEEN_ENOMEM;
  return sn_mentions_reserve(memory, conv, 1, 0, 2);
}

static void set_uncountable(sn_facts *facts, uint64_t seq) {
  sn_runs_put(&facts->uncountable, seq, seq, 0);
  sn_found_drop_seq(facts, seq);
  if (facts->open.count) sn_runs_remove(&facts->open, seq, seq);
}

/* `again`: another copy of that message came before. */
static void add_note(sn_facts *facts, seen_note note, bool again) {
  for (size_t i = 0; again && i < facts->note_count; i++)
    if (facts->notes[i].seq == note.seq &&
        facts->notes[i].target == note.target &&
        facts->notes[i].mention == note.mention)
      return;
  facts->notes[facts->note_count++] = note;
}

void sn_tally_add_next(sn_conv *conv, uint64_t seq) {
  sn_tally_came(conv, seq, seq);
  conv->last_seq = sn_max(conv->last_seq, seq);
}

void sn_tally_add_message(sn_conv *conv, const seen_message *message, bool own,
                          uint64_t now) {
  sn_facts *facts = conv->facts;
  uint64_t seq = message->seq, last = conv->last_seq;
  bool again = seq <= conv->live_to || sn_runs_has(&facts->live, seq);
  if (seq > last) {
    sn_gaps_show(conv, last + 1, seq - 1, now);
    conv->last_seq = seq;
    if (facts->found_mentions.count) sn_mentions_derive(conv);
  }
  sn_tally_came(conv, seq, seq);
  if (own || message->hidden || !sn_tally_counts(message))
    set_uncountable(facts, seq);
  if (message->kind == SEEN_MESSAGE_RECALL && message->target) {
    add_note(facts, (seen_note){seq, message->target, SEEN_MENTION_NONE},
             again);
    set_uncountable(facts, message->target);
  }
  if (message->mention == SEEN_MENTION_NONE) return;
  if (message->kind != SEEN_MESSAGE_EDIT) {
    sn_mentions_say(conv, seq, message->mention);
  } else if (message->target) {
    add_note(facts, (seen_note){seq, message->target, message->mention}, again);
    sn_mentions_say(conv, message->target, message->mention);
  }
}
