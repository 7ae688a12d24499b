#include "server/model.h"

#include <string.h>

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static uint64_t join_of(const model_member *of) {
  return of->join[of->periods - 1];
}

uint64_t model_low(const model_conv *conv, int user) {
  return larger(conv->floor, join_of(&conv->members[user]) - 1);
}

uint64_t model_last(const model_conv *conv, int user) {
  const model_member *of = &conv->members[user];
  return of->present ? conv->last
                     : smaller(conv->last, of->leave[of->periods - 1]);
}

uint64_t model_base(const model_conv *conv, int user) {
  return larger(conv->members[user].seq, model_low(conv, user));
}

/* F3 */
bool model_uncountable(const model_conv *conv, int user, uint64_t seq) {
  const model_message *of = &conv->messages[seq];
  return !of->counts || of->recalled || of->taken_down || of->held ||
         of->from == user;
}

/* U1 */
uint64_t model_unread(const model_conv *conv, int user) {
  uint64_t count = 0, last = model_last(conv, user);
  for (uint64_t seq = model_base(conv, user) + 1; seq <= last; seq++)
    count += !model_uncountable(conv, user, seq);
  return count;
}

static model_why why_of(const model_message *of, int user) {
  if (of->named >> user & 1) return WHY_ME;
  if (of->all) return WHY_ALL;
  return of->quoted == user ? WHY_QUOTE : WHY_NONE;
}

/* M1 */
model_why model_mention(const model_conv *conv, int user, uint64_t seq) {
  if (seq <= model_low(conv, user) || seq > model_last(conv, user) ||
      !conv->members[user].present || !conv->members[user].open[seq] ||
      model_uncountable(conv, user, seq))
    return WHY_NONE;
  return why_of(&conv->messages[seq], user);
}

uint64_t model_delivered_seq(const model_conv *conv, int user) {
  const model_member *of = &conv->members[user];
  uint64_t join = join_of(of), best = join - 1;
  for (uint64_t seq = join; seq <= model_last(conv, user); seq++)
    if (of->have[seq]) best = seq;
  return best;
}

bool model_shows(const model *self, const model_conv *conv, int user,
                 uint64_t seq) {
  const model_member *of = &conv->members[user];
  return of->in[seq] && !self->off[user] && !of->secret[seq];
}

/* R2, R3, S7 */
model_counts model_count(const model *self, const model_conv *conv,
                         uint64_t seq) {
  model_counts found = {0, 0, 0, 0};
  for (int user = 0; user < MODEL_USERS; user++) {
    const model_member *of = &conv->members[user];
    if (!of->in[seq] || of->role == BOT || user == conv->messages[seq].from)
      continue;
    if (!model_shows(self, conv, user, seq)) {
      found.hidden++;
      continue;
    }
    found.audience++;
    found.read += of->read[seq];
    found.delivered += of->have[seq];
  }
  return found;
}

/* R3: the period that a report up to `seq` counts in; −1: none. */
static int holding(const model_member *of, uint64_t seq) {
  int found = -1;
  for (int i = 0; i < of->periods; i++)
    if (of->join[i] <= seq) found = i;
  return found;
}

static void raise(model_member *of, uint64_t seq, bool read) {
  int in = holding(of, seq);
  if (in < 0) return;
  for (uint64_t at = of->join[in];
       at <= seq && at <= of->leave[in] && at <= MODEL_SEQS; at++) {
    of->have[at] = true;
    if (read) of->read[at] = true;
  }
}

/* M3 */
static void clear(model_conv *conv, int user, uint64_t after, uint64_t to,
                  const uint64_t *named, int count) {
  for (uint64_t seq = 1; seq <= conv->last; seq++) {
    bool cleared = seq > after && seq <= to;
    for (int i = 0; i < count; i++)
      cleared = cleared || named[i] == seq;
    if (cleared && model_mention(conv, user, seq))
      conv->members[user].open[seq] = false;
  }
}

/* P2: whether the position moved. */
static bool advance(model_member *of, uint64_t epoch, uint64_t seq) {
  bool old = epoch < of->epoch;
  if ((old && seq <= of->high) || seq <= of->seq) return false;
  of->seq = seq;
  return true;
}

const char *model_read(model_conv *conv, int user, uint64_t epoch, uint64_t seq,
                       const uint64_t *cleared, int count, bool keep) {
  model_member *of = &conv->members[user];
  uint64_t last = model_last(conv, user), before = of->seq;
  if (!of->present) seq = smaller(seq, last);
  if (epoch > of->epoch) return "epoch_ahead";
  if (seq > last) return "seq_out_of_range";
  bool moved = advance(of, epoch, seq);
  raise(of, seq, true);
  clear(conv, user, before, moved && !keep ? seq : before, cleared, count);
  if (epoch < of->epoch) return moved ? "rebased" : "stale";
  return of->seq == seq ? "ok" : "stale";
}

const char *model_deliver(model_conv *conv, int user, uint64_t seq) {
  model_member *of = &conv->members[user];
  uint64_t last = model_last(conv, user);
  if (!of->present) seq = smaller(seq, last);
  if (seq > last) return "seq_out_of_range";
  raise(of, seq, false);
  return "ok";
}

