#include "crowd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t lines_of(const chat_log *log, size_t from, const char *user) {
  size_t count = 0;

  for (size_t i = from; i < log->count; i++)
    if (log->lines[i].from != NULL && strcmp(log->lines[i].from, user) == 0)
      count++;
  return count;
}

static bool is_up(const demo_crowd *crowd, const char *user) {
  for (size_t i = 0; i < CROWD && crowd->people[i] != NULL; i++)
    if (strcmp(crowd->people[i]->user, user) == 0) return true;
  return false;
}

/* Who of the others has most to say. */
static const char *most(const demo_crowd *crowd, const char *me) {
  const chat_log *log = crowd->log;
  const char *best = NULL;
  size_t best_lines = 0;

  for (size_t i = 0; i < log->user_count; i++) {
    const char *user = log->users[i]->id;
    size_t lines = lines_of(log, crowd->next, user);

    if (lines <= best_lines || strcmp(user, me) == 0 || is_up(crowd, user))
      continue;
    best = user;
    best_lines = lines;
  }
  return best;
}

bool crowd_open(demo_crowd *crowd, demo_devices *all, chat_log *log,
                size_t from, const char *conv, const char *me) {
  memset(crowd, 0, sizeof *crowd);
  crowd->log = log;
  crowd->conv = conv;
  crowd->next = from;
  for (size_t i = 0; i < CROWD; i++) {
    const char *user = most(crowd, me);

    if (user == NULL) return false;
    crowd->people[i] = devices_add(all, user, "laptop");
    if (crowd->people[i] == NULL) return false;
  }
  return true;
}

/* Who of the crowd says a line: its speaker, or one in that one's place. */
static demo_device *speaker_of(const demo_crowd *crowd, const log_line *line) {
  for (size_t i = 0; i < CROWD; i++)
    if (strcmp(crowd->people[i]->user, line->from) == 0)
      return crowd->people[i];
  return crowd->people[crowd->next % CROWD];
}

uint64_t crowd_pause(const demo_crowd *crowd) {
  const log_line *lines = crowd->log->lines;

  if (crowd->next == 0 || crowd->next >= crowd->log->count) return 0;
  return lines[crowd->next].at - lines[crowd->next - 1].at;
}

bool crowd_say(demo_crowd *crowd, const char *me, bool *mentions_me) {
  const log_line *line;
  char body[128];

  do {
    if (crowd->next >= crowd->log->count) return false;
    line = &crowd->log->lines[crowd->next++];
  } while (line->from == NULL || strcmp(line->from, me) == 0);
  if (mentions_me != NULL) *mentions_me = log_line_mentions(line, me);
  snprintf(body, sizeof body, "line %zu of the log%s%s", crowd->next,
           line->mention_count > 0 ? ", to @" : "",
           line->mention_count > 0 ? line->mentions[0] : "");
  return device_say(speaker_of(crowd, line), crowd->conv, body, line->mentions,
                    line->mention_count);
}

bool crowd_has(const demo_crowd *crowd, uint64_t seq) {
  for (size_t i = 0; i < CROWD; i++) {
    seen_state state = {.size = sizeof state};

    if (seen_client_state(crowd->people[i]->client, crowd->conv, &state) !=
            SEEN_OK ||
        state.last_seq < seq)
      return false;
  }
  return true;
}

void crowd_read(demo_crowd *crowd, size_t who) {
  seen_client_mark_read(crowd->people[who]->client, crowd->conv, 0);
}
