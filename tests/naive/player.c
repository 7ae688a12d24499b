#include "naive/player.h"

#include "naive/compare.h"
#include "support/dump.h"

#include <seen/sys/trace.h>
#include <seen/sys/working.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* S6: one conversation as it was last written. */
typedef struct written {
  char id[NAIVE_ID_MAX];
  test_dump line;
} written;

struct naive_player {
  seen_options options;
  seen_engine *engine;
  naive *model;
  uint64_t now;
  written store[PLAYER_CONVS];
  size_t store_count;
  naive_known known;
  bool by_handle;
  char difference[512];
};

bool differ(naive_player *player, const char *format, ...) {
  va_list arguments;

  va_start(arguments, format);
  if (player->difference[0] == '\0')
    vsnprintf(player->difference, sizeof player->difference, format, arguments);
  va_end(arguments);
  return false;
}

naive_player *player_new(const seen_options *options, naive_fault fault) {
  naive_player *made = calloc(1, sizeof *made);

  if (made == NULL) abort();
  made->options = *options;
  made->model = naive_new(options, 0);
  naive_break(made->model, fault);
  if (seen_engine_new(options, 0, &made->engine, NULL) != SEEN_OK) abort();
  return made;
}

void player_free(naive_player *player) {
  if (player == NULL) return;
  seen_engine_free(player->engine);
  naive_free(player->model);
  for (size_t i = 0; i < player->store_count; i++)
    test_dump_free(&player->store[i].line);
  free(player);
}

const char *player_difference(const naive_player *player) {
  return player->difference;
}

const naive *player_model(const naive_player *player) {
  return player->model;
}

static written *stored(naive_player *player, const char *id) {
  for (size_t i = 0; i < player->store_count; i++)
    if (strcmp(player->store[i].id, id) == 0) return &player->store[i];
  return NULL;
}

static void forget_record(naive_player *player, const char *id) {
  written *old = stored(player, id);

  if (old == NULL) return;
  test_dump_free(&old->line);
  *old = player->store[--player->store_count];
}

/* Writes a record as the host's store would. */
static bool write_record(naive_player *player, seen_conv conv, const char *id) {
  written *place = stored(player, id);

  if (place == NULL) {
    place = &player->store[player->store_count++];
    *place = (written){0};
    strncpy(place->id, id, sizeof place->id - 1);
  }
  test_dump_clear(&place->line);
  if (!test_dump_record(&place->line, player->engine, conv))
    return differ(player, "%s: there is no record to be written", id);
  return true;
}

static bool store(naive_player *player, const seen_effect *effect) {
  const char *id = seen_engine_id(player->engine, effect->conv);

  if (id == NULL)
    return differ(player, "an effect of the store without a conversation");
  naive_write(player->model, id);
  if (effect->type == SEEN_EFFECT_STORE)
    return write_record(player, effect->conv, id);
  forget_record(player, id);
  return true;
}

/* Takes one record back into a new engine. */
static bool restore(naive_player *player, const written *record) {
  seen_trace_line *line;
  seen_error error = SEEN_ERROR_INIT;
  int status = seen_trace_parse(record->line.text, record->line.length, NULL,
                                &line, &error);

  if (status != SEEN_OK)
    return differ(player, "%s: its record is no line: %s", record->id,
                  error.message);
  status = seen_engine_restore(player->engine, &line->u.record, &error);
  seen_trace_line_free(line);
  if (status != SEEN_OK)
    return differ(player, "%s: its record is refused: %s", record->id,
                  error.message);
  return true;
}

/* Pulls all effects: the store's are carried out, the rest is kept. */
static bool pull(naive_player *player, naive_effects *effects) {
  seen_effect effect = {.size = (uint32_t)sizeof effect};

  effects->sent_count = effects->cleared_count = 0;
  effects->list_changed = effects->totals_changed = effects->drifted = false;
  memset(effects->changed, 0, sizeof effects->changed);
  while (seen_engine_next(player->engine, &effect)) {
    if (effect.type == SEEN_EFFECT_SYNC) continue;
    if (effect.type == SEEN_EFFECT_STORE || effect.type == SEEN_EFFECT_DELETE) {
      if (!store(player, &effect)) return false;
    } else if (!effects_keep(effects, &effect)) {
      return differ(player, "more effects than a step can have");
    }
  }
  return true;
}

static bool compare_all(naive_player *player, const naive_step *step,
                        const naive_effects *effects, bool told) {
  const naive_pair pair = {
      player,      player->engine,   player->model, &player->known,
      player->now, &player->options, effects,       told};

  return compare_sent(&pair) && compare_rows(&pair) && compare_session(&pair) &&
         compare_written(&pair) &&
         compare_receipts(&pair,
                          step->deed == NAIVE_FEED ? step->input.id : NULL);
}

