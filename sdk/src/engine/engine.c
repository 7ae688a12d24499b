/* The engine's door: inputs in, time passing, effects out. It dispatches. */
#include "engine/core.h"

#include <assert.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "engine/check.h"
#include "engine/delivered.h"
#include "engine/everywhere.h"
#include "engine/fetches.h"
#include "engine/people.h"
#include "engine/person.h"
#include "engine/reading.h"
#include "engine/reporter.h"
#include "engine/server.h"
#include "engine/settings.h"
#include "engine/subscriptions.h"
#include "engine/totals.h"
#include "engine/upkeep.h"

static void set_defaults(seen_engine *engine, const seen_options *options,
                         const seen_allocator *memory, uint64_t now) {
  engine->memory = memory;
  engine->options = *options;
  engine->log =
      (sn_log){options->log, options->log_user_data, options->log_level};
  engine->random = options->seed;
  engine->registry.seed = sn_engine_random(engine);
  engine->now = engine->units_at = now;
  engine->units = (uint64_t)options->burst * SN_TOKEN;
  engine->link = engine->foreground = engine->focus = true;
  engine->dirty_since = SN_NO_TIME;
  engine->metrics.size = sizeof engine->metrics;
}

static int copy_names(seen_engine *engine, const seen_options *options) {
  engine->user =
      sn_copy_text(engine->memory, options->user, strlen(options->user));
  engine->device =
      sn_copy_text(engine->memory, options->device, strlen(options->device));
  if (!engine->user || !engine->device) return SEEN_ENOMEM;
  engine->options.user = engine->user;
  engine->options.device = engine->device;
  engine->me =
      sn_registry_need_user(engine->memory, &engine->registry, engine->user);
  return engine->me ? SEEN_OK : SEEN_ENOMEM;
}

int seen_engine_new(const seen_options *options, uint64_t now,
                    seen_engine **out, seen_error *error) {
  *out = NULL;
  int status = seen_options_check(options, error);
  if (status) return status;
  if (now > SEEN_SEQ_MAX)
    return sn_fail(error, SEEN_ERANGE, "now is above 2^53 - 1");
  const seen_allocator *memory =
      options->allocator ? options->allocator : seen_allocator_default();
  seen_engine *engine = sn_allocate_zero(memory, sizeof *engine);
  if (!engine) return sn_fail_memory(error);
  set_defaults(engine, options, memory, now);
  if (copy_names(engine, options)) {
    seen_engine_free(engine);
    return sn_fail_memory(error);
  }
  *out = engine;
  return SEEN_OK;
}

void seen_engine_free(seen_engine *engine) {
  if (!engine) return;
  const seen_allocator *memory = engine->memory;
  sn_registry_free(memory, &engine->registry);
  sn_order_free(memory, &engine->order);
  sn_outbox_free(memory, &engine->outbox);
  sn_timers_free(memory, &engine->reports);
  sn_timers_free(memory, &engine->waiting);
  sn_timers_free(memory, &engine->marks);
  sn_timers_free(memory, &engine->delivered);
  sn_timers_free(memory, &engine->fetches);
  sn_release(memory, engine->windows.items);
  sn_release(memory, engine->ready);
  sn_release(memory, engine->changed.items);
  sn_release(memory, engine->dirty.items);
  for (size_t i = 0; i < SN_SCRATCH_BLOCKS; i++)
    sn_release(memory, engine->scratch.blocks[i]);
  sn_release(memory, engine->user);
  sn_release(memory, engine->device);
  sn_release(memory, engine);
}

static seen_conv add_conv(seen_engine *engine, const char *id) {
  size_t total = (size_t)engine->registry.count + 1;
  if (sn_order_reserve(engine->memory, &engine->order, total) ||
      SN_RESERVE(engine->memory, &engine->changed.items,
                 &engine->changed.capacity, total) ||
      SN_RESERVE(engine->memory, &engine->dirty.items, &engine->dirty.capacity,
                 total))
    return 0;
  return sn_registry_add(engine->memory, &engine->registry, id, strlen(id));
}

int seen_engine_intern(seen_engine *engine, const char *id, seen_conv *conv,
                       seen_error *error) {
  int status = sn_check_id(id, "the conversation's id", error);
  if (status) return status;
  *conv = sn_registry_find(&engine->registry, id);
  if (!*conv) *conv = add_conv(engine, id);
  return *conv ? SEEN_OK : sn_fail_memory(error);
}

