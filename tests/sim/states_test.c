/*
 * What is illegal, in each state of a connection: the answer that it gets, and
 * that nothing is changed by it. What is legal is reached by seen-sim.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* cmocka wants those. */
#include <cmocka.h>

#include "connections.h"
#include "state.h"
#include "storage.h"

enum { NOW = 1000000, TOO_LONG = 70000 };

#define HELLO "{\"t\":\"hello\",\"id\":1,\"device\":\"d\"}"

/* A server with a conversation of ann and bob, and a connection of bob's. */
typedef struct desk {
  storage disk;
  server *server;
  limits limits;
  connection *ann;
  connection *bob;
} desk;

static const uint8_t key[32] = {1};

static int say(desk *self, connection *from, const char *frame) {
  int code = server_frame(self->server, from, frame, strlen(frame), NOW);

  assert_true(server_commit(self->server, NOW));
  return code;
}

static void take_all(connection *from) {
  size_t length;

  while (connection_next(from, &length) != NULL) {
  }
}

static connection *come(desk *self, const char *user, const char *name) {
  identity who = {"", false, 0};

  snprintf(who.user, sizeof who.user, "%s", user);
  return server_connect(self->server, &who, name, NOW);
}

static void begin(desk *self) {
  int status;

  memset(self, 0, sizeof *self);
  limits_init(&self->limits);
  self->limits.queue_bytes = 2000;
  self->limits.dirty_rows = 1;
  self->limits.page_rows = 1;
  assert_int_equal(storage_memory_open(&self->disk, "first"), SEEN_OK);
  self->server =
      server_open(&self->disk, &self->limits, NULL, key, NOW, &status);
  assert_non_null(self->server);
  self->ann = come(self, "ann", NULL);
  say(self, self->ann, HELLO);
  say(self, self->ann,
      "{\"t\":\"create\",\"id\":2,\"op\":\"c1\",\"conv\":\"g\",\"users\":"
      "[\"bob\"]}");
  say(self, self->ann,
      "{\"t\":\"create\",\"id\":3,\"op\":\"c2\",\"conv\":\"h\",\"users\":"
      "[\"bob\"]}");
  take_all(self->ann);
}

static void end(desk *self) {
  server_close(self->server);
  self->disk.close(self->disk.self);
}

/* The states that a connection can be in. */
static void be_fresh(desk *self) {
  self->bob = come(self, "bob", NULL);
}

static void be_paging(desk *self) {
  be_fresh(self);
  say(self, self->bob, HELLO);
  take_all(self->bob); /* one row of two */
}

static void be_synced(desk *self) {
  be_paging(self);
  say(self, self->bob, "{\"t\":\"sync\",\"id\":2,\"version\":5}");
  take_all(self->bob);
}

static void be_slow(desk *self) {
  be_synced(self);
  say(self, self->ann,
      "{\"t\":\"send\",\"id\":4,\"op\":\"m\",\"conv\":\"g\",\"body\":\"x\"}");
  take_all(self->ann);
  assert_true(connection_has_next(self->bob));
}

static void be_resyncing(desk *self) {
  char frame[128];

  be_synced(self);
  for (unsigned i = 0; i < 40; i++) {
    snprintf(frame, sizeof frame,
             "{\"t\":\"send\",\"id\":9,\"op\":\"m%u\",\"conv\":\"%s\","
             "\"body\":\"x\"}",
             i, i % 2 == 0 ? "g" : "h");
    say(self, self->ann, frame);
  }
  take_all(self->ann);
  take_all(self->bob);
  assert_true(self->bob->resyncing);
}

static void be_polled(desk *self) {
  self->bob = come(self, "bob", "poll-1");
  say(self, self->bob, HELLO);
  take_all(self->bob);
}

static void be_draining(desk *self) {
  be_synced(self);
  server_report_now(self->server);
  assert_true(server_commit(self->server, NOW));
  take_all(self->bob);
}

typedef struct state_case {
  const char *name;
  void (*be)(desk *self);
} state_case;

static const state_case greeted[] = {
    {"paging", be_paging}, {"in sync", be_synced},
    {"slow", be_slow},     {"resyncing", be_resyncing},
    {"polled", be_polled}, {"draining", be_draining},
};

/* A frame that is not to be said, and what comes of it: the code of an error,
 * or of a close. */
typedef struct frame_case {
  const char *name;
  const char *frame;
  const char *error; /* NULL: it is closed */
  int close;
} frame_case;

#define DEEP "{\"t\":\"sync\",\"id\":7,\"x\":[[[[[[[[[1]]]]]]]]]}"

