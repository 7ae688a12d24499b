/*
 * An engine and its store. What the engine asks to be written is noted by
 * conversation and read from it only when it is written, so that a thousand
 * changes are one row, and a failure loses nothing: the notes stay.
 */
#include <seen/sys/mirror.h>
#include <seen/sys/working.h>

#include <string.h>

#include "base/fail.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/written.h"

/* Waits before another try, in ms. */
enum { FIRST_WAIT = 250, LONGEST_WAIT = 30000 };

struct seen_mirror {
  const seen_allocator *memory;
  sn_log log;
  seen_store *store; /* NULL: detached */
  seen_engine *engine;
  sn_written written;
  seen_conv *noted;
  size_t noted_count;
  size_t noted_capacity;
  bool all;    /* every conversation is noted, listed or not */
  bool totals; /* the totals are to be written in any case */
  bool sync;   /* what was written is to outlive a power failure */
  bool urgent; /* do not wait for the time of the next try */
  char *user;
  char *device;
  char *incarnation;
  uint64_t version;
  bool meta;         /* to be written … */
  bool meta_waits;   /* … since an earlier turn … */
  uint64_t meta_at;  /* … which was the engine's then … */
  bool meta_covered; /* … as all rows that came with it are noted */
  uint64_t retry_at; /* SEEN_NEVER: nothing failed */
  uint64_t wait;
};

static void note(seen_mirror *self, seen_conv conv) {
  if (sn_written_reserve(&self->written, conv) ||
      SN_RESERVE(self->memory, &self->noted, &self->noted_capacity,
                 self->noted_count + 1)) {
    self->all = true; /* which takes no memory to say */
    return;
  }
  sn_written_row *row = sn_written_at(&self->written, conv);
  if (row->flags & SN_WRITTEN_NOTED) return;
  row->flags |= SN_WRITTEN_NOTED;
  self->noted[self->noted_count++] = conv;
}

/* The store holds nothing that can be trusted. */
static void begin_anew(seen_mirror *self) {
  sn_written_clear(&self->written);
  self->all = self->totals = true;
  self->meta = self->meta_covered = true;
}

static void row_of(const seen_engine *engine, seen_conv conv, seen_row *row) {
  seen_state state = {.size = sizeof state};
  *row = (seen_row){.size = sizeof *row};
  if (seen_engine_state(engine, conv, &state)) return; /* left: not listed */
  row->unread = state.unread;
  row->mentions = state.mentions;
  row->badge = state.badge;
  row->exact = state.exact;
  row->muted = state.muted;
  row->marked_unread = state.marked_unread;
  row->listed = true;
}

static bool rows_equal(const seen_row *a, const seen_row *b) {
  return a->unread == b->unread && a->mentions == b->mentions &&
         a->badge == b->badge && a->exact == b->exact && a->muted == b->muted &&
         a->marked_unread == b->marked_unread && a->listed == b->listed;
}

/* A load under way. */
typedef struct restoring {
  seen_mirror *mirror;
  size_t left_out;
} restoring;

/* What no engine would have written is deleted. */
static int leave_out(restoring *load, const char *id, const char *why) {
  static const seen_row none = {.size = sizeof none};
  seen_mirror *self = load->mirror;
  seen_conv conv;
  int status = seen_engine_intern(self->engine, id, &conv, NULL);
  sn_log_write(&self->log, SEEN_LOG_WARN, "left out: %s: %s", id, why);
  load->left_out++;
  if (!status) status = sn_written_reserve(&self->written, conv);
  if (status) return status;
  sn_written_set(&self->written, conv, &none);
  note(self, conv);
  return SEEN_OK;
}

/* Numbers that are not what the engine counts are written again (U8). */
static int take(const seen_record *record, const seen_row *stored,
                void *user_data) {
  restoring *load = user_data;
  seen_mirror *self = load->mirror;
  seen_error error = SEEN_ERROR_INIT;
  seen_row row, none = {.size = sizeof none};
  int status = seen_engine_restore(self->engine, record, &error);
  if (status == SEEN_ENOMEM) return status;
  if (status) return leave_out(load, record->id, error.message);
  seen_conv conv = seen_engine_find(self->engine, record->id);
  if (sn_written_reserve(&self->written, conv)) return SEEN_ENOMEM;
  sn_written_set(&self->written, conv, stored ? stored : &none);
  row_of(self->engine, conv, &row);
  if (!stored || !rows_equal(stored, &row)) note(self, conv);
  return SEEN_OK;
}

