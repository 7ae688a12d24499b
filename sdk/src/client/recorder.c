/*
 * A past, the inputs since in a ring, and a journal of files. An input that
 * falls out of the ring is fed to the past; since an engine does the same
 * with the same inputs, what both give is the present.
 *
 * Whatever fails for want of memory ends the recording (the past has no
 * engine then), and the next note begins another one: there may be a gap
 * before what is recorded, but none in it.
 */
#include "client/recorder.h"

#include <string.h>

#include "base/fail.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/journal.h"
#include "client/past.h"
#include "client/ring.h"
#include "trace/pack.h"

struct seen_recorder {
  const seen_allocator *memory;
  seen_engine *engine; /* that is recorded */
  char *user;
  char *device;
  sn_past past;
  sn_ring ring;
  sn_text packed; /* the input that is noted */
  size_t capacity;
  size_t bytes;
  uint64_t now;
  sn_log log;
  sn_journal journal;
};

void seen_recorder_options_init(seen_recorder_options *options) {
  *options = (seen_recorder_options){.size = sizeof *options,
                                     .capacity = 4096,
                                     .bytes = (size_t)1 << 20,
                                     .file_bytes = (uint64_t)4 << 20};
}

static int check_options(const seen_recorder_options *options,
                         seen_error *error) {
  if (options->size != sizeof *options)
    return sn_fail(error, SEEN_EINVAL, "recording.size is not this library's");
  if (options->capacity == 0)
    return sn_fail(error, SEEN_EINVAL, "a recorder of no inputs");
  if (options->path != NULL && options->file_bytes < SN_JOURNAL_LEAST)
    return sn_fail(error, SEEN_EINVAL, "file_bytes is below %u",
                   (uint64_t)SN_JOURNAL_LEAST);
  return SEEN_OK;
}

static void drop(seen_recorder *recorder) {
  sn_past_free(&recorder->past);
  sn_ring_free(&recorder->ring);
  sn_text_free(&recorder->packed);
  sn_text_growing(&recorder->packed, recorder->memory);
}

/* Unpacks one of the ring's inputs. */
static int unpack(const seen_recorder *recorder, sn_noted noted,
                  seen_trace_line **out, seen_error *error) {
  int status =
      sn_unpack_line(noted.bytes, noted.size, recorder->memory, out, error);

  if (status != SEEN_OK) return status;
  (*out)->has_at = true;
  (*out)->at = noted.at;
  return SEEN_OK;
}

/* `*at` becomes the last one's time. */
static int each_input(const seen_recorder *recorder, sn_take_line take,
                      void *user_data, uint64_t *at, seen_error *error) {
  size_t place = 0;
  sn_noted noted;

  while (sn_ring_next(&recorder->ring, &place, &noted)) {
    seen_trace_line *line;
    int status = unpack(recorder, noted, &line, error);

    if (status != SEEN_OK) return status;
    status = take(line, user_data, error);
    seen_trace_line_free(line);
    if (status != SEEN_OK) return status;
    *at = noted.at;
  }
  return SEEN_OK;
}

/* The past, the inputs, and a tick where time passed since. */
static int each_line(void *source, sn_take_line take, void *user_data,
                     seen_error *error) {
  seen_recorder *recorder = source;
  const seen_trace_line tick = {
      .size = sizeof tick,
      .type = SEEN_TRACE_INPUT,
      .has_at = true,
      .at = recorder->now,
      .u.input = {.size = sizeof tick.u.input, .type = SEEN_INPUT_TICK}};
  uint64_t at = sn_past_now(&recorder->past);
  int status = sn_past_each(&recorder->past, take, user_data, error);

  if (status == SEEN_OK)
    status = each_input(recorder, take, user_data, &at, error);
  if (status != SEEN_OK || at == recorder->now) return status;
  return take(&tick, user_data, error);
}

static sn_lines lines_of(seen_recorder *recorder) {
  return (sn_lines){each_line, recorder};
}

static int begin(seen_recorder *recorder, seen_store *store,
                 seen_error *error) {
  int status;

  drop(recorder);
  status = sn_past_begin(&recorder->past, recorder->engine, store, error);
  if (status != SEEN_OK) return status;
  recorder->now = sn_past_now(&recorder->past);
  sn_journal_begin(&recorder->journal, lines_of(recorder));
  return SEEN_OK;
}

static int copy_options(seen_recorder *recorder, const seen_options *options,
                        seen_error *error) {
  seen_options copy = *options;

  recorder->user =
      sn_copy_text(recorder->memory, options->user, strlen(options->user));
  recorder->device =
      sn_copy_text(recorder->memory, options->device, strlen(options->device));
  if (recorder->user == NULL || recorder->device == NULL)
    return sn_fail_memory(error);
  copy.user = recorder->user;
  copy.device = recorder->device;
  copy.allocator = recorder->memory;
  sn_past_init(&recorder->past, &copy);
  return SEEN_OK;
}