static int conv_input(seen_engine *engine, sn_conv *conv,
                      const seen_input *input) {
  switch (input->type) {
  case SEEN_INPUT_CONVERSATION:
    return sn_server_conversation(engine, conv, &input->u.snapshot);
  case SEEN_INPUT_MESSAGE:
    return sn_server_message(engine, conv, &input->u.message);
  case SEEN_INPUT_POSITION:
    return sn_server_position(engine, conv, &input->u.word);
  case SEEN_INPUT_ACK: return sn_server_ack(engine, conv, &input->u.answer);
  case SEEN_INPUT_REFUSE:
    return sn_server_refuse(engine, conv, &input->u.answer);
  case SEEN_INPUT_FOUND: return sn_server_found(engine, conv, &input->u.found);
  case SEEN_INPUT_MEMBERS:
    return sn_people_members(engine, conv, &input->u.members);
  case SEEN_INPUT_PEER: return sn_people_peer(engine, conv, &input->u.peer);
  case SEEN_INPUT_RECEIPTS:
    return sn_people_receipts(engine, conv, &input->u.receipts);
  case SEEN_INPUT_SET:
    sn_settings_said(engine, conv, &input->u.settings);
    return SEEN_OK;
  case SEEN_INPUT_LEFT: return sn_server_left(engine, conv);
  case SEEN_INPUT_FORGET: return sn_person_forget(engine, conv);
  case SEEN_INPUT_OPEN: return sn_person_open(engine, conv);
  case SEEN_INPUT_VISIBLE:
    return sn_person_visible(engine, conv, input->u.range);
  case SEEN_INPUT_CLOSE: return sn_person_close(engine, conv);
  case SEEN_INPUT_MARK_READ:
    return sn_person_mark_read(engine, conv, input->u.seq);
  case SEEN_INPUT_MARK_UNREAD:
    return sn_person_mark_unread(engine, conv, input->u.seq);
  case SEEN_INPUT_CLEAR_MENTIONS: return sn_person_clear_mentions(engine, conv);
  case SEEN_INPUT_MUTE: return sn_person_mute(engine, conv, input->u.on);
  default: return sn_person_pin(engine, conv, input->u.on);
  }
}

static int everywhere_input(seen_engine *engine, const seen_input *input) {
  switch (input->type) {
  case SEEN_INPUT_READ_ALL: return sn_everywhere_read_all(engine);
  case SEEN_INPUT_APP: return sn_everywhere_app(engine, input->u.on);
  case SEEN_INPUT_FOCUS: return sn_everywhere_focus(engine, input->u.on);
  case SEEN_INPUT_LINK: return sn_everywhere_link(engine, input->u.on);
  case SEEN_INPUT_FLUSH:
  case SEEN_INPUT_REPORT_NOW: return sn_everywhere_hurry(engine);
  case SEEN_INPUT_SERVER_RESET: return sn_everywhere_server_reset(engine);
  case SEEN_INPUT_SNAPSHOT_END: return sn_everywhere_snapshot_end(engine);
  case SEEN_INPUT_AUDIT: return sn_everywhere_audit(engine);
  default: return SEEN_OK; /* a tick */
  }
}

/* Whether such an input changes something that is written (S6). */
static bool changes_state(seen_input_type type) {
  switch (type) {
  case SEEN_INPUT_TICK:
  case SEEN_INPUT_OPEN:
  case SEEN_INPUT_VISIBLE:
  case SEEN_INPUT_APP:
  case SEEN_INPUT_FOCUS:
  case SEEN_INPUT_LINK:
  case SEEN_INPUT_FLUSH:
  case SEEN_INPUT_REPORT_NOW:
  case SEEN_INPUT_AUDIT: return false;
  default: return true;
  }
}

/* What a person said by name, a close and a background are written at once. */
static bool persists_at_once(const seen_engine *engine,
                             const seen_input *input) {
  switch (input->type) {
  case SEEN_INPUT_CLOSE:
  case SEEN_INPUT_MARK_READ:
  case SEEN_INPUT_MARK_UNREAD:
  case SEEN_INPUT_CLEAR_MENTIONS:
  case SEEN_INPUT_MUTE:
  case SEEN_INPUT_PIN:
  case SEEN_INPUT_FORGET:
  case SEEN_INPUT_READ_ALL: return true;
  case SEEN_INPUT_APP: return !input->u.on;
  case SEEN_INPUT_MESSAGE:
    return engine->options.own_send == SEEN_OWN_SEND_READS &&
           strcmp(input->u.message.from, engine->user) == 0;
  default: return false;
  }
}

