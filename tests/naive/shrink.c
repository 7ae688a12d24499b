#include "naive/shrink.h"

#include <seen/sys/trace.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void naive_run_add(naive_run *run, const naive_step *step) {
  naive_step *steps = realloc(run->steps, (run->count + 1) * sizeof *steps);

  if (steps == NULL) abort();
  run->steps = steps;
  run->steps[run->count++] = *step;
}

void naive_run_free(naive_run *run) {
  free(run->steps);
  naive_world_free(run->world);
  *run = (naive_run){0};
}

/* What a difference is about: its words without conversation and numbers. */
static void kind_of(const char *difference, char *kind, size_t size) {
  size_t length = 0;
  bool word = false;

  for (; *difference != '\0' && length + 1 < size; difference++) {
    bool letter = (*difference >= 'a' && *difference <= 'z') ||
                  (*difference >= 'A' && *difference <= 'Z');
    bool id = letter && !word && difference[1] == '_';

    if (id)
      difference++;
    else if (letter)
      kind[length++] = *difference;
    word = letter;
  }
  kind[length] = '\0';
}

/* Plays it; returns how many steps it took to differ, 0: they agree. */
static size_t play(const naive_run *run, char *why, size_t size) {
  naive_player *player = player_new(&run->options, run->fault);
  char kind[sizeof run->kind];
  size_t played = 0;

  for (size_t i = 0; i < run->count && played == 0; i++)
    if (!player_step(player, &run->steps[i])) played = i + 1;
  kind_of(player_difference(player), kind, sizeof kind);
  if (played > 0 && run->kind[0] != '\0' && strcmp(run->kind, kind) != 0)
    played = 0;
  if (why != NULL && played > 0)
    snprintf(why, size, "%s", player_difference(player));
  player_free(player);
  return played;
}

bool naive_run_differs(const naive_run *run, char *why, size_t size) {
  return play(run, why, size) > 0;
}

static void cut_behind(naive_run *run) {
  size_t played = play(run, NULL, 0);

  if (played > 0) run->count = played;
}

/* Leaves out `width` steps from `at`, if it differs without them. */
static bool drop(naive_run *run, size_t at, size_t width) {
  naive_step *first = run->steps + at, *out = malloc(width * sizeof *out);
  size_t behind = run->count - at - width;
  bool differs;

  if (out == NULL) abort();
  memcpy(out, first, width * sizeof *out);
  memmove(first, first + width, behind * sizeof *first);
  run->count -= width;
  differs = naive_run_differs(run, NULL, 0);
  if (!differs) {
    memmove(first + width, first, behind * sizeof *first);
    memcpy(first, out, width * sizeof *out);
    run->count += width;
  }
  free(out);
  return differs;
}

static bool drop_any(naive_run *run) {
  bool any = false;

  for (size_t width = (run->count + 1) / 2; width > 0; width /= 2)
    for (size_t at = run->count; at > 0;) {
      at = at > width ? at - width : 0;
      if (at + width <= run->count) any = drop(run, at, width) || any;
    }
  return any;
}

/* Takes the time between a step and the one before away. */
static bool close_up(naive_run *run, size_t at) {
  uint64_t between = run->steps[at].at - (at > 0 ? run->steps[at - 1].at : 0);

  if (between == 0) return false;
  for (size_t i = at; i < run->count; i++)
    run->steps[i].at -= between;
  if (naive_run_differs(run, NULL, 0)) return true;
  for (size_t i = at; i < run->count; i++)
    run->steps[i].at += between;
  return false;
}

static seen_word *word_of(seen_input *input) {
  switch (input->type) {
  case SEEN_INPUT_CONVERSATION: return &input->u.snapshot.word;
  case SEEN_INPUT_POSITION: return &input->u.word;
  case SEEN_INPUT_ACK:
  case SEEN_INPUT_REFUSE:
    return input->u.answer.has_word ? &input->u.answer.word : NULL;
  default: return NULL;
  }
}

enum { WORD_SIMPLER = 8, ROW_SIMPLER = 7, MESSAGE_SIMPLER = 5 };

static void simplify_word(seen_word *word, unsigned how) {
  switch (how) {
  case 0: word->uncountable_count = 0; break;
  case 1: word->mention_count = 0; break;
  case 2: word->read.high = 0; break;
  default: word->fields &= ~(1u << (how - 3)); break;
  }
}