/* What was corrupt is told by a full snapshot, and written anew. */
static int forgive(restoring *load, int status) {
  if (status != SEEN_ECORRUPT) return status;
  load->left_out++;
  begin_anew(load->mirror);
  return SEEN_OK;
}

static int load_records(restoring *load, seen_error *error) {
  seen_mirror *self = load->mirror;
  seen_store *store = self->store;
  seen_totals stored, totals;
  uint64_t records;
  int status = store->load(store, take, load, error);
  if (status == SEEN_ENOMEM) return sn_fail_memory(error);
  status = forgive(load, status);
  if (status) return status;
  status = forgive(load, store->totals(store, &stored, &records, error));
  if (status) return status;
  seen_engine_totals(self->engine, &totals);
  self->totals |= memcmp(&stored, &totals, sizeof totals) != 0;
  return SEEN_OK;
}

static int copy(const seen_mirror *self, const char *text, char **place) {
  char *fresh = sn_copy_text(self->memory, text, strlen(text));
  if (!fresh) return SEEN_ENOMEM;
  sn_release(self->memory, *place);
  *place = fresh;
  return SEEN_OK;
}

static int load_meta(restoring *load, const seen_options *options,
                     seen_error *error) {
  seen_mirror *self = load->mirror;
  seen_meta meta = {.size = sizeof meta};
  int status = forgive(load, self->store->meta(self->store, &meta, error));
  if (status) return status;
  if (meta.user[0] && strcmp(meta.user, options->user) != 0)
    return sn_fail(error, SEEN_EINVAL, "the mirror is another user's");
  self->meta |= !meta.user[0] || strcmp(meta.device, options->device) != 0;
  self->version = meta.version;
  if (copy(self, options->user, &self->user) ||
      copy(self, options->device, &self->device) ||
      copy(self, meta.incarnation, &self->incarnation))
    return sn_fail_memory(error);
  return SEEN_OK;
}

/* Nothing was said on this link: there is none. */
static int put_link_down(seen_mirror *self, uint64_t now, seen_error *error) {
  seen_input link = {.size = sizeof link, .type = SEEN_INPUT_LINK};
  return seen_engine_feed(self->engine, &link, now, error);
}

static int fill(seen_mirror *self, const seen_options *options, uint64_t now,
                size_t *left_out, seen_error *error) {
  restoring load = {self, 0};
  int status = seen_engine_new(options, now, &self->engine, error);
  if (!status) status = load_meta(&load, options, error);
  if (!status) status = load_records(&load, error);
  if (!status) status = put_link_down(self, now, error);
  if (status) return status;
  /* What is missing here came with a version: it has to come again (S2). */
  if (load.left_out) self->version = 0;
  if (load.left_out) self->meta = self->meta_covered = true;
  if (self->all || self->noted_count || self->totals) self->retry_at = now;
  if (left_out) *left_out = load.left_out;
  return SEEN_OK;
}

/* A mirror without an engine. */
static int make(const seen_options *options, seen_store *store,
                seen_mirror **out, seen_error *error) {
  const seen_allocator *memory;
  seen_mirror *self;
  int status = seen_options_check(options, error);
  *out = NULL;
  if (status) return status;
  memory = options->allocator ? options->allocator : seen_allocator_default();
  self = sn_allocate_zero(memory, sizeof *self);
  if (!self) return sn_fail_memory(error);
  self->memory = memory;
  self->store = store;
  self->log =
      (sn_log){options->log, options->log_user_data, options->log_level};
  self->retry_at = SEEN_NEVER;
  sn_written_init(&self->written, memory);
  *out = self;
  return SEEN_OK;
}

int seen_mirror_open(const seen_options *options, seen_store *store,
                     uint64_t now, seen_mirror **out, size_t *left_out,
                     seen_error *error) {
  int status = make(options, store, out, error);
  if (left_out) *left_out = 0;
  if (!*out) return status;
  status = fill(*out, options, now, left_out, error);
  if (!status) return SEEN_OK;
  seen_mirror_free(*out);
  *out = NULL;
  return status;
}

/* What the store holds of a conversation, whatever the engine does. */
static int take_held(const seen_record *record, const seen_row *stored,
                     void *user_data) {
  seen_mirror *self = user_data;
  seen_row none = {.size = sizeof none};
  seen_conv conv;
  int status = seen_engine_intern(self->engine, record->id, &conv, NULL);
  if (status) return status;
  if (sn_written_reserve(&self->written, conv)) return SEEN_ENOMEM;
  sn_written_set(&self->written, conv, stored ? stored : &none);
  return SEEN_OK;
}

