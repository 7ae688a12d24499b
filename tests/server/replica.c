#include "server/replica.h"

#include "server/stage.h"

#include <stdlib.h>
#include <string.h>

int replica_conv(const char *name) {
  return name[0] == 'g' && name[1] >= '0' && name[1] < '0' + MODEL_CONVS &&
                 !name[2]
             ? name[1] - '0'
             : -1;
}

int replica_user(const char *name) {
  return name[0] == 'u' ? name[1] - '0' : -1;
}

static uint64_t number(const cJSON *in, const char *path) {
  double found = stage_number(in, path);
  return found < 0 ? 0 : (uint64_t)found;
}

static model_why why_of(const char *name) {
  if (!strcmp(name, "me")) return WHY_ME;
  if (!strcmp(name, "all")) return WHY_ALL;
  return strcmp(name, "quote") ? WHY_NONE : WHY_QUOTE;
}

static void add_runs(const cJSON *list, bool *flags) {
  const cJSON *item;
  cJSON_ArrayForEach(item, list) {
    uint64_t lo =
        cJSON_IsArray(item) ? number(item, "0") : (uint64_t)item->valuedouble;
    uint64_t hi = cJSON_IsArray(item) ? number(item, "1") : lo;
    for (uint64_t seq = lo; seq <= hi && seq <= MODEL_SEQS; seq++)
      flags[seq] = true;
  }
}

static void add_mentions(const cJSON *list, model_why *into) {
  const cJSON *item;
  cJSON_ArrayForEach(item, list) into[number(item, "seq")] =
      why_of(stage_text(item, "why"));
}

/* U2: taken where it is not older. */
static void take_word(replica_row *row, const cJSON *word) {
  uint64_t version = number(word, "version"), last = number(word, "last_seq");
  if (!stage_at(word, "read")) return;
  if (version < row->version || (version == row->version && last < row->said))
    return;
  row->epoch = number(word, "read.epoch");
  row->seq = number(word, "read.seq");
  row->high = number(word, "read.high");
  row->version = version;
  row->said = row->last = last;
  row->from = number(word, "from");
  row->counted = number(word, "counted");
  row->floor = number(word, "floor");
  row->buried = 0;
  memset(row->uncountable, 0, sizeof row->uncountable);
  memset(row->mentions, 0, sizeof row->mentions);
  add_runs(stage_at(word, "uncountable"), row->uncountable);
  add_mentions(stage_at(word, "mentions"), row->mentions);
}

static void take_row(replica *self, const cJSON *from) {
  int conv = replica_conv(stage_text(from, "id"));
  replica_row *row = &self->rows[conv];
  if (!row->exists) memset(row, 0, sizeof *row);
  take_word(row, from);
  row->exists = true;
  row->left = stage_at(from, "leave_seq") != NULL;
  row->join = number(from, "join_seq");
  row->muted = cJSON_IsTrue(stage_at(from, "muted"));
  row->pinned = cJSON_IsTrue(stage_at(from, "pinned"));
  self->named[conv] = true;
}

/* A snapshot begins from 0, in pages; what it does not name is gone. */
static void take_changes(replica *self, const cJSON *frame) {
  const cJSON *row;
  bool dated = stage_at(frame, "version") != NULL;
  bool more = cJSON_IsTrue(stage_at(frame, "more"));
  if (dated && !number(frame, "from")) {
    memset(self->named, 0, sizeof self->named);
    self->more = true;
  }
  cJSON_ArrayForEach(row, stage_at(frame, "conversations")) take_row(self, row);
  if (!dated) return;
  for (int i = 0; i < MODEL_CONVS && self->more && !more; i++)
    if (!self->named[i]) self->rows[i].exists = false;
  self->more = self->more && more;
  self->version = number(frame, "version");
}

static uint64_t base_of(const replica_row *row) {
  uint64_t base = row->seq;
  if (base < row->floor) base = row->floor;
  return base < row->join - 1 ? row->join - 1 : base;
}

static void bury(replica_row *row, uint64_t seq) {
  if (row->uncountable[seq]) return;
  row->uncountable[seq] = true;
  row->buried += seq > base_of(row) && seq <= row->from;
  row->mentions[seq] = WHY_NONE;
}

