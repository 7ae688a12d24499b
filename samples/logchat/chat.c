#include "chat.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

/* "system", with as many lines behind it as it takes to be nobody's id. */
static char *unused_id(const chat_log *log) {
  static const char word[] = "system";
  size_t size = sizeof word - 1;
  char *id = must_copy(word, size);

  while (chat_log_find(log, id) != NULL) {
    id = must_resize(id, size + 2, 1);
    id[size++] = '_';
    id[size] = '\0';
  }
  return id;
}

void chat_begin(chat *self, const char *id, const chat_log *log,
                const char *user) {
  memset(self, 0, sizeof *self);
  self->id = id;
  self->user = user;
  self->log = log;
  self->system = unused_id(log);
  self->open = must_allocate(log->count + 1, sizeof *self->open);
  self->runs = must_allocate(log->count, sizeof *self->runs);
  self->mentions = must_allocate(log->count, sizeof *self->mentions);
  self->roster = must_allocate(log->user_count + 1, sizeof *self->roster);
}

void chat_end(chat *self) {
  free(self->system);
  free(self->open);
  free(self->runs);
  free(self->mentions);
  free(self->roster);
  memset(self, 0, sizeof *self);
}

/* F3 */
static bool is_uncountable(const chat *self, uint64_t seq) {
  const log_line *line = &self->log->lines[seq - 1];

  return line->from == NULL || strcmp(line->from, self->user) == 0;
}

/* Lists what is uncountable above the position; `*sum` is how many that is. */
static size_t list_uncountable(const chat *self, uint64_t *sum) {
  size_t count = 0;
  uint64_t seq;

  *sum = 0;
  for (seq = self->read.seq + 1; seq <= self->last_seq; seq++) {
    if (!is_uncountable(self, seq)) continue;
    ++*sum;
    if (count > 0 && self->runs[count - 1].hi == seq - 1)
      self->runs[count - 1].hi = seq;
    else
      self->runs[count++] = (seen_run){seq, seq};
  }
  return count;
}

static size_t list_mentions(const chat *self) {
  size_t count = 0;
  uint64_t seq;

  for (seq = 1; seq <= self->last_seq; seq++)
    if (self->open[seq])
      self->mentions[count++] = (seen_mention){seq, SEEN_MENTION_ME};
  return count;
}

void chat_word(chat *self, seen_word *word) {
  uint64_t uncountable;
  size_t runs = list_uncountable(self, &uncountable);
  size_t mentions = list_mentions(self);

  memset(word, 0, sizeof *word);
  word->read = self->read;
  word->last_seq = self->last_seq;
  word->uncountable = self->runs;
  word->uncountable_count = runs;
  word->mentions = self->mentions;
  word->mention_count = mentions;
  word->fields = SEEN_WORD_UNREAD;
  word->unread = self->last_seq - self->read.seq - uncountable;
}

static size_t list_roster(const chat *self) {
  const chat_log *log = self->log;
  size_t count = 0;
  size_t i;

  for (i = 0; i < log->user_count; i++) {
    if (!log->users[i]->speaks && strcmp(log->users[i]->id, self->user) != 0)
      continue;
    self->roster[count].user = log->users[i]->id;
    self->roster[count++].join_seq = 1;
  }
  return count;
}

void chat_snapshot(chat *self, seen_snapshot *snapshot) {
  size_t people = list_roster(self);

  memset(snapshot, 0, sizeof *snapshot);
  snapshot->kind = SEEN_KIND_GROUP;
  chat_word(self, &snapshot->word);
  snapshot->fields =
      SEEN_SNAPSHOT_MUTED | SEEN_SNAPSHOT_PINNED | SEEN_SNAPSHOT_ROSTER;
  snapshot->muted = self->muted;
  snapshot->pinned = self->pinned;
  snapshot->roster = self->roster;
  snapshot->roster_count = people;
}

void chat_say(chat *self, seen_message *message) {
  const log_line *line = &self->log->lines[self->last_seq++];

  memset(message, 0, sizeof *message);
  message->seq = self->last_seq;
  message->from = line->from != NULL ? line->from : self->system;
  message->kind = line->from != NULL ? SEEN_MESSAGE_TEXT : SEEN_MESSAGE_SYSTEM;
  message->sent_at = line->at;
  if (log_line_mentions(line, self->user)) message->mention = SEEN_MENTION_ME;
  self->open[message->seq] = message->mention != SEEN_MENTION_NONE &&
                             !is_uncountable(self, message->seq);
}

static void clear(chat *self, uint64_t above, uint64_t to) {
  uint64_t seq;

  for (seq = above + 1; seq <= to; seq++)
    self->open[seq] = false;
}

seen_verdict chat_take_report(chat *self, const seen_report *report) {
  uint64_t from = self->read.seq;
  seen_verdict verdict = seen_position_report(&self->read, report->epoch,
                                              report->seq, self->last_seq);
  size_t i;

  if (verdict != SEEN_ADVANCED && verdict != SEEN_UNCHANGED) return verdict;
  if (!report->keep) clear(self, from, self->read.seq); /* M3 */
  for (i = 0; i < report->cleared_count; i++)
    if (report->cleared[i] <= self->last_seq)
      self->open[report->cleared[i]] = false;
  return verdict;
}

seen_verdict chat_take_mark(chat *self, const seen_mark *mark) {
  return seen_position_mark_unread(&self->read, mark->expected_epoch,
                                   mark->expected_seq, mark->target,
                                   self->last_seq);
}

void chat_read_all(chat *self) {
  seen_position_report(&self->read, self->read.epoch, self->last_seq,
                       self->last_seq);
}
