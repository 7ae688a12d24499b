/*
 * A server in memory, and the transport that leads to it: for one client. It
 * answers the frames of docs/protocol.md as far as a client's tests need it,
 * and can be cut, silent, or out of reach. From any thread.
 */
#ifndef TESTS_SUPPORT_LINK_H
#define TESTS_SUPPORT_LINK_H

#include <seen/sys/transport.h>

#include "base/platform.h"

enum { LINK_ROWS = 64, LINK_OWN = 16, LINK_FRAMES = 4096 };

/* A conversation as the server has it. */
typedef struct link_row {
  char id[64];
  uint64_t last;
  seen_position read;
  uint64_t version;
  uint64_t updated_at;
  bool muted;
  bool pinned;
  uint64_t own[LINK_OWN]; /* seqs that the client sent: they do not count */
  size_t own_count;
} link_row;

typedef struct link_event {
  struct link_event *next;
  seen_transport_event event;
  char text[];
} link_event;

typedef struct test_link {
  seen_transport transport; /* first; the client's */
  sn_mutex *mutex;
  seen_transport_wake wake;
  void *user_data; /* of `wake` */
  link_row rows[LINK_ROWS];
  size_t row_count;
  uint64_t version;
  bool out_of_reach;   /* a dial ends at once */
  bool silent;         /* frames are taken, nothing is answered */
  const char *refusal; /* of marks; NULL: they are taken */
  uint64_t open;       /* the connection; 0: there is none */
  size_t dials;
  char *frames[LINK_FRAMES]; /* that came, in order */
  size_t frame_count;
  link_event *first;
  link_event *last;
  link_event *given;
  bool freed; /* by the client */
} test_link;

/* Ends when the client has freed it, which is asserted. */
test_link *link_start(void);
void link_end(test_link *link);

/* A row, or what it is now: nothing is told. */
void link_row_is(test_link *link, const char *id, uint64_t read, uint64_t last);

/* Somebody writes; the client is told. */
void link_message(test_link *link, const char *id, const char *body);

/* The server says this frame. */
void link_say(test_link *link, const char *frame);

/* The connection breaks, where there is one. */
void link_cut(test_link *link);
void link_reach(test_link *link, bool on);
void link_answer(test_link *link, bool on);

/* Marks are refused by this code from now on; NULL: are taken. */
void link_refuse(test_link *link, const char *code);

/* How many frames of a type came, and whether one holds a text. */
size_t link_count(test_link *link, const char *type);
bool link_heard(test_link *link, const char *type, const char *text);

/* What the server holds. */
seen_position link_read(test_link *link, const char *id);

/* Between its files, while it is locked: a frame for the client, the answer
 * to one of the client's, a row or NULL. */
void link_frame(test_link *link, const char *frame);
void link_answer_to(test_link *link, const char *text, size_t length);
link_row *link_row_of(test_link *link, const char *id);

#endif
