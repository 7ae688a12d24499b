#include "recount.h"

#include "audience.h"
#include "conversations.h"
#include "memory.h"
#include "periods.h"
#include "tally.h"

#include <stdlib.h>
#include <string.h>

typedef struct counted_message {
  uint64_t seq;
  bool countable;       /* for all but the sender */
  bool held;            /* it waits for approval */
  const member *sender; /* NULL: never was a member */
  char *said;           /* about mentions; NULL: nothing */
  uint64_t about;       /* which message that is about */
  /* Of the member that is looked at: */
  seen_mention_why why; /* by what was said so far */
  bool open;
} counted_message;

typedef struct recounting {
  void (*print)(void *self, const char *line);
  void *to;
  server *server;
  conversation *conv;
  counted_message *messages; /* falling */
  size_t count, capacity;
} recounting;

static text line_of(const recounting *self, const char *user) {
  text line = {NULL, 0, 0};
  text_add(&line, "conv ");
  text_add_quoted(&line, self->conv->id);
  if (user) {
    text_add(&line, ", user ");
    text_add_quoted(&line, user);
  }
  return line;
}

static void say(const recounting *self, text *line) {
  self->print(self->to, line->bytes);
  text_free(line);
}

static void differ(const recounting *self, const member *of, const char *what,
                   uint64_t said, uint64_t right) {
  text line = line_of(self, of->user);
  text_add(&line, what);
  text_add_number(&line, said);
  text_add(&line, ", not ");
  text_add_number(&line, right);
  say(self, &line);
}

/* R3: memberships follow each other, receipts lie inside. */
static void check_periods(const recounting *self, const member *of) {
  uint64_t before = 0;
  for (size_t i = 0; i < of->period_count; i++) {
    const period *in = &of->periods[i];
    uint64_t end = least(in->leave_seq, self->conv->last_seq);
    bool fits = in->join_seq >= 1 && (i == 0 || in->join_seq > before) &&
                in->leave_seq + 1 >= in->join_seq &&
                in->receipt + 1 >= in->join_seq && in->receipt <= end &&
                in->delivered >= in->receipt && in->delivered <= end;
    before = in->leave_seq;
    if (fits) continue;
    text line = line_of(self, of->user);
    text_add(&line, ": a membership is out of place, from ");
    text_add_number(&line, in->join_seq);
    say(self, &line);
  }
}

/* F3: how many of (lo, hi] count for a member, or do not. */
static uint64_t count_between(const recounting *self, const member *of,
                              uint64_t lo, uint64_t hi, bool countable) {
  uint64_t found = 0;
  for (size_t i = 0; i < self->count; i++) {
    const counted_message *at = &self->messages[i];
    if (at->seq > lo && at->seq <= hi)
      found += (at->countable && at->sender != of) == countable;
  }
  return found;
}

static counted_message *message_at(const recounting *self, uint64_t seq) {
  size_t lo = 0, hi = self->count;
  while (lo < hi) {
    size_t middle = lo + (hi - lo) / 2;
    if (self->messages[middle].seq > seq)
      lo = middle + 1;
    else
      hi = middle;
  }
  bool found = lo < self->count && self->messages[lo].seq == seq;
  return found ? &self->messages[lo] : NULL;
}

/* M1, by the text as it is stored: "*", "@user", ">user" in lines. */
static seen_mention_why why_of(const char *said, const char *user) {
  seen_mention_why why = SEEN_MENTION_NONE;
  for (size_t length; *said; said += length + (said[length] == '\n')) {
    length = strcspn(said, "\n");
    bool names =
        strlen(user) == length - 1 && !strncmp(said + 1, user, length - 1);
    if (*said == '@' && names) return SEEN_MENTION_ME;
    if (*said == '*') why = SEEN_MENTION_ALL;
    if (*said == '>' && names && !why) why = SEEN_MENTION_QUOTE;
  }
  return why;
}

/* What the messages say one after the other, on top of the settled list. */
static void replay_mentions(const recounting *self, const member *of) {
  for (size_t i = 0; i < self->count; i++) {
    self->messages[i].why = SEEN_MENTION_NONE;
    self->messages[i].open = false;
  }
  for (size_t i = 0; i < of->open_count; i++) {
    counted_message *at = message_at(self, of->open[i]);
    if (at) at->open = true;
  }
  for (size_t i = self->count; i > 0; i--) {
    const counted_message *from = &self->messages[i - 1];
    counted_message *at = from->said ? message_at(self, from->about) : NULL;
    if (!at) continue;
    seen_mention_why why = why_of(from->said, of->user);
    if (why && !at->why && from->seq > of->settled) at->open = true;
    at->why = why;
  }
}

static bool is_open(const recounting *self, const member *of,
                    const counted_message *at) {
  return at->open && at->why && (at->countable || at->held) &&
         at->sender != of && at->seq > tally_low(self->conv, of);
}

