/*
 * The engine of the past lives as its model did: timers fire when they are
 * due, and what is to be written is written at once.
 */
#include "client/past.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "trace/pack.h"

static const seen_allocator *memory_of(const sn_past *past) {
  return past->options.allocator;
}

void sn_past_init(sn_past *past, const seen_options *options) {
  *past = (sn_past){.options = *options};
  past->options.log = NULL; /* its model says it already */
}

void sn_past_free(sn_past *past) {
  for (size_t i = 0; i < past->capacity; i++)
    sn_release(memory_of(past), past->written[i].bytes);
  sn_release(memory_of(past), past->written);
  seen_engine_free(past->engine);
  past->engine = NULL;
  past->written = NULL;
  past->capacity = 0;
}

static int need_written(sn_past *past, seen_conv conv) {
  size_t had = past->capacity;

  if (SN_RESERVE(memory_of(past), &past->written, &past->capacity,
                 (size_t)conv + 1))
    return SEEN_ENOMEM;
  for (size_t i = had; i < past->capacity; i++)
    past->written[i] = (sn_kept){0};
  return SEEN_OK;
}

static int write_record(sn_past *past, seen_conv conv,
                        const seen_record *record) {
  seen_trace_line line = {.size = sizeof line, .type = SEEN_TRACE_RECORD};
  sn_text bytes;
  int status;

  if (need_written(past, conv)) return SEEN_ENOMEM;
  line.u.record = *record;
  sn_text_growing(&bytes, memory_of(past));
  status = sn_pack_line(&bytes, &line, NULL);
  if (status == SEEN_OK) status = bytes.status;
  if (status == SEEN_OK) {
    sn_release(memory_of(past), past->written[conv].bytes);
    past->written[conv].bytes =
        sn_copy_text(memory_of(past), bytes.bytes, bytes.length);
    past->written[conv].size = bytes.length;
    if (past->written[conv].bytes == NULL) status = SEEN_ENOMEM;
  }
  sn_text_free(&bytes);
  return status;
}

static void delete_record(sn_past *past, seen_conv conv) {
  if (conv >= past->capacity) return;
  sn_release(memory_of(past), past->written[conv].bytes);
  past->written[conv] = (sn_kept){0};
}

static void hold(const sn_past *past) {
  if (past->lock != NULL) sn_platform_mutex_lock(past->lock);
}

static void let_go(const sn_past *past) {
  if (past->lock != NULL) sn_platform_mutex_unlock(past->lock);
}

/*
 * Takes what is held of one conversation; what is written of it is the same
 * where nothing changed since. What is borrowed is good without the lock: only
 * a feed or another record ends it.
 */
static int take_conv(sn_past *past, seen_engine *of, seen_conv conv,
                     const char *id, seen_error *error) {
  seen_record record = {.size = sizeof record};
  seen_working working = {.size = sizeof working};
  int has_record, has_working, status = SEEN_OK;

  hold(past);
  has_record = seen_engine_record(of, conv, &record);
  has_working = seen_engine_working(of, conv, &working);
  let_go(past);
  if (has_record == SEEN_ENOMEM || has_working != SEEN_OK)
    return sn_fail_memory(error);
  if (has_record == SEEN_OK)
    status = seen_engine_restore(past->engine, &record, error);
  if (status == SEEN_OK)
    status = seen_engine_resume(past->engine, id, &working, error);
  if (status == SEEN_OK && has_record == SEEN_OK &&
      (working.flags & SEEN_WORKING_UNWRITTEN) == 0)
    status = write_record(past, conv, &record);
  return status;
}

/* Of what changed since, the store has what was written. */
static int take_stored(const seen_record *record, const seen_row *row,
                       void *user_data) {
  sn_past *past = user_data;
  seen_conv conv = seen_engine_find(past->engine, record->id);
  seen_working working = {.size = sizeof working};

  (void)row;
  if (conv == 0) return SEEN_OK;
  if (seen_engine_working(past->engine, conv, &working) != SEEN_OK)
    return SEEN_ENOMEM;
  return (working.flags & SEEN_WORKING_UNWRITTEN) != 0
             ? write_record(past, conv, record)
             : SEEN_OK;
}

