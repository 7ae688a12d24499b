/* One block for a reply: its arrays first, which have to be aligned. */
#include "client/copies.h"

#include <string.h>

#include "base/memory.h"

static size_t size_of(const char *text) {
  return text ? strlen(text) + 1 : 0;
}

static const char *copy_of(const char *text, char **at) {
  char *place = *at;
  size_t size = size_of(text);
  if (!text) return NULL;
  memcpy(place, text, size);
  *at += size;
  return place;
}

size_t sn_message_size(const seen_text *message) {
  return size_of(message->from) + size_of(message->body);
}

void sn_copy_message(const seen_text *message, seen_text *copy, char **at) {
  *copy = *message;
  copy->from = copy_of(message->from, at);
  copy->body = copy_of(message->body, at);
}

static size_t strings_of(const seen_reply *reply) {
  size_t size = size_of(reply->reason) + size_of(reply->message) +
                size_of(reply->conv) + size_of(reply->cursor);
  for (size_t i = 0; i < reply->message_count; i++)
    size += sn_message_size(&reply->messages[i]);
  for (size_t i = 0; i < reply->user_count; i++)
    size += size_of(reply->users[i]);
  return size;
}

static void copy_strings(const seen_reply *reply, seen_reply *copy, char *at) {
  copy->reason = copy_of(reply->reason, &at);
  copy->message = copy_of(reply->message, &at);
  copy->conv = copy_of(reply->conv, &at);
  copy->cursor = copy_of(reply->cursor, &at);
}

static char *copy_messages(const seen_reply *reply, seen_text *messages,
                           char *at) {
  for (size_t i = 0; i < reply->message_count; i++)
    sn_copy_message(&reply->messages[i], &messages[i], &at);
  return at;
}

static char *copy_users(const seen_reply *reply, const char **users, char *at) {
  for (size_t i = 0; i < reply->user_count; i++)
    users[i] = copy_of(reply->users[i], &at);
  return at;
}

int sn_copy_reply(const seen_allocator *memory, const seen_reply *reply,
                  seen_reply *copy, void **block) {
  size_t messages = reply->message_count * sizeof(seen_text);
  size_t users = reply->user_count * sizeof(char *);
  char *place = sn_allocate(memory, messages + users + strings_of(reply) + 1),
       *at;
  if (!place) return SEEN_ENOMEM;
  *copy = *reply;
  copy->messages = messages ? (const seen_text *)(void *)place : NULL;
  copy->users = users ? (const char *const *)(void *)(place + messages) : NULL;
  at = place + messages + users;
  at = copy_messages(reply, (seen_text *)(void *)place, at);
  at = copy_users(reply, (const char **)(void *)(place + messages), at);
  copy_strings(reply, copy, at);
  *block = place;
  return SEEN_OK;
}