static int set_up(seen_recorder *recorder,
                  const seen_recorder_options *recording,
                  const seen_options *options, seen_store *store,
                  sn_mutex *lock, seen_error *error) {
  int status;

  recorder->capacity = recording->capacity;
  recorder->bytes = recording->bytes;
  recorder->log =
      (sn_log){options->log, options->log_user_data, options->log_level};
  sn_ring_init(&recorder->ring, recorder->memory);
  sn_text_growing(&recorder->packed, recorder->memory);
  status = copy_options(recorder, options, error);
  recorder->past.lock = lock;
  if (status == SEEN_OK && recording->path != NULL)
    status = sn_journal_open(&recorder->journal, recording->path,
                             recording->file_bytes, &recorder->log,
                             recorder->memory, error);
  return status == SEEN_OK ? begin(recorder, store, error) : status;
}

int sn_recorder_new(const seen_recorder_options *recording,
                    const seen_options *options, seen_engine *engine,
                    seen_store *store, sn_mutex *lock, seen_recorder **out,
                    seen_error *error) {
  const seen_allocator *memory;
  seen_recorder *recorder;
  int status = check_options(recording, error);

  *out = NULL;
  if (status == SEEN_OK) status = seen_options_check(options, error);
  if (status != SEEN_OK) return status;
  memory = options->allocator != NULL ? options->allocator
                                      : seen_allocator_default();
  recorder = sn_allocate_zero(memory, sizeof *recorder);
  if (recorder == NULL) return sn_fail_memory(error);
  recorder->memory = memory;
  recorder->engine = engine;
  status = set_up(recorder, recording, options, store, lock, error);
  if (status == SEEN_OK)
    *out = recorder;
  else
    seen_recorder_free(recorder);
  return status;
}

int seen_recorder_new(const seen_recorder_options *recording,
                      const seen_options *options, seen_engine *engine,
                      seen_store *store, seen_recorder **out,
                      seen_error *error) {
  return sn_recorder_new(recording, options, engine, store, NULL, out, error);
}

void seen_recorder_free(seen_recorder *recorder) {
  if (recorder == NULL) return;
  sn_journal_close(&recorder->journal);
  sn_past_free(&recorder->past);
  sn_ring_free(&recorder->ring);
  sn_text_free(&recorder->packed);
  sn_release(recorder->memory, recorder->user);
  sn_release(recorder->memory, recorder->device);
  sn_release(recorder->memory, recorder);
}

int seen_recorder_restart(seen_recorder *recorder, seen_error *error) {
  return begin(recorder, NULL, error);
}

/* The oldest input becomes past. */
static int let_go(seen_recorder *recorder, seen_error *error) {
  seen_trace_line *line;
  size_t place = 0;
  sn_noted noted;
  int status;

  (void)sn_ring_next(&recorder->ring, &place, &noted);
  status = unpack(recorder, noted, &line, error);
  if (status != SEEN_OK) return status;
  status = sn_past_feed(&recorder->past, &line->u.input, line->at, error);
  seen_trace_line_free(line);
  sn_ring_pop(&recorder->ring);
  return status;
}

static bool is_full(const seen_recorder *recorder) {
  const sn_ring *ring = &recorder->ring;

  if (ring->count == 0) return false;
  return ring->count >= recorder->capacity ||
         sn_ring_bytes(ring) + recorder->packed.length > recorder->bytes;
}

static int keep(seen_recorder *recorder, uint64_t now, seen_error *error) {
  const sn_noted noted = {now, (const uint8_t *)recorder->packed.bytes,
                          recorder->packed.length};
  int status = SEEN_OK;

  if (recorder->packed.status != SEEN_OK) return sn_fail_memory(error);
  while (status == SEEN_OK && is_full(recorder))
    status = let_go(recorder, error);
  if (status == SEEN_OK && sn_ring_push(&recorder->ring, noted) != SEEN_OK)
    status = sn_fail_memory(error);
  return status;
}

/* The input with its conversation's id, packed. */
static int pack(seen_recorder *recorder, const seen_input *input,
                seen_error *error) {
  seen_trace_line line = {.size = sizeof line,
                          .type = SEEN_TRACE_INPUT,
                          .incarnation = "", /* no engine is told it */
                          .u.input = *input};

  if (input->conv != 0)
    line.u.input.id = seen_engine_id(recorder->engine, input->conv);
  recorder->packed.length = 0;
  return sn_pack_line(&recorder->packed, &line, error);
}

int seen_recorder_note(seen_recorder *recorder, const seen_input *input,
                       uint64_t now, seen_error *error) {
  int status;

  if (recorder->past.engine == NULL) return begin(recorder, NULL, error);
  if (now < recorder->now)
    return sn_fail(error, SEEN_ECLOCK, "now is %u, after %u", now,
                   recorder->now);
  if (input->type == SEEN_INPUT_TICK) {
    recorder->now = now;
    return SEEN_OK;
  }
  status = pack(recorder, input, error);
  if (status != SEEN_OK) return status;
  status = keep(recorder, now, error);
  if (status != SEEN_OK) {
    drop(recorder);
    return status;
  }
  recorder->now = now;
  sn_journal_add(&recorder->journal, now, recorder->packed.bytes,
                 recorder->packed.length, lines_of(recorder));
  return SEEN_OK;
}

int seen_recorder_dump(seen_recorder *recorder, seen_recorder_names names,
                       seen_recorder_take take, void *user_data,
                       seen_error *error) {
  int status = SEEN_OK;

  if (recorder->past.engine == NULL) status = begin(recorder, NULL, error);
  if (status != SEEN_OK) return status;
  return sn_lines_write(lines_of(recorder), names, recorder->memory, take,
                        user_data, error);
}