/* U3, U4 */
static void take_message(replica *self, const cJSON *frame) {
  replica_row *row = &self->rows[replica_conv(stage_text(frame, "conv"))];
  uint64_t seq = number(frame, "seq"), target = number(frame, "target");
  const char *kind = stage_text(frame, "kind");
  model_why why = why_of(stage_text(frame, "mentions"));
  if (!row->exists || seq <= row->said) return;
  if (seq > row->last) row->last = seq;
  if (!cJSON_IsTrue(stage_at(frame, "countable")) ||
      cJSON_IsTrue(stage_at(frame, "hidden")) ||
      replica_user(stage_text(frame, "from")) == self->user)
    bury(row, seq);
  if (!strcmp(kind, "recall")) bury(row, target);
  if (!why) return;
  row->mentions[strcmp(kind, "edit") ? seq : target] = why;
}

static void take_items(replica *self, const cJSON *frame) {
  const cJSON *item;
  cJSON_ArrayForEach(item, stage_at(frame, "items")) {
    int conv = replica_conv(stage_text(item, "conv"));
    if (conv < 0) continue;
    if (self->rows[conv].exists) take_word(&self->rows[conv], item);
    if (stage_at(item, "leave_seq")) self->rows[conv].left = true;
  }
}

void replica_take(replica *self, const cJSON *frame) {
  const char *type = stage_text(frame, "t");
  int conv = replica_conv(stage_text(frame, "conv"));
  replica_row *row = conv < 0 ? NULL : &self->rows[conv];
  if (!strcmp(type, "changes")) {
    take_changes(self, frame);
  } else if (!strcmp(type, "message")) {
    take_message(self, frame);
  } else if (!strcmp(type, "ack")) {
    take_items(self, frame);
  } else if (row && !strcmp(type, "position")) {
    if (row->exists) take_word(row, frame);
  } else if (row && !strcmp(type, "left")) {
    row->left = true;
  } else if (row && !strcmp(type, "set")) {
    row->muted = cJSON_IsTrue(stage_at(frame, "muted"));
    row->pinned = cJSON_IsTrue(stage_at(frame, "pinned"));
  }
}

static uint64_t unread_of(const replica_row *row) {
  uint64_t base = base_of(row), count = 0;
  uint64_t above = row->from > base ? row->from : base;
  for (uint64_t seq = above + 1; seq <= row->last; seq++)
    count += !row->uncountable[seq];
  if (above > base) count += above - base - row->counted - row->buried;
  return count;
}

const char *replica_differs(const replica *self, const model *truth, int conv) {
  const replica_row *row = &self->rows[conv];
  const model_conv *of = &truth->convs[conv];
  const model_member *who = &of->members[self->user];
  if (!of->exists || !who->present)
    return row->exists && !row->left ? "a row that was left" : NULL;
  if (!row->exists || row->left) return "no row";
  if (row->seq != who->seq || row->epoch != who->epoch ||
      row->high != who->high)
    return "position";
  if (row->last != of->last) return "last_seq";
  if (row->floor != of->floor) return "floor";
  if (row->muted != who->muted || row->pinned != who->pinned) return "set";
  if (unread_of(row) != model_unread(of, self->user)) return "unread";
  for (uint64_t seq = 1; seq <= of->last; seq++)
    if (row->mentions[seq] != model_mention(of, self->user, seq))
      return "mentions";
  return NULL;
}

const char *replica_word_differs(const cJSON *word, const model_conv *conv,
                                 int user) {
  const model_member *who = &conv->members[user];
  bool listed[MODEL_SEQS + 1] = {false};
  model_why open[MODEL_SEQS + 1] = {WHY_NONE};
  uint64_t from = number(word, "from"), last = model_last(conv, user),
           base = model_base(conv, user), below = 0;
  if (!stage_at(word, "read")) return "no word";
  if (number(word, "read.epoch") != who->epoch ||
      number(word, "read.seq") != who->seq ||
      number(word, "read.high") != who->high)
    return "read";
  if (number(word, "last_seq") != last) return "last_seq";
  if (number(word, "floor") != conv->floor) return "floor";
  add_runs(stage_at(word, "uncountable"), listed);
  for (uint64_t seq = from + 1; seq <= last; seq++)
    if (listed[seq] != model_uncountable(conv, user, seq)) return "uncountable";
  for (uint64_t seq = base + 1; seq <= from; seq++)
    below += model_uncountable(conv, user, seq);
  if ((from > base) != (stage_at(word, "counted") != NULL) ||
      (from > base && number(word, "counted") != below))
    return "counted";
  if (number(word, "unread") != model_unread(conv, user)) return "unread";
  add_mentions(stage_at(word, "mentions"), open);
  for (uint64_t seq = 1; seq <= MODEL_SEQS; seq++)
    if (open[seq] != (seq <= last ? model_mention(conv, user, seq) : WHY_NONE))
      return "mentions";
  return NULL;
}
