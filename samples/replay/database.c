#include "database.h"

#include "host.h"
#include "table.h"

#include <inttypes.h>
#include <seen/sys/mirror.h>
#include <stdio.h>
#include <string.h>

#define CAP 99

/* A recount under way. */
typedef struct recount {
  const char *path;
  const seen_engine *engine;
  size_t records;
  size_t differences;
} recount;

static outcome fail(const char *path, const char *what) {
  fprintf(stderr, "%s: %s\n", path, what);
  return OUTCOME_ERROR;
}

static void compare(recount *self, const char *what, const char *field,
                    uint64_t stored, uint64_t counted) {
  if (stored == counted) return;
  self->differences++;
  printf("%s: %s %s is %" PRIu64 ", recounted %" PRIu64 "\n", self->path, what,
         field, stored, counted);
}

static int compare_row(const seen_record *record, const seen_row *row,
                       void *user_data) {
  recount *self = user_data;
  const seen_state state = host_state(self->engine, record->id);
  const char *id = record->id;

  self->records++;
  if (seen_engine_find(self->engine, id) == 0) return SEEN_OK; /* told before */
  if (row == NULL) {
    self->differences++;
    printf("%s: %s has no numbers\n", self->path, id);
    return SEEN_OK;
  }
  compare(self, id, "listed", row->listed, state.id != NULL);
  compare(self, id, "unread", row->unread, state.unread);
  compare(self, id, "exact", row->exact, state.exact);
  compare(self, id, "mentions", row->mentions, state.mentions);
  compare(self, id, "muted", row->muted, state.muted);
  compare(self, id, "marked_unread", row->marked_unread, state.marked_unread);
  compare(self, id, "badge", row->badge, state.badge);
  return SEEN_OK;
}

static void compare_totals(recount *self, const seen_totals *stored,
                           uint64_t records) {
  seen_totals counted;

  seen_engine_totals(self->engine, &counted);
  compare(self, "totals", "unread", stored->unread, counted.unread);
  compare(self, "totals", "conversations", stored->conversations,
          counted.conversations);
  compare(self, "totals", "muted", stored->muted, counted.muted);
  compare(self, "totals", "mentions", stored->mentions, counted.mentions);
  compare(self, "totals", "records", records, self->records);
}

static outcome check(seen_store *store, recount *self) {
  seen_error error = SEEN_ERROR_INIT;
  seen_totals totals;
  uint64_t records;
  int status = store->load(store, compare_row, self, &error);

  if (status == SEEN_OK)
    status = store->totals(store, &totals, &records, &error);
  if (status == SEEN_OK) {
    compare_totals(self, &totals, records);
  } else if (status == SEEN_ECORRUPT) {
    self->differences++;
    printf("%s: %s\n", self->path, error.message);
  } else {
    return fail(self->path, error.message);
  }
  if (self->differences > 0) return OUTCOME_DIFFERED;
  printf("%s: %zu conversations, nothing to correct\n", self->path,
         self->records);
  return OUTCOME_HELD;
}

/* A record that makes no sense is told here. */
static void tell(seen_log_level level, const char *text, void *user_data) {
  recount *self = user_data;

  (void)level;
  self->differences++;
  printf("%s: %s\n", self->path, text);
}

static outcome show(seen_store *store, recount *self, bool checks,
                    const ending *end) {
  seen_engine *engine = (seen_engine *)self->engine;
  outcome result = checks ? check(store, self) : OUTCOME_HELD;

  if (end->states) table_print(engine, CAP);
  if (end->explain == NULL || table_explain(engine, end->explain))
    return result;
  fprintf(stderr, "%s: no conversation '%s' to explain\n", self->path,
          end->explain);
  return OUTCOME_ERROR;
}

static outcome open_mirror(seen_store *store, recount *self, bool checks,
                           const ending *end) {
  seen_error error = SEEN_ERROR_INIT;
  seen_mirror *mirror;
  seen_options options;
  outcome result;
  seen_meta meta;

  memset(&meta, 0, sizeof meta);
  meta.size = (uint32_t)sizeof meta;
  if (store->meta(store, &meta, &error) != SEEN_OK)
    return fail(self->path, error.message);
  if (meta.user[0] == '\0') return fail(self->path, "nothing was written yet");
  seen_options_init(&options);
  options.user = meta.user;
  options.device = meta.device;
  options.log = tell;
  options.log_user_data = self;
  if (seen_mirror_open(&options, store, 0, &mirror, NULL, &error) != SEEN_OK)
    return fail(self->path, error.message);
  self->engine = seen_mirror_engine(mirror);
  result = show(store, self, checks, end);
  seen_mirror_free(mirror);
  return result;
}

outcome database_show(const char *path, bool checks, const ending *end) {
  recount self = {path, NULL, 0, 0};
  seen_error error = SEEN_ERROR_INIT;
  seen_sqlite_options options;
  seen_store *store;
  outcome result;

  seen_sqlite_options_init(&options);
  options.path = path;
  options.read_only = true;
  if (seen_store_open_sqlite(&options, &store, &error) != SEEN_OK)
    return fail(path, error.message);
  result = open_mirror(store, &self, checks, end);
  store->close(store);
  return result;
}
