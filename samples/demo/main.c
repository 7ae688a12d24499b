/*
 * seen-demo: three real chats at high speed, as a conversation list in the
 * terminal, and then a recount of all its numbers from the logs.
 */
#include "clock.h"
#include "recount.h"
#include "screen.h"
#include "story.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DRAW_MS 40
#define LONGEST_MS 18000 /* after it nothing is waited for */

/* How many times faster than life. */
#define SPEED_READING 40
#define SPEED_AWAY 1000

typedef struct pace {
  bool terminal;
  uint64_t began;
  uint64_t drawn;
  uint64_t wait_us; /* the story's time so far, at its speed */
} pace;

/* What a person does, as far as it is told without a terminal. */
static const char *act_of(const seen_input *input) {
  switch (input->type) {
  case SEEN_INPUT_OPEN: return "opens";
  case SEEN_INPUT_CLOSE: return "closes";
  case SEEN_INPUT_MUTE: return "mutes";
  case SEEN_INPUT_MARK_UNREAD: return "marks as unread";
  default: return NULL;
  }
}

/* An act that is to be told once it is done. */
typedef struct act {
  const char *conv;
  const char *what; /* NULL: none */
} act;

/* What is opened is shown as it was before, all else as it is after. */
static void take_input(simulation *of, const seen_input *input,
                       void *user_data) {
  act *last = user_data;

  *last = (act){input->id, act_of(input)};
  if (input->type != SEEN_INPUT_OPEN) return;
  screen_print(of, last->conv, last->what);
  last->what = NULL;
}

static void settle(simulation *of, void *user_data) {
  act *last = user_data;

  if (last->what != NULL) screen_print(of, last->conv, last->what);
  last->what = NULL;
}

static void draw(pace *self, story *told) {
  screen_draw(&told->simulation, self->drawn > 0);
  self->drawn = clock_now_ms();
}

/* Waits until it is time for what happens next, and draws meanwhile. */
static void wait_for(pace *self, story *told) {
  uint64_t ahead = story_due(told) - told->simulation.host.now;
  uint64_t now = clock_now_ms();
  uint64_t target;

  if (!self->terminal) return;
  self->wait_us +=
      ahead * 1000 / (story_is_reading(told) ? SPEED_READING : SPEED_AWAY);
  target = self->began + self->wait_us / 1000;
  if (target > self->began + LONGEST_MS) target = now;
  if (now >= self->drawn + DRAW_MS) draw(self, told);
  while (target > now) {
    uint64_t left = target - now;

    clock_sleep_ms(left < DRAW_MS ? left : DRAW_MS);
    now = clock_now_ms();
    if (now >= self->drawn + DRAW_MS) draw(self, told);
  }
}

static bool tell(pace *self, story *told) {
  seen_error error = SEEN_ERROR_INIT;

  while (story_due(told) != SEEN_NEVER) {
    wait_for(self, told);
    if (story_step(told, &error) != SEEN_OK) {
      fprintf(stderr, "seen-demo: %s\n", error.message);
      return false;
    }
  }
  if (self->terminal) draw(self, told);
  return true;
}

static bool sum_up(const story *told) {
  seen_metrics metrics = host_metrics(told->simulation.host.engine);
  bool agrees;

  printf("\nThe logs counted anew, line by line, against what is shown:\n\n");
  agrees = recount_agrees(&told->simulation);
  printf("\n%" PRIu64 " positions advanced, %" PRIu64
         " reports sent in %" PRIu64 " frames, %" PRIu64 " refused, %" PRIu64
         " counts corrected\n",
         metrics.advances, metrics.reports_sent, metrics.report_frames,
         metrics.refused, metrics.unread_drift);
  printf("%s\n", agrees ? "All numbers agree with the logs."
                        : "Some numbers DIFFER from the logs.");
  return agrees;
}

int main(int argc, char **argv) {
  pace speed = {clock_has_terminal(), clock_now_ms(), 0, 0};
  act last = {NULL, NULL};
  simulation_watch watch = {take_input, NULL, settle, &last};
  char wrong[512];
  bool good;
  story told;

  if (argc != 2) {
    fputs("usage: seen-demo FOLDER, that of the chat logs\n", stderr);
    return 2;
  }
  if (speed.terminal) memset(&watch, 0, sizeof watch);
  good = story_begin(&told, argv[1], &watch, wrong, sizeof wrong);
  if (good)
    good = tell(&speed, &told) && sum_up(&told);
  else
    fprintf(stderr, "seen-demo: %s\n", wrong);
  story_end(&told);
  return good ? 0 : 1;
}
