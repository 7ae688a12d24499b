/*
 * What happens in the demo: three chats, one of them muted; a person who comes
 * back every few minutes, stops reading one of them, and marks another as
 * unread at the end.
 */
#ifndef DEMO_STORY_H
#define DEMO_STORY_H

#include "simulation.h"

#define STORY_CHATS 3

typedef struct story {
  simulation simulation;
  chat_log logs[STORY_CHATS];
  simulation_chat chats[STORY_CHATS];
  seen_options me;
  bool marked; /* the last thing that is done */
} story;

/* Reads the logs in a folder and begins; false, and what is wrong. */
bool story_begin(story *self, const char *folder, const simulation_watch *watch,
                 char *wrong, size_t size);
void story_end(story *self);

/* When something happens next; SEEN_NEVER: the story is over. */
uint64_t story_due(const story *self);
int story_step(story *self, seen_error *error);

/* Whether the person is looking at a conversation. */
bool story_is_reading(const story *self);

#endif