int seen_mirror_attach(const seen_options *options, seen_engine *engine,
                       seen_store *store, seen_mirror **out,
                       seen_error *error) {
  restoring load = {NULL, 0};
  int status = make(options, store, &load.mirror, error);
  *out = NULL;
  if (!load.mirror) return status;
  load.mirror->engine = engine;
  status = load_meta(&load, options, error);
  if (!status) status = store->load(store, take_held, load.mirror, error);
  if (!status) {
    *out = load.mirror;
    return SEEN_OK;
  }
  load.mirror->engine = NULL; /* it stays the caller's */
  seen_mirror_free(load.mirror);
  return status;
}

void seen_mirror_free(seen_mirror *self) {
  if (!self) return;
  seen_engine_free(self->engine);
  sn_written_free(&self->written);
  sn_release(self->memory, self->noted);
  sn_release(self->memory, self->user);
  sn_release(self->memory, self->device);
  sn_release(self->memory, self->incarnation);
  sn_release(self->memory, self);
}

seen_engine *seen_mirror_engine(seen_mirror *self) {
  return self->engine;
}

bool seen_mirror_next(seen_mirror *self, seen_effect *effect) {
  while (seen_engine_next(self->engine, effect)) {
    switch (effect->type) {
    case SEEN_EFFECT_STORE:
    case SEEN_EFFECT_DELETE: note(self, effect->conv); break;
    case SEEN_EFFECT_SYNC: self->sync = self->urgent = true; break;
    default: return true;
    }
  }
  return false;
}

int seen_mirror_set_server(seen_mirror *self, const char *incarnation,
                           uint64_t version, seen_error *error) {
  if (incarnation && copy(self, incarnation, &self->incarnation))
    return sn_fail_memory(error);
  self->version = version;
  self->meta = true;
  self->meta_waits = false;
  self->meta_covered = self->all;
  return SEEN_OK;
}

void seen_mirror_server(const seen_mirror *self, seen_meta *meta) {
  *meta = (seen_meta){sizeof *meta, self->user, self->device, self->incarnation,
                      self->version};
}

/*
 * A version promises all that came with it: it may be written once nothing is
 * unwritten in the engine but what changed after its turn (S2, S6), or all of
 * it is noted. That a conversation is written says nothing of the others.
 */
static void judge_meta(seen_mirror *self) {
  seen_session session = {.size = sizeof session};
  if (!self->meta || self->meta_covered) return;
  seen_engine_session(self->engine, &session);
  if (!self->meta_waits) self->meta_at = session.now;
  self->meta_waits = true;
  self->meta_covered = session.dirty_since > self->meta_at;
}

/* The n-th conversation to be written, from 0; 0: there are no more. */
static seen_conv to_write(const seen_mirror *self, size_t n) {
  seen_conv conv = (seen_conv)n + 1;
  if (self->all) return seen_engine_id(self->engine, conv) ? conv : 0;
  return n < self->noted_count ? self->noted[n] : 0;
}

/*
 * Its numbers are taken as written at once: until they are it stays noted, so
 * that the transaction that ends well has all of them.
 */
static int write_one(seen_mirror *self, seen_conv conv, seen_error *error) {
  seen_record record = {.size = sizeof record};
  seen_row row;
  int status = sn_written_reserve(&self->written, conv);
  if (!status) status = seen_engine_record(self->engine, conv, &record);
  if (status == SEEN_ENOMEM) return sn_fail_memory(error);
  if (status) {
    sn_written_set(&self->written, conv, NULL);
    return self->store->remove(self->store, seen_engine_id(self->engine, conv),
                               error);
  }
  row_of(self->engine, conv, &row);
  sn_written_set(&self->written, conv, &row);
  return self->store->put(self->store, &record, &row, error);
}

static int write_sums(seen_mirror *self, seen_error *error) {
  const sn_sums *sums = &self->written.sums;
  return self->store->put_totals(self->store, &sums->totals, sums->records,
                                 error);
}

static int write_meta(seen_mirror *self, seen_error *error) {
  seen_meta meta;
  if (!self->meta || !self->meta_covered) return SEEN_OK;
  seen_mirror_server(self, &meta);
  return self->store->put_meta(self->store, &meta, error);
}

