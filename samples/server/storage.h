/*
 * What the state part needs of a database. Everything that the state part
 * keeps is a cache of this: what a failed transaction changed is dropped from
 * memory and read again.
 *
 * A call returns SEEN_OK or a SEEN_E… code; SEEN_ENOTFOUND where there is no
 * such record. Strings in a record that was read are borrowed until the next
 * call, or in an `each…` until the visit returns. A visit that returns
 * anything but SEEN_OK ends the walk, which returns it. No call is made from
 * within a visit.
 *
 * Reads see what the open transaction has written.
 */
#ifndef SERVER_STORAGE_H
#define SERVER_STORAGE_H

#include <seen/error.h>
#include <seen/position.h>

/* How SQLite opens it: an acknowledgement survives a power cut, hence FULL. */
#define STORAGE_JOURNAL "WAL"
#define STORAGE_SYNC "FULL"

/* One record for the database; its version is written by each commit. */
typedef struct stored_root {
  const char *incarnation;
  uint64_t version; /* the highest that was given out */
} stored_root;

typedef struct stored_user {
  const char *user;
  bool receipts; /* S7 */
  bool disabled;
  uint64_t receipts_version; /* from which `receipts` holds */
} stored_user;

enum {
  CONVERSATION_OPEN = 1,     /* anybody may join */
  CONVERSATION_MODERATED = 2 /* messages of members wait for approval */
};

typedef struct stored_conversation {
  const char *conv;
  seen_kind kind;
  unsigned flags;
  uint64_t last_seq;
  uint64_t floor;      /* what retention took: seqs at or below */
  uint64_t version;    /* of its latest change for all members */
  uint64_t updated_at; /* B3 */
} stored_conversation;

typedef enum member_role {
  ROLE_MEMBER = 0,
  ROLE_ADMIN = 1,
  ROLE_BOT = 2
} member_role;

/*
 * One user's part in a conversation. Its periods but the latest are the text
 * `past`, what is taken out of the latest one's audience the text `excluded`:
 * see periods.h for both. The same row for ever, also after leaving.
 */
typedef struct stored_member {
  const char *conv;
  const char *user;
  member_role role;
  seen_position read;
  uint64_t marked_at; /* version of the latest mark as unread */
  uint64_t join_seq;  /* the latest period, both ends inclusive */
  uint64_t leave_seq; /* SEEN_SEQ_MAX while a member */
  uint64_t receipt;   /* P9: the highest seq reported in it */
  uint64_t delivered;
  const char *excluded;
  const char *past;
  uint64_t settled;     /* seq up to which `mentions` is the whole list */
  const char *mentions; /* the open ones up to there: "3 17 29" */
  bool muted;
  bool pinned;
  bool removed;     /* by somebody else: `join` does not bring them back */
  uint64_t version; /* of its latest change for this user alone */
} stored_member;

/* A member as each_member finds it: with what its user has set. */
typedef struct stored_membership {
  stored_member member;
  bool receipts;
  bool disabled;
} stored_membership;

enum {
  MESSAGE_UNCOUNTABLE = 1, /* by its kind, or by the sender's flag (F2) */
  MESSAGE_RECALLED = 2,
  MESSAGE_TAKEN_DOWN = 4,
  MESSAGE_HELD = 8 /* hidden from all but the sender until approved */
};

typedef struct stored_message {
  const char *conv;
  uint64_t seq;
  uint64_t version;
  const char *from;
  seen_message_kind kind;
  unsigned state;       /* MESSAGE_…; 0: countable for all but the sender */
  uint64_t target;      /* 0: none */
  const char *mentions; /* see mentions.h; NULL: said nothing about them */
  uint64_t sent_at;
  const char *body; /* "" where it was taken down or recalled */
} stored_message;

/* What an `op` was answered: the same for every retry. */
typedef struct stored_op {
  const char *user;
  const char *op;
  const char *of; /* the frame's type */
  const char *conv;
  const char *code; /* "" for taken */
  uint64_t seq;     /* of the message that it became; 0: none */
  uint64_t at;
} stored_op;

/* A row of one user, as each_row finds it without loading anything else. */
typedef struct stored_row {
  const char *conv;
  uint64_t version; /* the higher of conversation and member; of who has left
                       the member's */
  uint64_t last_seq;
  uint64_t read_seq;
  uint64_t leave_seq;
} stored_row;

typedef int (*visit_member)(void *self, const stored_membership *found);
typedef int (*visit_row)(void *self, const stored_row *found);
typedef int (*visit_message)(void *self, const stored_message *found);

typedef struct storage {
  void *self;

  /* Writes happen between begin and commit, or not at all. */
  int (*begin)(void *self);
  int (*commit)(void *self, uint64_t version);
  void (*rollback)(void *self);

  int (*get_root)(void *self, stored_root *found);
  /* Another history from here on: clients take nothing of the old (S2). */
  int (*put_incarnation)(void *self, const char *incarnation);

  int (*get_user)(void *self, const char *user, stored_user *found);
  int (*put_user)(void *self, const stored_user *user);

  int (*get_conversation)(void *self, const char *conv,
                          stored_conversation *found);
  int (*put_conversation)(void *self, const stored_conversation *conv);

  int (*put_member)(void *self, const stored_member *member);
  /* Of a conversation: all who ever were one. */
  int (*each_member)(void *self, const char *conv, void *visitor,
                     visit_member visit);
  /* Of a user: rows above a version, by rising version, at most `limit`. */
  int (*each_row)(void *self, const char *user, uint64_t above, size_t limit,
                  void *visitor, visit_row visit);

  int (*put_message)(void *self, const stored_message *message);
  int (*get_message)(void *self, const char *conv, uint64_t seq,
                     stored_message *found);
  /* Changes `state`, and empties the body where `no_body`. */
  int (*set_message)(void *self, const char *conv, uint64_t seq, unsigned state,
                     bool no_body);
  /* Below `before`, falling seqs, at most `limit`. */
  int (*each_before)(void *self, const char *conv, uint64_t before,
                     size_t limit, void *visitor, visit_message visit);
  /* By rising seq, all three from an index of just these; no bodies. */
  int (*each_uncountable)(void *self, const char *conv, void *visitor,
                          visit_message visit);
  int (*each_mention)(void *self, const char *conv, void *visitor,
                      visit_message visit);
  int (*each_from)(void *self, const char *conv, const char *user,
                   void *visitor, visit_message visit);
  /* The highest seq whose version is not above `version`; 0: none. */
  int (*seq_at)(void *self, const char *conv, uint64_t version, uint64_t *seq);
  /* Forgets all messages at or below. */
  int (*purge)(void *self, const char *conv, uint64_t floor);

  int (*get_op)(void *self, const char *user, const char *op, stored_op *found);
  int (*put_op)(void *self, const stored_op *op);
  /* Forgets those of before, but for marks. */
  int (*expire_ops)(void *self, uint64_t before);

  void (*close)(void *self);
} storage;

/* In memory, for tests and simulations. Dies with the process. */
int storage_memory_open(storage *self, const char *incarnation);

/*
 * A file, created where there is none; `incarnation` is taken for a new one.
 * SEEN_ESCHEMA: it was made by a newer server, or by something else, and is
 * left as it was. `error` may be NULL.
 */
int storage_sqlite_open(storage *self, const char *path,
                        const char *incarnation, seen_error *error);

#endif
