/* What seen-load is asked to do. */
#ifndef LOAD_OPTIONS_H
#define LOAD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum load_name { REPORTS, DURABLE, RECEIPTS, QUERIES, LOADS } load_name;

extern const char *const load_names[LOADS];

enum { WHY_BYTES = 512 };

typedef struct options {
  load_name load;
  char host[256];
  uint32_t port; /* 0: of a server that is started */
  bool tls;
  const char *token_key;
  const char *start; /* a seen-server; NULL: one runs */
  bool json, insecure, usual_limits;

  uint32_t users;         /* virtual users, each a connection */
  uint32_t members;       /* of a group */
  uint32_t conversations; /* of a user */
  uint32_t messages;      /* of a conversation */
  uint32_t items;         /* of a frame */
  uint32_t in_flight;     /* frames of a connection without an answer */
  uint32_t subscribers;   /* of a conversation */
  uint32_t rate;          /* acts a second; 0: as fast as answers come */
  uint32_t duration_ms;
  uint32_t window_ms; /* of a server that is started */
  uint32_t give_up_ms;
} options;

/* False: `why` (at least WHY_BYTES) says what is wrong. */
bool options_read(options *self, int count, char **arguments, char *why);

/*
 * Users who share their conversations are a block: as many as a group has
 * members. How many blocks there are, and conversations in all.
 */
uint32_t options_blocks(const options *self);
uint32_t options_groups(const options *self);

void options_usage(FILE *out);

#endif