static int take_all(sn_past *past, seen_engine *of, seen_store *store,
                    seen_error *error) {
  seen_session session = {.size = sizeof session};
  const char *id;
  int status;

  hold(past);
  seen_engine_session(of, &session);
  let_go(past);
  status = seen_engine_new(&past->options, session.now, &past->engine, error);
  for (seen_conv conv = 1;
       status == SEEN_OK && (id = seen_engine_id(of, conv)) != NULL; conv++)
    status = take_conv(past, of, conv, id, error);
  if (status == SEEN_OK && store != NULL)
    status = store->load(store, take_stored, past, error);
  if (status == SEEN_OK)
    status = seen_engine_resume_session(past->engine, &session, error);
  return status;
}

int sn_past_begin(sn_past *past, seen_engine *of, seen_store *store,
                  seen_error *error) {
  int status;

  sn_past_free(past);
  status = take_all(past, of, store, error);
  if (status != SEEN_OK) sn_past_free(past);
  return status;
}

uint64_t sn_past_now(const sn_past *past) {
  seen_session session = {.size = sizeof session};

  seen_engine_session(past->engine, &session);
  return session.now;
}

static int feed(sn_past *past, const seen_input *input, uint64_t at,
                seen_error *error) {
  int status = seen_engine_feed(past->engine, input, at, error);
  seen_effect effect = {.size = sizeof effect};
  seen_record record = {.size = sizeof record};

  while (status == SEEN_OK && seen_engine_next(past->engine, &effect)) {
    if (effect.type == SEEN_EFFECT_DELETE) delete_record(past, effect.conv);
    if (effect.type != SEEN_EFFECT_STORE) continue;
    status = seen_engine_record(past->engine, effect.conv, &record);
    if (status == SEEN_OK) status = write_record(past, effect.conv, &record);
    if (status != SEEN_OK) sn_fail_memory(error);
  }
  return status;
}

int sn_past_feed(sn_past *past, const seen_input *input, uint64_t at,
                 seen_error *error) {
  const seen_input tick = {.size = sizeof tick, .type = SEEN_INPUT_TICK};
  int status = SEEN_OK;
  uint64_t due;

  while (status == SEEN_OK &&
         (due = seen_engine_deadline(past->engine)) <= at) {
    uint64_t now = sn_past_now(past);

    status = feed(past, &tick, due > now ? due : now, error);
  }
  if (status == SEEN_OK) status = feed(past, input, at, error);
  if (status != SEEN_OK) sn_past_free(past);
  return status;
}

/* What was written of a conversation that changed since; NULL: nothing. */
static int unpack_written(const sn_past *past, seen_conv conv,
                          seen_trace_line **out, seen_error *error) {
  *out = NULL;
  if (conv >= past->capacity || past->written[conv].bytes == NULL)
    return SEEN_OK;
  return sn_unpack_line(past->written[conv].bytes, past->written[conv].size,
                        memory_of(past), out, error);
}

static int give_conv(sn_past *past, seen_conv conv, const char *id,
                     sn_take_line take, void *user_data, seen_error *error) {
  seen_trace_line line = {.size = sizeof line, .type = SEEN_TRACE_RECORD};
  seen_working working = {.size = sizeof working};
  seen_trace_line *written = NULL;
  int status = seen_engine_record(past->engine, conv, &line.u.record);

  if (status == SEEN_ENOTFOUND) {
    line.type = SEEN_TRACE_WORKING;
    line.u.id = id;
  } else if (status != SEEN_OK) {
    return sn_fail_memory(error);
  }
  if (seen_engine_working(past->engine, conv, &working) != SEEN_OK)
    return sn_fail_memory(error);
  line.working = &working;
  if ((working.flags & SEEN_WORKING_UNWRITTEN) != 0) {
    status = unpack_written(past, conv, &written, error);
    if (status != SEEN_OK) return status;
    if (written != NULL) line.written = &written->u.record;
  }
  status = take(&line, user_data, error);
  seen_trace_line_free(written);
  return status;
}

int sn_past_each(sn_past *past, sn_take_line take, void *user_data,
                 seen_error *error) {
  seen_trace_line line = {
      .size = sizeof line, .type = SEEN_TRACE_ME, .has_at = true};
  seen_session session = {.size = sizeof session};
  const char *id;
  int status;

  seen_engine_session(past->engine, &session);
  line.at = session.now;
  line.u.me = past->options;
  status = take(&line, user_data, error);
  for (seen_conv conv = 1;
       status == SEEN_OK && (id = seen_engine_id(past->engine, conv)) != NULL;
       conv++)
    status = give_conv(past, conv, id, take, user_data, error);
  if (status != SEEN_OK) return status;
  line = (seen_trace_line){
      .size = sizeof line, .type = SEEN_TRACE_SESSION, .u.session = session};
  return take(&line, user_data, error);
}