/* Said by who has said hello. */
static const frame_case illegal[] = {
    {"hello again", HELLO, "unsupported", 0},
    {"an unknown type", "{\"t\":\"dance\",\"id\":7}", "unsupported", 0},
    {"a server's frame: welcome", "{\"t\":\"welcome\",\"id\":7}", "unsupported",
     0},
    {"a server's frame: changes", "{\"t\":\"changes\",\"id\":7}", "unsupported",
     0},
    {"a server's frame: message", "{\"t\":\"message\",\"id\":7}", "unsupported",
     0},
    {"a server's frame: position", "{\"t\":\"position\",\"id\":7}",
     "unsupported", 0},
    {"a server's frame: ack", "{\"t\":\"ack\",\"id\":7}", "unsupported", 0},
    {"a server's frame: resync", "{\"t\":\"resync\",\"id\":7}", "unsupported",
     0},
    {"no type", "{\"id\":7}", "invalid", 0},
    {"no id", "{\"t\":\"sync\",\"version\":0}", "invalid", 0},
    {"read without items", "{\"t\":\"read\",\"id\":7}", "invalid", 0},
    {"read of nothing", "{\"t\":\"read\",\"id\":7,\"items\":[]}", "invalid", 0},
    {"delivered without items", "{\"t\":\"delivered\",\"id\":7}", "invalid", 0},
    {"mark_unread of nothing", "{\"t\":\"mark_unread\",\"id\":7}", "invalid",
     0},
    {"read_all of no time", "{\"t\":\"read_all\",\"id\":7}", "invalid", 0},
    {"fetch of nothing", "{\"t\":\"fetch\",\"id\":7,\"convs\":[]}", "invalid",
     0},
    {"sync from nowhere", "{\"t\":\"sync\",\"id\":7}", "invalid", 0},
    {"subscribe to nothing", "{\"t\":\"subscribe\",\"id\":7,\"conv\":\"g\"}",
     "invalid", 0},
    {"subscribe to what is not there",
     "{\"t\":\"subscribe\",\"id\":7,\"conv\":\"z\",\"from\":1,\"to\":2}",
     "not_found", 0},
    {"unsubscribe from nothing", "{\"t\":\"unsubscribe\",\"id\":7}", "invalid",
     0},
    {"set of nothing", "{\"t\":\"set\",\"id\":7,\"conv\":\"g\"}", "invalid", 0},
    {"send without an op", "{\"t\":\"send\",\"id\":7,\"conv\":\"g\"}",
     "invalid", 0},
    {"send to where one is not",
     "{\"t\":\"send\",\"id\":7,\"op\":\"o\",\"conv\":\"z\",\"body\":\"x\"}",
     "not_found", 0},
    {"recall of nothing",
     "{\"t\":\"send\",\"id\":7,\"op\":\"o\",\"conv\":\"g\",\"kind\":\"recall\","
     "\"target\":99}",
     "target_invalid", 0},
    {"history without a limit", "{\"t\":\"history\",\"id\":7,\"conv\":\"g\"}",
     "invalid", 0},
    {"create of what is there",
     "{\"t\":\"create\",\"id\":7,\"op\":\"o\",\"conv\":\"g\"}", "exists", 0},
    {"add by a member",
     "{\"t\":\"add\",\"id\":7,\"op\":\"o\",\"conv\":\"g\",\"users\":[\"cyd\"]}",
     "forbidden", 0},
    {"remove by a member",
     "{\"t\":\"remove\",\"id\":7,\"op\":\"o\",\"conv\":\"g\",\"users\":"
     "[\"ann\"]}",
     "forbidden", 0},
    {"join of what is closed",
     "{\"t\":\"join\",\"id\":7,\"op\":\"o\",\"conv\":\"z\"}", "not_found", 0},
    {"leave of what is not there",
     "{\"t\":\"leave\",\"id\":7,\"op\":\"o\",\"conv\":\"z\"}", "not_found", 0},
    {"settings of nothing", "{\"t\":\"settings\",\"id\":7}", "invalid", 0},
    {"admin by anybody",
     "{\"t\":\"admin\",\"id\":7,\"op\":\"o\",\"act\":\"takedown\",\"conv\":"
     "\"g\",\"seq\":1}",
     "forbidden", 0},
    {"no JSON", "{\"t\":", NULL, CLOSE_MALFORMED},
    {"no object", "[1]", NULL, CLOSE_MALFORMED},
    {"too deep", DEEP, NULL, CLOSE_MALFORMED},
    {"a member twice", "{\"t\":\"sync\",\"t\":\"sync\",\"id\":7}", NULL,
     CLOSE_MALFORMED},
};

