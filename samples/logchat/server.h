/*
 * A server in the same process: it answers what an engine sends after a fixed
 * time, each answer with the whole word of then.
 */
#ifndef LOGCHAT_SERVER_H
#define LOGCHAT_SERVER_H

#include "chat.h"
#include "outputs.h"

typedef struct server_request {
  uint64_t answer_at;
  chat *about;
} server_request;

typedef struct server {
  chat *chats;
  size_t chat_count;
  uint64_t latency_ms;
  server_request *requests; /* requests[i] came with outputs[i] */
  size_t capacity;
  output_list outputs;
  size_t answered; /* how many of them */
} server;

void server_begin(server *self, chat *chats, size_t count, uint64_t latency_ms);
void server_end(server *self);

/* Takes an output that was sent at `now`; `conv` is its conversation's id. */
void server_take(server *self, const seen_effect *effect, const char *conv,
                 uint64_t now);

/* When the next answer comes; SEEN_NEVER: none will. */
uint64_t server_due(const server *self);

/* The next answer, which points at what the chat holds until its next word. */
seen_input server_answer(server *self);

#endif
