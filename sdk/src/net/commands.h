/*
 * What the thread of the client's loop asks of a thread that carries, in
 * command, and how such a thread is begun and ended.
 */
#ifndef SN_NET_COMMANDS_H
#define SN_NET_COMMANDS_H

#include "net/arrivals.h"

typedef enum sn_command_kind {
  SN_COMMAND_DIAL,
  SN_COMMAND_WRITE,
  SN_COMMAND_PING,
  SN_COMMAND_CLOSE,
  SN_COMMAND_REQUEST,
  SN_COMMAND_CANCEL
} sn_command_kind;

typedef struct sn_command {
  struct sn_command *next;
  sn_command_kind kind;
  uint64_t number;     /* of the connection or request */
  uint32_t timeout_ms; /* DIAL, REQUEST */
  uint32_t code;       /* CLOSE */
  bool has_body;       /* REQUEST: text is to be posted */
  char *token;         /* DIAL, REQUEST; may be NULL */
  char *path;          /* REQUEST */
  char *text;          /* WRITE, REQUEST; a NUL stands behind it */
  size_t length;
  /* Made with the command, so that there is always memory to tell. */
  sn_arrival *open; /* DIAL */
  sn_arrival *last; /* DIAL: ENDED; REQUEST: ANSWER */
} sn_command;

/* Room for the words of an ENDED. */
#define SN_WORDS_MAX 160

/* NULL: no memory. A text is copied; an end's event is made where one is due. */
sn_command *sn_command_new(const seen_allocator *memory, sn_command_kind kind,
                           uint64_t number, const char *text, size_t length);

/* Adds a token, which may be NULL, and a path: false without memory. */
bool sn_command_add(const seen_allocator *memory, sn_command *command,
                    const char *token, const char *path);
void sn_command_free(const seen_allocator *memory, sn_command *command);

typedef struct sn_commands {
  const seen_allocator *memory;
  sn_mutex *lock;
  sn_command *first, *last;
  bool stop;
} sn_commands;

int sn_commands_open(const seen_allocator *memory, sn_commands *commands);
void sn_commands_close(sn_commands *commands);

void sn_commands_push(sn_commands *commands, sn_command *command);

/* Takes all that wait. */
sn_command *sn_commands_take(sn_commands *commands);

/* The thread is to end; whether it is. */
void sn_commands_stop(sn_commands *commands);
bool sn_commands_stopped(sn_commands *commands);

#endif