/* Before hello all else ends it. */
static const frame_case early[] = {
    {"read", "{\"t\":\"read\",\"id\":1,\"items\":[]}", NULL, CLOSE_POLICY},
    {"delivered", "{\"t\":\"delivered\",\"id\":1}", NULL, CLOSE_POLICY},
    {"mark_unread", "{\"t\":\"mark_unread\",\"id\":1}", NULL, CLOSE_POLICY},
    {"read_all", "{\"t\":\"read_all\",\"id\":1}", NULL, CLOSE_POLICY},
    {"fetch", "{\"t\":\"fetch\",\"id\":1}", NULL, CLOSE_POLICY},
    {"sync", "{\"t\":\"sync\",\"id\":1,\"version\":0}", NULL, CLOSE_POLICY},
    {"subscribe", "{\"t\":\"subscribe\",\"id\":1}", NULL, CLOSE_POLICY},
    {"unsubscribe", "{\"t\":\"unsubscribe\",\"id\":1}", NULL, CLOSE_POLICY},
    {"set", "{\"t\":\"set\",\"id\":1}", NULL, CLOSE_POLICY},
    {"send", "{\"t\":\"send\",\"id\":1}", NULL, CLOSE_POLICY},
    {"history", "{\"t\":\"history\",\"id\":1}", NULL, CLOSE_POLICY},
    {"create", "{\"t\":\"create\",\"id\":1}", NULL, CLOSE_POLICY},
    {"add", "{\"t\":\"add\",\"id\":1}", NULL, CLOSE_POLICY},
    {"remove", "{\"t\":\"remove\",\"id\":1}", NULL, CLOSE_POLICY},
    {"join", "{\"t\":\"join\",\"id\":1}", NULL, CLOSE_POLICY},
    {"leave", "{\"t\":\"leave\",\"id\":1}", NULL, CLOSE_POLICY},
    {"settings", "{\"t\":\"settings\",\"id\":1}", NULL, CLOSE_POLICY},
    {"admin", "{\"t\":\"admin\",\"id\":1}", NULL, CLOSE_POLICY},
    {"an unknown type", "{\"t\":\"dance\",\"id\":1}", NULL, CLOSE_POLICY},
    {"hello without an id", "{\"t\":\"hello\",\"device\":\"d\"}", NULL,
     CLOSE_POLICY},
    {"hello without a device", "{\"t\":\"hello\",\"id\":1}", "invalid",
     CLOSE_POLICY},
    {"no JSON", "hello", NULL, CLOSE_MALFORMED},
    {"no object", "[]", NULL, CLOSE_MALFORMED},
};

/* The last frame that waits, before the connection is read to its end. */
static void last_frame(connection *from, char *into, size_t size) {
  const char *frame;
  size_t length;

  into[0] = '\0';
  while ((frame = connection_next(from, &length)) != NULL)
    if (strstr(frame, "\"t\":\"error\"") != NULL)
      snprintf(into, size, "%s", frame);
}

static void expect_error(connection *from, const char *code) {
  char frame[512], wanted[64];

  snprintf(wanted, sizeof wanted, "\"code\":\"%s\"", code);
  last_frame(from, frame, sizeof frame);
  if (strstr(frame, wanted) == NULL) fail_msg("%s, not %s", frame, code);
}

static void try(const state_case *state, const frame_case *frame) {
  const char *reason;
  uint64_t version;
  desk self;
  int code;

  begin(&self);
  state->be(&self);
  version = server_version(self.server);
  code = say(&self, self.bob, frame->frame);
  if (frame->close != 0)
    printf("# %s, %s: closed with %d\n", state->name, frame->name,
           frame->close);
  else
    printf("# %s, %s: error %s\n", state->name, frame->name, frame->error);
  if (code != frame->close)
    fail_msg("%s, %s: closed with %d, not %d", state->name, frame->name, code,
             frame->close);
  assert_int_equal(connection_closing(self.bob, &reason), frame->close);
  if (frame->error != NULL) expect_error(self.bob, frame->error);
  assert_int_equal(server_version(self.server), version);
  /* Who is closed is not heard any more. */
  if (frame->close != 0)
    assert_int_equal(say(&self, self.bob, HELLO), frame->close);
  end(&self);
}

static void test_states__nothing_but_hello_comes_first(void **context) {
  const state_case fresh = {"fresh", be_fresh};

  (void)context;
  for (size_t i = 0; i < sizeof early / sizeof *early; i++)
    try(&fresh, &early[i]);
}

static void test_states__what_is_illegal_changes_nothing(void **context) {
  (void)context;
  for (size_t i = 0; i < sizeof greeted / sizeof *greeted; i++)
    for (size_t k = 0; k < sizeof illegal / sizeof *illegal; k++)
      try(&greeted[i], &illegal[k]);
}

static void test_states__a_frame_that_is_too_long_ends_it(void **context) {
  static char frame[TOO_LONG];

  (void)context;
  memset(frame, ' ', sizeof frame - 1);
  for (size_t i = 0; i < sizeof greeted / sizeof *greeted; i++)
    try(&greeted[i],
        &(frame_case){"a frame over 64 KiB", frame, NULL, CLOSE_TOO_LARGE});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_states__nothing_but_hello_comes_first),
      cmocka_unit_test(test_states__what_is_illegal_changes_nothing),
      cmocka_unit_test(test_states__a_frame_that_is_too_long_ends_it),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