/* P4 */
const char *model_mark(model_conv *conv, int user, uint64_t epoch, uint64_t seq,
                       uint64_t target) {
  model_member *of = &conv->members[user];
  if (epoch > of->epoch) return "epoch_ahead";
  if (seq > conv->last) return "seq_out_of_range";
  advance(of, epoch, seq);
  raise(of, seq, true);
  target = larger(target, model_low(conv, user));
  if (target >= seq || of->epoch != epoch || of->seq != seq) return "conflict";
  of->high = larger(of->high, of->seq);
  of->epoch++;
  of->seq = target;
  return "ok";
}

bool model_read_all(model *self, int conv, int user,
                    const model_moment *as_of) {
  model_conv *of = &self->convs[conv];
  model_member *who = &of->members[user];
  uint64_t stood = larger(as_of->last[conv], of->floor);
  if (!who->present) return false;
  if (!advance(who, as_of->epoch[conv][user], stood)) return false;
  raise(who, stood, true);
  return true;
}

static void mention(model_conv *conv, uint64_t seq, uint64_t target,
                    model_message now) {
  model_message *of = &conv->messages[target];
  for (int user = 0; user < MODEL_USERS; user++)
    if (conv->members[user].present && why_of(&now, user) &&
        (seq == target || !why_of(of, user)))
      conv->members[user].open[target] = true;
  of->named = now.named;
  of->all = now.all;
  of->quoted = now.quoted;
}

/* A message; its audience is fixed now (R2). */
static uint64_t append(model *self, model_conv *conv, int from, model_sort sort,
                       bool counts) {
  uint64_t seq = ++conv->last;
  conv->messages[seq] = (model_message){
      .from = from, .sort = sort, .counts = counts, .quoted = -1};
  for (int user = 0; user < MODEL_USERS; user++)
    conv->members[user].in[seq] =
        conv->members[user].present && !self->disabled[user];
  return seq;
}

static bool suits(const model_conv *conv, int user, const model_send *what) {
  const model_message *of = &conv->messages[what->target];
  if (what->target <= conv->floor || what->target > conv->last ||
      of->recalled || of->taken_down)
    return false;
  if (what->sort == RECALL) return of->sort == TEXT || of->sort == REACTION;
  return of->sort == TEXT && (!of->held || of->from == user);
}

const char *model_post(model *self, int conv, int user, bool root,
                       const model_send *what) {
  model_conv *of = &self->convs[conv];
  const model_member *by = &of->members[user];
  bool admin = by->role == ADMIN || root;
  if (!of->exists || !by->ever) return "not_found";
  if (!by->present) return "not_member";
  if (what->target && !suits(of, user, what)) return "target_invalid";
  model_message *target = &of->messages[what->target];
  bool own = what->target && target->from == user;
  if (what->sort == RECALL && !own && !admin) return "forbidden";
  if (what->sort == EDIT && (!own || (of->is_moderated && !admin)))
    return "forbidden";
  bool counts = what->countable >= 0 ? what->countable : what->sort == TEXT;
  if (what->sort == RECALL) {
    target->recalled = true;
    target->held = false;
  }
  uint64_t seq = append(self, of, user, what->sort, counts);
  of->messages[seq].held = of->is_moderated && !admin && what->sort != RECALL;
  if (counts && !of->messages[seq].held) of->updated_at = self->now;
  model_message now = of->messages[seq];
  now.named = what->named;
  now.all = what->all;
  if (what->sort == TEXT && what->target && !own) now.quoted = target->from;
  if (what->sort == TEXT) mention(of, seq, seq, now);
  if (what->sort == EDIT && what->says_mentions) {
    now.quoted = target->quoted;
    mention(of, seq, what->target, now);
  }
  return "";
}

static void enter(model *self, model_conv *conv, int user, model_role role,
                  uint64_t join) {
  model_member *of = &conv->members[user];
  if (of->ever) {
    of->epoch++;
    of->high = conv->last;
  }
  of->seq = conv->last;
  of->ever = of->present = true;
  of->removed = false;
  of->role = role;
  of->join[of->periods] = join;
  of->leave[of->periods++] = UINT64_MAX;
  memset(of->open, 0, sizeof of->open);
  for (uint64_t seq = join; seq <= MODEL_SEQS; seq++)
    of->secret[seq] = self->off[user];
  if (join <= conv->last) of->in[join] = !self->disabled[user];
}

static unsigned strangers(const model_conv *conv, unsigned users) {
  unsigned found = 0;
  for (int user = 0; user < MODEL_USERS; user++)
    if ((users >> user & 1) && !conv->members[user].present)
      found |= 1u << user;
  return found;
}

static void enter_all(model *self, model_conv *conv, unsigned users,
                      model_role role, uint64_t join) {
  for (int user = 0; user < MODEL_USERS; user++)
    if (users >> user & 1) enter(self, conv, user, role, join);
}

