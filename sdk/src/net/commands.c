/* A queue of commands behind a mutex. */
#include "net/commands.h"

#include "base/memory.h"

#include <string.h>

static bool add_events(const seen_allocator *memory, sn_command *command) {
  if (command->kind == SN_COMMAND_DIAL)
    command->open =
        sn_arrival_new(memory, SEEN_TRANSPORT_OPEN, command->number, 0);
  if (command->kind == SN_COMMAND_DIAL && !command->open) return false;
  if (command->kind != SN_COMMAND_DIAL && command->kind != SN_COMMAND_REQUEST)
    return true;
  command->last =
      sn_arrival_new(memory,
                     command->kind == SN_COMMAND_DIAL ? SEEN_TRANSPORT_ENDED
                                                      : SEEN_TRANSPORT_ANSWER,
                     command->number, SN_WORDS_MAX);
  return command->last != NULL;
}

sn_command *sn_command_new(const seen_allocator *memory, sn_command_kind kind,
                           uint64_t number, const char *text, size_t length) {
  sn_command *command = sn_allocate_zero(memory, sizeof *command);

  if (!command) return NULL;
  command->kind = kind;
  command->number = number;
  command->length = length;
  if (text) command->text = sn_copy_text(memory, text, length);
  if ((!text || command->text) && add_events(memory, command)) return command;
  sn_command_free(memory, command);
  return NULL;
}

bool sn_command_add(const seen_allocator *memory, sn_command *command,
                    const char *token, const char *path) {
  if (token) command->token = sn_copy_text(memory, token, strlen(token));
  if (path) command->path = sn_copy_text(memory, path, strlen(path));
  return (!token || command->token) && (!path || command->path);
}

/* A token is no more than it has to be in memory that others get. */
static void forget(const seen_allocator *memory, char *secret) {
  if (secret) memset(secret, 0, strlen(secret));
  sn_release(memory, secret);
}

void sn_command_free(const seen_allocator *memory, sn_command *command) {
  if (!command) return;
  forget(memory, command->token);
  sn_release(memory, command->path);
  sn_release(memory, command->text);
  sn_release(memory, command->open);
  sn_release(memory, command->last);
  sn_release(memory, command);
}

int sn_commands_open(const seen_allocator *memory, sn_commands *commands) {
  memset(commands, 0, sizeof *commands);
  commands->memory = memory;
  commands->lock = sn_platform_mutex_new(memory);
  return commands->lock ? SEEN_OK : SEEN_ENOMEM;
}

void sn_commands_close(sn_commands *commands) {
  sn_command *next;

  for (sn_command *at = commands->first; at; at = next) {
    next = at->next;
    sn_command_free(commands->memory, at);
  }
  sn_platform_mutex_free(commands->memory, commands->lock);
  memset(commands, 0, sizeof *commands);
}

void sn_commands_push(sn_commands *commands, sn_command *command) {
  sn_platform_mutex_lock(commands->lock);
  command->next = NULL;
  if (commands->first)
    commands->last->next = command;
  else
    commands->first = command;
  commands->last = command;
  sn_platform_mutex_unlock(commands->lock);
}

sn_command *sn_commands_take(sn_commands *commands) {
  sn_command *first;

  sn_platform_mutex_lock(commands->lock);
  first = commands->first;
  commands->first = commands->last = NULL;
  sn_platform_mutex_unlock(commands->lock);
  return first;
}

void sn_commands_stop(sn_commands *commands) {
  sn_platform_mutex_lock(commands->lock);
  commands->stop = true;
  sn_platform_mutex_unlock(commands->lock);
}

bool sn_commands_stopped(sn_commands *commands) {
  bool stop;

  sn_platform_mutex_lock(commands->lock);
  stop = commands->stop;
  sn_platform_mutex_unlock(commands->lock);
  return stop;
}