/* Of those, what may be followed by the end of power or process (S6). */
static bool is_farewell(const seen_input *input) {
  return input->type == SEEN_INPUT_CLOSE ||
         (input->type == SEEN_INPUT_APP && !input->u.on);
}

static uint64_t persist_due(const seen_engine *engine) {
  return engine->dirty_since == SN_NO_TIME
             ? SEEN_NEVER
             : engine->dirty_since + engine->options.persist_ms;
}

/* When something is due, whether there is a token for it or not. */
static uint64_t first_due(const seen_engine *engine) {
  uint64_t due = persist_due(engine);
  if (engine->windows.count) due = sn_min(due, sn_read_due(engine));
  if (!engine->link) return due;
  if (engine->waiting.count) return engine->now;
  due = sn_min(due, sn_timers_due(&engine->reports));
  due = sn_min(due, sn_timers_due(&engine->marks));
  due = sn_min(due, sn_timers_due(&engine->delivered));
  return sn_min(due, sn_timers_due(&engine->fetches));
}

uint64_t seen_engine_deadline(const seen_engine *engine) {
  uint64_t due = sn_min(sn_read_due(engine), persist_due(engine));
  if (!engine->link) return due;
  due = sn_min(due, sn_reporter_due(engine));
  due = sn_min(due, sn_timers_due(&engine->delivered));
  return sn_min(due, sn_timers_due(&engine->fetches));
}

/* What else than time can make something due. */
static bool follows_the_screen(const seen_engine *engine) {
  return engine->windows.count && (engine->options.read == SEEN_READ_ON_OPEN ||
                                   engine->options.subscriptions);
}

/* Everything that is due now, in the order of V10. */
static int run_due(seen_engine *engine) {
  sn_read_run(engine);
  int status = sn_reporter_run(engine);
  if (!status) status = sn_delivered_run(engine);
  if (!status) status = sn_subscriptions_run(engine);
  if (!status) status = sn_fetches_run(engine);
  if (persist_due(engine) <= engine->now) sn_engine_persist(engine);
  return status;
}

static int turn(seen_engine *engine) {
  int status = SEEN_OK;
  if (first_due(engine) <= engine->now || follows_the_screen(engine))
    status = run_due(engine);
  sn_outbox_end_turn(&engine->outbox, &engine->registry);
  return status;
}

static int run_until(seen_engine *engine, uint64_t now) {
  while (first_due(engine) <= now) {
    uint64_t due = seen_engine_deadline(engine);
    if (due > now) break; /* it waits for a token */
    engine->now = sn_max(engine->now, due);
    if (turn(engine)) return SEEN_ENOMEM;
  }
  engine->now = now;
  return SEEN_OK;
}

static bool asks_for_row(seen_input_type type) {
  return type == SEEN_INPUT_MESSAGE || type == SEEN_INPUT_POSITION;
}

/*
 * The conversation that an input concerns; NULL for one without a handle
 * whose input is to be ignored.
 */
static int find_conv(seen_engine *engine, const seen_input *input,
                     sn_conv **conv, seen_error *error) {
  seen_conv handle = input->conv;
  *conv = NULL;
  if (handle > engine->registry.count)
    return sn_fail(error, SEEN_EINVAL, "no such conversation handle");
  if (!handle && input->id) /* what has a handle was checked */
    handle = sn_registry_find(&engine->registry, input->id);
  if (!handle) {
    int status = sn_check_id(input->id, "the conversation's id", error);
    if (status) return status;
    assert(input->id);
    if ((input->type == SEEN_INPUT_CONVERSATION ||
         (asks_for_row(input->type) && engine->link))) {
      handle = add_conv(engine, input->id);
      if (!handle) return sn_fail_memory(error);
    }
  }
  if (handle) *conv = sn_engine_conv(engine, handle);
  return SEEN_OK;
}

/* S8: a message or position for an unknown conversation asks for its row. */
static int unknown_conv(seen_engine *engine, sn_conv *conv,
                        seen_input_type type) {
  if (!conv || !asks_for_row(type) || !engine->link ||
      sn_conv_has(conv, SN_FETCHED))
    return SEEN_OK;
  if (sn_outbox_reserve(engine->memory, &engine->outbox, 1, 0))
    return SEEN_ENOMEM;
  sn_conv_flag(conv, SN_FETCHED, true);
  sn_outbox_put(&engine->outbox, SEEN_EFFECT_FETCH, conv->handle, 0, 0);
  return SEEN_OK;
}

