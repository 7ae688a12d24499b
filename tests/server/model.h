/*
 * A brute-force model of what the server decides, written from
 * docs/protocol.md and docs/semantics.md alone: it keeps every fact, seq by
 * seq and user by user, and counts by looking at all of them. It shares no
 * code with the server, not even the algebra of positions.
 */
#ifndef TESTS_SERVER_MODEL_H
#define TESTS_SERVER_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
  MODEL_USERS = 6,
  MODEL_CONVS = 5,
  MODEL_SEQS = 160,
  MODEL_PERIODS = 64,
  MODEL_LOG = 64
};

typedef enum model_kind { DIRECT, GROUP, LARGE } model_kind;
typedef enum model_sort { TEXT, SYSTEM, RECALL, EDIT, REACTION } model_sort;
typedef enum model_role { MEMBER, ADMIN, BOT } model_role;
typedef enum model_why { WHY_NONE, WHY_ME, WHY_ALL, WHY_QUOTE } model_why;

typedef struct model_message {
  int from;
  model_sort sort;
  bool counts; /* by kind and flag */
  bool recalled;
  bool taken_down;
  bool held;
  unsigned named; /* a bit a user */
  bool all;
  int quoted; /* −1: nobody */
} model_message;

typedef struct model_member {
  bool ever;
  bool present;
  bool removed;
  model_role role;
  int periods;
  uint64_t join[MODEL_PERIODS];
  uint64_t leave[MODEL_PERIODS];
  uint64_t epoch;
  uint64_t seq;
  uint64_t high;
  bool in[MODEL_SEQS + 1]; /* a member and not disabled when it was sent */
  bool read[MODEL_SEQS + 1];
  bool have[MODEL_SEQS + 1];
  bool secret[MODEL_SEQS + 1];
  bool open[MODEL_SEQS + 1]; /* a mention that was not cleared */
  bool muted;
  bool pinned;
} model_member;

typedef struct model_conv {
  bool exists;
  model_kind kind;
  bool is_open;
  bool is_moderated;
  uint64_t last;
  uint64_t floor;
  uint64_t updated_at;
  model_message messages[MODEL_SEQS + 1];
  model_member members[MODEL_USERS];
} model_conv;

/* How things stood when a version was the newest. */
typedef struct model_moment {
  uint64_t version;
  uint64_t last[MODEL_CONVS];
  uint64_t epoch[MODEL_CONVS][MODEL_USERS];
} model_moment;

typedef struct model {
  uint64_t now; /* set before each frame */
  model_conv convs[MODEL_CONVS];
  bool off[MODEL_USERS];
  bool disabled[MODEL_USERS];
  model_moment log[MODEL_LOG];
  int log_count;
} model;

typedef struct model_counts {
  uint64_t read, audience, delivered, hidden;
} model_counts;

/* What a user sees of a conversation. */
uint64_t model_low(const model_conv *conv, int user);
uint64_t model_last(const model_conv *conv, int user);
uint64_t model_base(const model_conv *conv, int user);
bool model_uncountable(const model_conv *conv, int user, uint64_t seq);
uint64_t model_unread(const model_conv *conv, int user);
model_why model_mention(const model_conv *conv, int user, uint64_t seq);
uint64_t model_delivered_seq(const model_conv *conv, int user);

/* Of a message that user `from` sent. */
model_counts model_count(const model *self, const model_conv *conv,
                         uint64_t seq);
/* Whether others may know that the user belongs to the audience of a seq. */
bool model_shows(const model *self, const model_conv *conv, int user,
                 uint64_t seq);

/* What a frame does: the `result` or, where it is "refused", the code. */
const char *model_read(model_conv *conv, int user, uint64_t epoch, uint64_t seq,
                       const uint64_t *cleared, int count, bool keep);
const char *model_deliver(model_conv *conv, int user, uint64_t seq);
const char *model_mark(model_conv *conv, int user, uint64_t epoch, uint64_t seq,
                       uint64_t target);
/* Whether the user's position in one conversation moved. */
bool model_read_all(model *self, int conv, int user, const model_moment *as_of);

/* The next ones return the code of an `error`, or "". */
typedef struct model_send {
  model_sort sort;
  uint64_t target;
  int countable; /* −1: left out */
  bool says_mentions;
  bool all;
  unsigned named;
} model_send;

const char *model_post(model *self, int conv, int user, bool root,
                       const model_send *what);
const char *model_create(model *self, int conv, int user, model_kind kind,
                         bool open, bool moderated, unsigned users,
                         model_role role);
const char *model_add(model *self, int conv, int user, bool root,
                      unsigned users, model_role role);
const char *model_remove(model *self, int conv, int user, bool root,
                         unsigned users);
const char *model_join(model *self, int conv, int user);
const char *model_leave(model *self, int conv, int user);
void model_settings(model *self, int user, bool receipts);
const char *model_takedown(model *self, int conv, uint64_t seq);
const char *model_approve(model *self, int conv, uint64_t seq);
void model_purge(model *self, int conv, uint64_t seq);
void model_account(model *self, int user, bool disabled);

/* Remembers how things stand now. */
void model_remember(model *self, uint64_t version);

#endif