static void simplify_message(seen_message *said, unsigned how) {
  switch (how) {
  case 0: said->mention = SEEN_MENTION_NONE; break;
  case 1: said->hidden = false; break;
  case 2: said->sent_at = 0; break;
  case 3: said->countable = SEEN_COUNTABLE_BY_KIND; break;
  default:
    said->kind = SEEN_MESSAGE_TEXT;
    said->target = 0;
    break;
  }
}

/* Makes one step simpler in the `how`-th way; false: there is none. */
static bool simplify(naive_step *step, unsigned how) {
  seen_word *word = word_of(&step->input);

  if (step->deed != NAIVE_FEED) return false;
  if (step->input.type == SEEN_INPUT_MESSAGE && how < MESSAGE_SIMPLER)
    simplify_message(&step->input.u.message, how);
  else if (word != NULL && how < WORD_SIMPLER)
    simplify_word(word, how);
  else if (step->input.type == SEEN_INPUT_CONVERSATION &&
           how < WORD_SIMPLER + ROW_SIMPLER)
    step->input.u.snapshot.fields &= ~(1u << (how - WORD_SIMPLER));
  else
    return false;
  return true;
}

/* How much a step says: what is simpler says less. */
static size_t weight(const naive_step *step) {
  naive_step looked_at = *step;
  const seen_word *word = word_of(&looked_at.input);
  const seen_message *said = &step->input.u.message;
  size_t sum = 0;

  if (step->input.type == SEEN_INPUT_MESSAGE)
    return (said->mention != SEEN_MENTION_NONE) + (size_t)said->hidden +
           (said->sent_at != 0) + (said->countable != SEEN_COUNTABLE_BY_KIND) +
           (said->kind != SEEN_MESSAGE_TEXT) + (said->target != 0);
  if (word != NULL) {
    sum =
        word->uncountable_count + word->mention_count + (word->read.high != 0);
    for (uint32_t bits = word->fields; bits != 0; bits >>= 1)
      sum += bits & 1;
  }
  if (step->input.type == SEEN_INPUT_CONVERSATION)
    for (uint32_t bits = step->input.u.snapshot.fields; bits != 0; bits >>= 1)
      sum += bits & 1;
  return sum;
}

static bool simplify_any(naive_run *run) {
  bool any = false;

  for (size_t i = 0; i < run->count; i++) {
    any = close_up(run, i) || any;
    for (unsigned how = 0;; how++) {
      naive_step before = run->steps[i];

      if (!simplify(&run->steps[i], how)) break;
      if (weight(&run->steps[i]) == weight(&before)) continue;
      if (naive_run_differs(run, NULL, 0))
        any = true;
      else
        run->steps[i] = before;
    }
  }
  return any;
}

static void simplify_options(naive_run *run) {
  seen_options before = run->options;

  seen_options_init(&run->options);
  run->options.user = before.user;
  run->options.device = before.device;
  if (!naive_run_differs(run, NULL, 0)) run->options = before;
}

void naive_run_shrink(naive_run *run) {
  char why[512] = "";

  naive_run_differs(run, why, sizeof why);
  kind_of(why, run->kind, sizeof run->kind);
  cut_behind(run);
  while (drop_any(run))
    cut_behind(run);
  simplify_options(run);
  while (simplify_any(run) || drop_any(run))
    cut_behind(run);
  run->kind[0] = '\0';
}

static void print_line(const seen_trace_line *line) {
  size_t length;
  char *text;

  if (seen_trace_write(line, NULL, 0, &length, NULL) != SEEN_OK) {
    printf("# a step that no line can say\n");
    return;
  }
  text = malloc(length + 1);
  if (text == NULL) abort();
  seen_trace_write(line, text, length + 1, &length, NULL);
  printf("%s\n", text);
  free(text);
}

void naive_run_print(const naive_run *run) {
  seen_trace_line line = {.size = (uint32_t)sizeof line,
                          .type = SEEN_TRACE_ME,
                          .has_at = true,
                          .incarnation = "b"};

  line.u.me = run->options;
  print_line(&line);
  for (size_t i = 0; i < run->count; i++) {
    line.at = run->steps[i].at;
    line.type = run->steps[i].deed == NAIVE_RESTART ? SEEN_TRACE_RESTART
                                                    : SEEN_TRACE_INPUT;
    line.u.input = run->steps[i].input;
    if (run->steps[i].deed == NAIVE_MOVE)
      printf("# at %" PRIu64 " all goes to a new engine\n", line.at);
    else
      print_line(&line);
  }
  fflush(stdout);
}
