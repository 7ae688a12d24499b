/*
 * A session under test, with a transport and a server that are the test's. Its
 * outputs are gathered as lines of text; inputs go to an engine, if it has
 * one, and what that effects comes back. It is user ann on device phone.
 */
#ifndef TESTS_SUPPORT_SESSION_H
#define TESTS_SUPPORT_SESSION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <seen/sys/engine.h>

#include "session/session.h"
#include "support/alloc.h"

enum { TEST_SAID_SIZE = 1 << 18 };

typedef struct test_session {
  test_alloc memory;
  sn_session_options options;
  sn_session *session;
  seen_engine *engine; /* NULL: inputs are only told */
  uint64_t now;
  uint64_t connection; /* the last that was dialled */
  uint64_t request;    /* the last that was made */
  seen_connection_state state;
  size_t frames;        /* written so far */
  size_t reads;         /* of these: `read` */
  size_t pings;         /* so far */
  size_t dials;         /* so far */
  size_t asked;         /* for a token, so far */
  char incarnation[65]; /* as it was last noted */
  uint64_t version;
  char said[TEST_SAID_SIZE];
  size_t length;
} test_session;

/* Device, user, the default intervals, seed 7. */
sn_session_options session_options(void);

/* Begins at 1000, with a token; ends with nothing leaked. */
test_session *session_open(void);
test_session *session_open_with(const sn_session_options *options);
void session_end(test_session *t);

/* The same with an engine beside it. */
test_session *session_open_engine(const seen_options *options);

/* The answer to the first hello. */
#define SESSION_WELCOME                                                        \
  "{\"t\":\"welcome\",\"id\":1,\"user\":\"ann\",\"incarnation\":\"b7\","       \
  "\"version\":9,\"mode\":\"resume\",\"receipts\":true}"

/* Started: it dials, or asks for a token. */
void session_dial(test_session *t);

/* Started, welcomed with incarnation b7 and version 9, all rows here. */
void session_online(test_session *t);

/* Pulls all outputs, after what happens; time passes by until(). */
void pull(test_session *t);
void until(test_session *t, uint64_t now);

/* To the next attempt, which is asserted to come; how long it took. */
uint64_t wait_for_dial(test_session *t);

void opened(test_session *t);                  /* the last dialled */
void frame(test_session *t, const char *text); /* comes on it */
void frame_on(test_session *t, uint64_t connection, const char *text);
void ended(test_session *t, seen_ended why, uint32_t code);
void ended_on(test_session *t, uint64_t connection, seen_ended why,
              uint32_t code);
void alive(test_session *t);
void answer(test_session *t, uint32_t status, const char *body); /* the last */
void answer_to(test_session *t, uint64_t request, uint32_t status,
               const char *body);
void token(test_session *t, const char *text);
void effect(test_session *t, const seen_effect *what, const char *id);

/* A host's request; that it is taken is asserted. */
void ask(test_session *t, uint64_t number, const sn_ask *what);

/* Asks who has read a message, which is a request by HTTP for ASK_READERS;
 * ASKED_READERS is an answer to it. */
void ask_readers(test_session *t, uint64_t number);

#define ASK_READERS "/im/messages/g%201%3A7/read-receipts?status=read&limit=50"
#define ASKED_READERS                                                          \
  "{\"conv\":\"g 1\",\"seq\":7,\"read\":1,\"audience\":3,\"delivered\":2,"     \
  "\"hidden\":0,\"users\":[\"bob\"],\"cursor\":null,\"as_of\":9}"

/* Feeds the engine, and hands over what it effects. */
void person(test_session *t, const seen_input *input);

/*
 * What was put out since the last time, a line each, as
 *   "link up", "row g", "server b7 9", "text g 5 soup?", "reply 3 ok",
 *   "state online synced", "ask", "close 1 1000", "dial 2 socket",
 *   "write 2 {…}", "ping 2", "get 3 /im/…", "post 4 /im/… {…}", "cancel 3"
 */
void expect_said(test_session *t, const char *lines);
void drop_said(test_session *t);
bool was_said(const test_session *t, const char *piece);

/* The number behind the last "id": that was written. */
uint64_t last_id(const test_session *t);

#endif
