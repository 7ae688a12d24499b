/*
 * Chats from logs, a person who reads them and a server, around one engine, in
 * virtual time.
 */
#ifndef LOGCHAT_SIMULATION_H
#define LOGCHAT_SIMULATION_H

#include "host.h"
#include "reader.h"
#include "server.h"

typedef struct simulation simulation;

/* What a program wants to see of it; each may be NULL. */
typedef struct simulation_watch {
  /* An input that is about to be fed. */
  void (*input)(simulation *of, const seen_input *input, void *user_data);
  void (*effect)(simulation *of, const seen_effect *effect, void *user_data);
  /* Timers fired or an input was fed, and all effects are out. */
  void (*settled)(simulation *of, void *user_data);
  void *user_data;
} simulation_watch;

struct simulation {
  host host;
  chat *chats;
  size_t chat_count;
  server server;
  reader reader;
  reader_place *places; /* by chat; a program may shorten `last_visit` */
  simulation_watch watch;
};

/* One log and the id of its conversation. */
typedef struct simulation_chat {
  const char *conv;
  const chat_log *log;
} simulation_chat;

typedef struct simulation_plan {
  const seen_options *options;
  const simulation_chat *chats;
  size_t chat_count;
  reader_habit habit;
  uint64_t latency_ms;
  simulation_watch watch;
} simulation_plan;

/* Starts at time 0, with a snapshot of each conversation, empty. */
int simulation_begin(simulation *self, const simulation_plan *plan,
                     seen_error *error);
void simulation_end(simulation *self);

/* When something happens next; SEEN_NEVER: it is over. */
uint64_t simulation_due(const simulation *self);

/* Lets it happen. */
int simulation_step(simulation *self, seen_error *error);

#endif