static int write_all(seen_mirror *self, seen_error *error) {
  seen_conv conv;
  int status = self->store->begin(self->store, self->sync, error);
  for (size_t n = 0; !status && (conv = to_write(self, n)); n++)
    status = write_one(self, conv, error);
  if (!status) status = write_sums(self, error);
  if (!status) status = write_meta(self, error);
  return status ? status : self->store->commit(self->store, error);
}

/* All that was noted is written. */
static void settle(seen_mirror *self) {
  seen_conv conv;
  for (size_t n = 0; (conv = to_write(self, n)); n++)
    sn_written_at(&self->written, conv)->flags &= ~(uint32_t)SN_WRITTEN_NOTED;
  self->noted_count = 0;
  self->all = self->totals = self->sync = false;
  if (self->meta_covered) self->meta = self->meta_waits = false;
  self->retry_at = SEEN_NEVER;
  self->wait = 0;
}

/* Each try in a row waits twice as long. */
static int wait_longer(seen_mirror *self, uint64_t now, int status) {
  self->store->rollback(self->store);
  if (!self->wait)
    sn_log_write(&self->log, SEEN_LOG_WARN, "the mirror can't be written: %s",
                 seen_error_text(status));
  if (status == SEEN_ECORRUPT) begin_anew(self);
  self->wait = self->wait ? self->wait * 2 : FIRST_WAIT;
  if (self->wait > LONGEST_WAIT) self->wait = LONGEST_WAIT;
  self->retry_at = now + self->wait;
  return status;
}

int seen_mirror_commit(seen_mirror *self, uint64_t now, seen_error *error) {
  bool urgent = self->urgent;
  int status;
  if (!self->store) return SEEN_OK;
  judge_meta(self);
  self->urgent = false;
  if (!self->noted_count && !self->all && !self->totals && !self->sync &&
      !(self->meta && self->meta_covered)) {
    /* What failed waits for more: nothing is to be tried till then. */
    if (self->retry_at <= now) self->retry_at = SEEN_NEVER;
    return SEEN_OK;
  }
  if (self->retry_at != SEEN_NEVER && now < self->retry_at && !urgent)
    return SEEN_OK;
  status = write_all(self, error);
  if (status) return wait_longer(self, now, status);
  settle(self);
  return SEEN_OK;
}

uint64_t seen_mirror_deadline(const seen_mirror *self) {
  return self->store ? self->retry_at : SEEN_NEVER;
}

/* Whether the engine will ask for it to be written. */
static bool is_unwritten(seen_mirror *self, seen_conv conv) {
  seen_working working = {.size = sizeof working};
  int status = seen_engine_working(self->engine, conv, &working);
  return status == SEEN_ENOMEM || working.flags & SEEN_WORKING_UNWRITTEN;
}

void seen_mirror_hurry(seen_mirror *self) {
  for (seen_conv conv = 1; seen_engine_id(self->engine, conv); conv++)
    if (is_unwritten(self, conv)) note(self, conv);
  self->meta_covered |= self->meta;
  self->sync = self->urgent = true;
}

void seen_mirror_detach(seen_mirror *self) {
  self->store = NULL;
}

/* Whether a store holds what was written of this mirror. */
static int compare(seen_mirror *self, seen_store *store, bool *same,
                   seen_error *error) {
  seen_meta meta = {.size = sizeof meta};
  seen_totals totals;
  uint64_t records;
  int status = store->meta(store, &meta, error);
  if (!status) status = store->totals(store, &totals, &records, error);
  if (status) return status;
  if (*meta.user && strcmp(meta.user, self->user) != 0)
    return sn_fail(error, SEEN_EINVAL, "the mirror is another user's");
  *same = strcmp(meta.user, self->user) == 0 &&
          (self->meta || (meta.version == self->version &&
                          strcmp(meta.incarnation, self->incarnation) == 0)) &&
          records == self->written.sums.records &&
          memcmp(&totals, &self->written.sums.totals, sizeof totals) == 0;
  return SEEN_OK;
}

int seen_mirror_reattach(seen_mirror *self, seen_store *store,
                         seen_error *error) {
  bool same = false;
  int status = compare(self, store, &same, error);
  if (status && status != SEEN_ECORRUPT) return status;
  if (!same) {
    begin_anew(self);
    if (!status) status = store->load(store, take_held, self, error);
    if (status && status != SEEN_ECORRUPT) return status;
  }
  self->store = store;
  self->wait = 0;
  if (self->noted_count || self->all) self->retry_at = 0;
  return SEEN_OK;
}

size_t seen_mirror_unwritten(const seen_mirror *self) {
  size_t count = 0;
  while (to_write(self, count))
    count++;
  return count;
}