static void name_conv(naive_player *player, const char *id) {
  naive_known *known = &player->known;

  for (size_t i = 0; i < known->count; i++)
    if (strcmp(known->ids[i], id) == 0) return;
  if (known->count == PLAYER_CONVS) abort();
  strncpy(known->ids[known->count++], id, NAIVE_ID_MAX - 1);
}

/* The process dies; a new engine takes back what was written. */
static bool restart(naive_player *player, uint64_t now) {
  seen_input input = {.size = (uint32_t)sizeof input, .type = SEEN_INPUT_LINK};

  naive_restart(player->model, now);
  seen_engine_free(player->engine);
  player->engine = NULL;
  if (seen_engine_new(&player->options, now, &player->engine, NULL) != SEEN_OK)
    abort();
  for (size_t i = 0; i < player->store_count; i++)
    if (!restore(player, &player->store[i])) return false;
  if (seen_engine_feed(player->engine, &input, now, NULL) != SEEN_OK)
    return differ(player, "the link can't be down after a restart");
  return true;
}

/* One conversation, with what is in work of it, from one engine to another. */
static bool move_conv(naive_player *player, seen_conv conv, seen_engine *to) {
  const char *id = seen_engine_id(player->engine, conv);
  seen_record record = {.size = (uint32_t)sizeof record};
  seen_working working = {.size = (uint32_t)sizeof working};
  seen_error error = SEEN_ERROR_INIT;
  seen_conv moved;

  if (id == NULL || seen_engine_intern(to, id, &moved, NULL) != SEEN_OK ||
      moved != conv)
    return differ(player, "conversation %u gets another handle", conv);
  if (seen_engine_record(player->engine, conv, &record) == SEEN_OK &&
      seen_engine_restore(to, &record, &error) != SEEN_OK)
    return differ(player, "%s can't be restored: %s", id, error.message);
  if (seen_engine_working(player->engine, conv, &working) != SEEN_OK ||
      seen_engine_resume(to, id, &working, &error) != SEEN_OK)
    return differ(player, "%s can't be resumed: %s", id, error.message);
  return true;
}

/* A new engine goes on as the one that it was taken from. */
static bool move(naive_player *player) {
  seen_session session = {.size = (uint32_t)sizeof session};
  seen_error error = SEEN_ERROR_INIT;
  seen_engine *to;
  bool done = true;

  seen_engine_session(player->engine, &session);
  if (seen_engine_new(&player->options, session.now, &to, NULL) != SEEN_OK)
    abort();
  for (seen_conv conv = 1; seen_engine_id(player->engine, conv) != NULL && done;
       conv++)
    done = move_conv(player, conv, to);
  if (done && seen_engine_resume_session(to, &session, &error) != SEEN_OK)
    done = differ(player, "the session can't be resumed: %s", error.message);
  seen_engine_free(player->engine);
  player->engine = to;
  naive_outputs_clear(player->model);
  return done;
}

/* Every other input names its conversation by handle, where it has one. */
static bool feed(naive_player *player, const naive_step *step) {
  seen_input input = step->input;
  seen_error error = SEEN_ERROR_INIT;

  player->by_handle = !player->by_handle;
  if (player->by_handle && input.id != NULL)
    input.conv = seen_engine_find(player->engine, input.id);
  if (input.conv != 0) input.id = NULL;
  naive_outputs_clear(player->model);
  naive_feed(player->model, &step->input, step->at);
  if (seen_engine_feed(player->engine, &input, step->at, &error) != SEEN_OK)
    return differ(player, "the input is refused: %s", error.message);
  return true;
}

static bool carry_out(naive_player *player, const naive_step *step) {
  switch (step->deed) {
  case NAIVE_RESTART: return restart(player, step->at);
  case NAIVE_MOVE: return move(player);
  default: return feed(player, step);
  }
}

/* Carries out, pulls and compares. */
static bool play(naive_player *player, const naive_step *step) {
  static naive_effects effects;

  return carry_out(player, step) && pull(player, &effects) &&
         compare_all(player, step, &effects, step->deed == NAIVE_FEED);
}

bool player_step(naive_player *player, const naive_step *step) {
  naive_step tick = {.at = step->at};

  tick.input.size = (uint32_t)sizeof tick.input;
  if (step->deed != NAIVE_MOVE) player->now = step->at;
  if (step->deed == NAIVE_RESTART) /* timers due by now fire before */
    return play(player, &tick) && play(player, step);
  if (step->deed == NAIVE_FEED && step->input.id != NULL)
    name_conv(player, step->input.id);
  return play(player, step);
}