/*
 * M1. Where more are open than the list has room for, only that those listed
 * are: the newest are chosen by when they were said.
 */
static void check_mentions(const recounting *self, const member *of,
                           const word *said) {
  uint64_t right = 0, all = 0, listed = 0;
  if (!periods_is_present(of)) return;
  replay_mentions(self, of);
  for (size_t i = 0; i < self->count; i++) {
    const counted_message *at = &self->messages[i];
    all += is_open(self, of, at);
    right += is_open(self, of, at) && !at->held;
  }
  for (size_t i = 0; i < said->mention_count; i++) {
    const counted_message *at = message_at(self, said->mentions[i].seq);
    listed += at && is_open(self, of, at) && !at->held &&
              at->why == said->mentions[i].why;
  }
  if (listed != said->mention_count)
    differ(self, of, ": open mentions that are right are ", listed,
           said->mention_count);
  else if (all <= OPEN_MENTIONS && listed != right)
    differ(self, of, ": open mentions listed are ", listed, right);
}

/* U1, U2. */
static void check_tally(const recounting *self, member *of) {
  static word said; /* large, and there is one thread */
  uint64_t listed = 0, unread, missing;
  conversations_own(self->server, self->conv, of);
  tally_word(self->conv, of, &said);
  uint64_t base = most(of->read.seq, tally_low(self->conv, of));
  for (size_t i = 0; i < said.run_count; i++)
    listed += said.runs[i].hi - said.runs[i].lo + 1;
  unread = count_between(self, of, base, said.last_seq, true);
  missing = count_between(self, of, said.from, said.last_seq, false);
  if (said.unread != unread)
    differ(self, of, ": unread is ", said.unread, unread);
  if (listed != missing)
    differ(self, of, ": uncountable seqs listed are ", listed, missing);
  missing = count_between(self, of, base, said.from, false);
  if (said.has_counted && said.counted != missing)
    differ(self, of, ": counted is ", said.counted, missing);
  check_mentions(self, of, &said);
}

/* R2, by every member. */
static void check_counts(const recounting *self, const counted_message *at) {
  counts said = audience_count(self->conv, at->seq, NULL);
  counts right = audience_recount(self->conv, at->seq);
  counts shown = audience_count(self->conv, at->seq, at->sender);
  bool same = said.read == right.read && said.audience == right.audience &&
              said.delivered == right.delivered && said.hidden == right.hidden;
  if (same && shown.read <= shown.audience &&
      shown.delivered <= shown.audience && shown.read <= shown.delivered)
    return;
  text line = line_of(self, NULL);
  text_add(&line, ", seq ");
  text_add_number(&line, at->seq);
  text_add(&line, ": read ");
  text_add_number(&line, shown.read);
  text_add(&line, " of ");
  text_add_number(&line, shown.audience);
  text_add(&line, ", by a recount and less the sender at most ");
  text_add_number(&line, right.read);
  text_add(&line, " of ");
  text_add_number(&line, right.audience);
  say(self, &line);
}

static int gather(void *visitor, const stored_message *found) {
  recounting *self = visitor;
  self->messages = MUST_GROW(self->messages, self->count, self->capacity);
  self->messages[self->count++] = (counted_message){
      .seq = found->seq,
      .countable = found->state == 0,
      .held = found->state == MESSAGE_HELD,
      .sender = conversations_member(self->conv, found->from),
      .said = found->mentions ? must_copy_text(found->mentions) : NULL,
      .about = found->kind == SEEN_MESSAGE_EDIT ? found->target : found->seq,
  };
  return SEEN_OK;
}

static int recount_loaded(recounting *self) {
  const storage *over = &self->server->storage;
  member *of;
  int status = over->each_before(over->self, self->conv->id, SEEN_SEQ_MAX,
                                 SEEN_SEQ_MAX, self, gather);
  for (size_t at = 0; !status && (of = map_next(&self->conv->members, &at));) {
    check_periods(self, of);
    check_tally(self, of);
  }
  for (size_t i = 0; !status && i < self->count; i++)
    check_counts(self, &self->messages[i]);
  for (size_t i = 0; i < self->count; i++)
    free(self->messages[i].said);
  free(self->messages);
  return self->server->failed ? SEEN_EIO : status;
}

int recount(const storage *over, const char *conv,
            void (*print)(void *self, const char *line), void *to) {
  const uint8_t key[32] = {0};
  recounting self = {print, to, NULL, NULL, NULL, 0, 0};
  limits within;
  int status;
  limits_init(&within);
  self.server = server_open(over, &within, NULL, key, 1, &status);
  if (!self.server) return status;
  self.conv = conversations_find(self.server, conv);
  if (self.conv) {
    status = recount_loaded(&self);
  } else {
    text line = {NULL, 0, 0};
    text_add(&line, "conv ");
    text_add_quoted(&line, conv);
    text_add(&line, ": its members can't be read");
    print(to, line.bytes);
    text_free(&line);
  }
  server_close(self.server);
  return status;
}