static int take_conv_input(seen_engine *engine, sn_conv *conv,
                           const seen_input *input) {
  if (input->type != SEEN_INPUT_CONVERSATION &&
      (!conv || !sn_conv_has(conv, SN_ROW)))
    return unknown_conv(engine, conv, input->type);
  uint64_t retry_at = conv->reading ? conv->reading->retry_at : SN_NO_TIME;
  sn_reporter_end_wait(engine, conv);
  if (conv_input(engine, conv, input)) {
    if (conv->reading) conv->reading->retry_at = retry_at;
    return SEEN_ENOMEM;
  }
  if (changes_state(input->type)) sn_engine_dirty(engine, conv);
  if (input->type != SEEN_INPUT_VISIBLE && input->type != SEEN_INPUT_FORGET)
    sn_engine_refresh(engine, conv);
  return SEEN_OK;
}

/* The screen as it was, which a UI says at each of its frames. */
static bool changes_nothing(const sn_conv *conv, const seen_input *input) {
  return input->type == SEEN_INPUT_VISIBLE && conv &&
         sn_person_sees(conv, input->u.range);
}

static int check_time(const seen_engine *engine, uint64_t now,
                      seen_error *error) {
  if (now > SEEN_SEQ_MAX)
    return sn_fail(error, SEEN_ERANGE, "now is above 2^53 - 1");
  if (now < engine->now)
    return sn_fail(error, SEEN_ECLOCK, "now is %u, after %u", now, engine->now);
  return SEEN_OK;
}

int seen_engine_feed(seen_engine *engine, const seen_input *input, uint64_t now,
                     seen_error *error) {
  bool has_conv = SEEN_INPUT_HAS_CONV(input->type);
  sn_conv *conv = NULL;
  int status = sn_check_input(input, error);
  if (!status) status = check_time(engine, now, error);
  if (!status && has_conv) status = find_conv(engine, input, &conv, error);
  if (status) return status;
  sn_outbox_trim(&engine->outbox);
  engine->fed = true;
  status = run_until(engine, now);
  if (!status && has_conv && changes_nothing(conv, input)) return SEEN_OK;
  if (!status)
    status = has_conv ? take_conv_input(engine, conv, input)
                      : everywhere_input(engine, input);
  if (status) return sn_fail_memory(error);
  if (changes_state(input->type) && engine->dirty_since == SN_NO_TIME)
    engine->dirty_since = now;
  status = turn(engine);
  if (persists_at_once(engine, input)) sn_engine_persist(engine);
  engine->sync |= is_farewell(input);
  return status ? sn_fail_memory(error) : SEEN_OK;
}

static bool pull_store(seen_engine *engine, seen_effect *effect) {
  if (!engine->writable) return false;
  engine->writable--;
  const sn_conv *conv = sn_engine_pull(engine, &engine->dirty, SN_DIRTY);
  effect->conv = conv->handle;
  effect->type =
      sn_conv_has(conv, SN_ROW) ? SEEN_EFFECT_STORE : SEEN_EFFECT_DELETE;
  return true;
}

/* Behind what is written: it is to outlive a power failure (S6). */
static bool pull_sync(seen_engine *engine, seen_effect *effect) {
  if (!engine->sync) return false;
  engine->sync = false;
  effect->conv = 0;
  effect->type = SEEN_EFFECT_SYNC;
  return true;
}

static bool pull_changed(seen_engine *engine, seen_effect *effect) {
  if (!engine->changed.count) return false;
  effect->conv = sn_engine_pull(engine, &engine->changed, SN_CHANGED)->handle;
  effect->type = SEEN_EFFECT_CONVERSATION_CHANGED;
  return true;
}

static bool pull_notice(seen_engine *engine, seen_effect *effect) {
  effect->conv = 0;
  if (engine->list_changed) {
    engine->list_changed = false;
    effect->type = SEEN_EFFECT_LIST_CHANGED;
  } else if (!sn_totals_equal(&engine->totals, &engine->told)) {
    engine->told = engine->totals;
    effect->type = SEEN_EFFECT_TOTALS_CHANGED;
  } else if (engine->drifts) {
    engine->drifts = 0;
    effect->type = SEEN_EFFECT_DRIFT;
  } else {
    return false;
  }
  return true;
}

bool seen_engine_next(seen_engine *engine, seen_effect *effect) {
  *effect = (seen_effect){.size = sizeof *effect};
  return sn_outbox_pull(&engine->outbox, effect) ||
         pull_store(engine, effect) || pull_sync(engine, effect) ||
         pull_changed(engine, effect) || pull_notice(engine, effect);
}