const char *model_create(model *self, int conv, int user, model_kind kind,
                         bool open, bool moderated, unsigned users,
                         model_role role) {
  model_conv *of = &self->convs[conv];
  if (of->exists) return "exists";
  of->exists = true;
  of->updated_at = self->now;
  of->kind = kind;
  of->is_open = open;
  of->is_moderated = moderated;
  enter(self, of, user, ADMIN, 1);
  enter_all(self, of, strangers(of, users), role, 1);
  return "";
}

static const char *as_admin(const model_conv *of, int user, bool root) {
  const model_member *by = &of->members[user];
  if (root && of->exists && of->kind != DIRECT) return "";
  if (!of->exists || !by->ever) return "not_found";
  if (!by->present) return "not_member";
  return by->role != ADMIN || of->kind == DIRECT ? "forbidden" : "";
}

const char *model_add(model *self, int conv, int user, bool root,
                      unsigned users, model_role role) {
  model_conv *of = &self->convs[conv];
  const char *code = as_admin(of, user, root);
  if (*code) return code;
  unsigned added = strangers(of, users);
  for (int at = 0; at < MODEL_USERS; at++) {
    model_member *who = &of->members[at];
    if ((users >> at & 1) && who->present && who->role != BOT && role != BOT)
      who->role = role;
  }
  if (added)
    enter_all(self, of, added, role, append(self, of, user, SYSTEM, false));
  return "";
}

static void depart(model_conv *conv, int user, bool removed) {
  model_member *of = &conv->members[user];
  of->present = false;
  of->removed = removed;
  of->leave[of->periods - 1] = conv->last;
}

const char *model_remove(model *self, int conv, int user, bool root,
                         unsigned users) {
  model_conv *of = &self->convs[conv];
  const char *code = as_admin(of, user, root);
  bool any = false;
  if (*code) return code;
  for (int at = 0; at < MODEL_USERS; at++) {
    if (!(users >> at & 1) || !of->members[at].present) continue;
    depart(of, at, true);
    any = true;
  }
  if (any) append(self, of, user, SYSTEM, false);
  return "";
}

const char *model_join(model *self, int conv, int user) {
  model_conv *of = &self->convs[conv];
  const model_member *who = &of->members[user];
  if (!of->exists || (!who->ever && !of->is_open)) return "not_found";
  if (who->present) return "";
  if (who->ever && (who->removed || !of->is_open)) return "forbidden";
  if (of->kind == DIRECT) {
    int present = 0;
    for (int at = 0; at < MODEL_USERS; at++)
      present += of->members[at].present;
    if (present >= 2) return "full";
  }
  enter(self, of, user, MEMBER, append(self, of, user, SYSTEM, false));
  return "";
}

const char *model_leave(model *self, int conv, int user) {
  model_conv *of = &self->convs[conv];
  if (!of->exists || !of->members[user].ever) return "not_found";
  if (!of->members[user].present) return "";
  depart(of, user, false);
  append(self, of, user, SYSTEM, false);
  return "";
}

/* S7: what was not read in public by now is secret, until it is on again. */
void model_settings(model *self, int user, bool receipts) {
  if (self->off[user] == !receipts) return;
  for (int conv = 0; conv < MODEL_CONVS; conv++) {
    model_member *of = &self->convs[conv].members[user];
    for (uint64_t seq = 1; seq <= MODEL_SEQS; seq++) {
      if (!receipts && !of->read[seq]) of->secret[seq] = true;
      if (receipts && seq > self->convs[conv].last) of->secret[seq] = false;
    }
  }
  self->off[user] = !receipts;
}

static bool is_there(const model_conv *conv, uint64_t seq) {
  return conv->exists && seq > conv->floor && seq <= conv->last;
}

const char *model_takedown(model *self, int conv, uint64_t seq) {
  model_conv *of = &self->convs[conv];
  if (!is_there(of, seq)) return "not_found";
  of->messages[seq].taken_down = true;
  of->messages[seq].held = false;
  return "";
}

const char *model_approve(model *self, int conv, uint64_t seq) {
  model_conv *of = &self->convs[conv];
  model_message *what = &of->messages[seq];
  if (!is_there(of, seq)) return "not_found";
  if (what->held && what->counts) of->updated_at = self->now;
  what->held = false;
  return "";
}

void model_purge(model *self, int conv, uint64_t seq) {
  model_conv *of = &self->convs[conv];
  of->floor = larger(of->floor, smaller(seq, of->last));
}

void model_account(model *self, int user, bool disabled) {
  self->disabled[user] = disabled;
}

void model_remember(model *self, uint64_t version) {
  model_moment *now;
  if (self->log_count == MODEL_LOG) {
    memmove(self->log, self->log + 1, sizeof self->log - sizeof *self->log);
    self->log_count--;
  }
  now = &self->log[self->log_count++];
  now->version = version;
  for (int conv = 0; conv < MODEL_CONVS; conv++) {
    now->last[conv] = self->convs[conv].last;
    for (int user = 0; user < MODEL_USERS; user++)
      now->epoch[conv][user] = self->convs[conv].members[user].epoch;
  }
}
