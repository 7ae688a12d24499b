/*
 * Each function of the client in each of its states: there is an answer, and
 * it is the one that the header promises (C238).
 */
#include "support/host.h"

#include <stdio.h>
#include <string.h>

#include "support/folder.h"

typedef enum phase {
  CREATED,
  RUNNING, /* on a thread; the server is silent */
  STEPPED,
  ONLINE,
  SUSPENDED,
  CLOSING, /* in the listener that closes */
  CLOSED,
  LEFT, /* logged out */
  PHASES
} phase;

static const char *const phase_names[] = {"created", "running",   "stepped",
                                          "online",  "suspended", "closing",
                                          "closed",  "left"};

typedef int (*call)(test_host *t);

static uint64_t number;

static void hear_nothing(const seen_event *event, void *user_data) {
  (void)event;
  (void)user_data;
}

static int listen_to_none(test_host *t) {
  return seen_client_listen(t->client, 0, NULL, hear_nothing, NULL, NULL,
                            &number);
}

static int listen_and_not(test_host *t) {
  int status = seen_client_listen(t->client, SEEN_EVENT_ALL, "g", hear_nothing,
                                  NULL, NULL, &number);
  if (!status) seen_client_unlisten(t->client, number);
  seen_client_unlisten(t->client, 99999);
  return status;
}

static int act_opened(test_host *t) {
  return seen_client_opened(t->client, "g");
}
static int act_visible(test_host *t) {
  return seen_client_visible(t->client, "g", 6, 7);
}
static int act_rows(test_host *t) {
  const seen_list_row row = {6, 0, 10};
  return seen_client_visible_rows(t->client, "g", &row, 1, 100);
}
static int act_closed(test_host *t) {
  return seen_client_closed(t->client, "g");
}
static int act_read(test_host *t) {
  return seen_client_mark_read(t->client, "g", 7);
}
static int act_unread(test_host *t) {
  return seen_client_mark_unread(t->client, "g", 6);
}
static int act_all(test_host *t) {
  return seen_client_mark_all_read(t->client);
}
static int act_mentions(test_host *t) {
  return seen_client_clear_mentions(t->client, "g");
}
static int act_mute(test_host *t) {
  return seen_client_mute(t->client, "g", true);
}
static int act_pin(test_host *t) {
  return seen_client_pin(t->client, "g", true);
}
static int act_forget(test_host *t) {
  return seen_client_forget(t->client, "none");
}
static int act_foreground(test_host *t) {
  return seen_client_foreground(t->client, true);
}
static int act_focus(test_host *t) {
  return seen_client_focus(t->client, true);
}
static int act_network(test_host *t) {
  return seen_client_network_changed(t->client);
}
static int act_token(test_host *t) {
  return seen_client_token(t->client, "abc");
}
static int act_audit(test_host *t) {
  return seen_client_audit(t->client);
}

static const seen_post post = {.size = sizeof post, .body = "x"};
static const char *const user = "u2";
static const seen_creation creation = {
    .size = sizeof creation, .users = &user, .user_count = 1};

static int ask_send(test_host *t) {
  return seen_client_send(t->client, "g", &post, &number, NULL);
}
static int ask_recall(test_host *t) {
  return seen_client_recall(t->client, "g", 5, &number, NULL);
}
static int ask_edit(test_host *t) {
  return seen_client_edit(t->client, "g", 5, "y", &number, NULL);
}
static int ask_history(test_host *t) {
  return seen_client_history(t->client, "g", 0, 1, &number, NULL);
}
static int ask_readers(test_host *t) {
  return seen_client_ask_readers(t->client, "g", 5, SEEN_ASK_COUNTS, NULL, 1,
                                 &number, NULL);
}
static int ask_create(test_host *t) {
  return seen_client_create(t->client, "n", &creation, &number, NULL);
}
static int ask_add(test_host *t) {
  return seen_client_add(t->client, "g", &user, 1, SEEN_ROLE_MEMBER, &number,
                         NULL);
}
static int ask_remove(test_host *t) {
  return seen_client_remove(t->client, "g", &user, 1, &number, NULL);
}
static int ask_join(test_host *t) {
  return seen_client_join(t->client, "g", &number, NULL);
}
static int ask_leave(test_host *t) {
  return seen_client_leave(t->client, "g", &number, NULL);
}
static int ask_receipts(test_host *t) {
  return seen_client_receipts(t->client, true, &number, NULL);
}

static int take_push(test_host *t) {
  static const char frame[] =
      "{\"t\":\"message\",\"conv\":\"g\",\"seq\":8,\"version\":900,"
      "\"from\":\"u2\",\"kind\":\"text\",\"countable\":true,"
      "\"sent_at\":1733000000000}";
  return seen_client_feed_push(t->client, frame, sizeof frame - 1, NULL);
}

static int take_line(const char *line, size_t length, void *user_data) {
  (void)line;
  (void)length;
  (void)user_data;
  return 0;
}

static int dump(test_host *t) {
  return seen_client_dump(t->client, SEEN_NAMES_PSEUDONYMS, take_line, NULL,
                          NULL);
}

/* What answers in every state. */
static int read_all(test_host *t) {
  seen_client *client = t->client;
  seen_state row = {.size = sizeof row};
  seen_totals totals;
  seen_mention mention;
  seen_receipt receipt = {.size = sizeof receipt};
  seen_connection_state link;
  seen_metrics metrics = {.size = sizeof metrics};
  seen_event events[4];
  const char *users[2];
  size_t count;
  (void)seen_client_state(client, "g", &row);
  (void)seen_client_state(client, "none", &row);
  (void)seen_client_count(client);
  (void)seen_client_page(client, 0, 1, &row);
  seen_client_totals(client, &totals);
  seen_client_totals_without(client, "g", &totals);
  (void)seen_client_next_mention(client, "g", 0, &mention);
  (void)seen_client_receipt(client, "g", 5, &receipt);
  (void)seen_client_readers(client, "g", 5, SEEN_READERS_READ, users, 2,
                            &count);
  seen_client_connection(client, &link);
  (void)seen_client_explain(client, "g", NULL, 0, &count);
  seen_client_metrics(client, &metrics);
  (void)seen_client_live(client);
  (void)seen_client_descriptor(client);
  (void)seen_client_timeout(client);
  seen_client_wake(client);
  seen_client_cancel(client, 1);
  (void)seen_client_dispatch(client);
  (void)seen_client_next_events(client, events, 4);
  return SEEN_OK;
}

static int step(test_host *t) {
  return seen_client_step(t->client, 0, NULL);
}
static int flush(test_host *t) {
  return seen_client_flush(t->client, 0, NULL);
}

/* What is done again or undone, last: it changes the state. */
static int start(test_host *t) {
  return seen_client_start(t->client, NULL);
}
static int suspend(test_host *t) {
  return seen_client_suspend(t->client, 0, NULL);
}
static int resume(test_host *t) {
  return seen_client_resume(t->client, NULL);
}
static int log_out(test_host *t) {
  return seen_client_log_out(t->client, NULL);
}

#define ANY 1 /* either: it depends on the server */

/* In each state the code that comes of it; 0 is SEEN_OK. */
static const struct {
  const char *name;
  call call;
  int codes[PHASES];
} table[] = {
#define ALWAYS(code)                                                           \
  { code, code, code, code, code, code, code, code }
#define OPEN(code)                                                             \
  { code, code, code, code, code, SEEN_ECLOSED, SEEN_ECLOSED, SEEN_ECLOSED }
    {"listen to none", listen_to_none, ALWAYS(SEEN_EINVAL)},
    {"listen", listen_and_not, OPEN(SEEN_OK)},
    {"opened", act_opened, OPEN(SEEN_OK)},
    {"visible", act_visible, OPEN(SEEN_OK)},
    {"visible_rows", act_rows, OPEN(SEEN_OK)},
    {"closed", act_closed, OPEN(SEEN_OK)},
    {"mark_read", act_read, OPEN(SEEN_OK)},
    {"mark_unread", act_unread, OPEN(SEEN_OK)},
    {"mark_all_read", act_all, OPEN(SEEN_OK)},
    {"clear_mentions", act_mentions, OPEN(SEEN_OK)},
    {"mute", act_mute, OPEN(SEEN_OK)},
    {"pin", act_pin, OPEN(SEEN_OK)},
    {"forget", act_forget, OPEN(SEEN_OK)},
    {"foreground", act_foreground, OPEN(SEEN_OK)},
    {"focus", act_focus, OPEN(SEEN_OK)},
    {"network_changed", act_network, OPEN(SEEN_OK)},
    {"token", act_token, OPEN(SEEN_OK)},
    {"audit", act_audit, OPEN(SEEN_OK)},
    {"send", ask_send, OPEN(SEEN_OK)},
    {"recall", ask_recall, OPEN(SEEN_OK)},
    {"edit", ask_edit, OPEN(SEEN_OK)},
    {"history", ask_history, OPEN(SEEN_OK)},
    {"ask_readers", ask_readers, OPEN(SEEN_OK)},
    {"create", ask_create, OPEN(SEEN_OK)},
    {"add", ask_add, OPEN(SEEN_OK)},
    {"remove", ask_remove, OPEN(SEEN_OK)},
    {"join", ask_join, OPEN(SEEN_OK)},
    {"leave", ask_leave, OPEN(SEEN_OK)},
    {"receipts", ask_receipts, OPEN(SEEN_OK)},
    {"feed_push", take_push, OPEN(SEEN_OK)},
    {"dump", dump, OPEN(SEEN_OK)},
    {"reads", read_all, ALWAYS(SEEN_OK)},
    {"step",
     step,
     {SEEN_OK, SEEN_ESTATE, SEEN_OK, SEEN_OK, SEEN_OK, SEEN_ECLOSED,
      SEEN_ECLOSED, SEEN_ECLOSED}},
    {"flush",
     flush,
     {ANY, ANY, ANY, ANY, SEEN_ESTATE, SEEN_ECLOSED, SEEN_ECLOSED,
      SEEN_ECLOSED}},
    {"start",
     start,
     {SEEN_OK, SEEN_ESTATE, SEEN_OK, SEEN_OK, SEEN_OK, SEEN_ECLOSED,
      SEEN_ECLOSED, SEEN_ECLOSED}},
    {"start again",
     start,
     {SEEN_ESTATE, SEEN_ESTATE, SEEN_ESTATE, SEEN_ESTATE, SEEN_ESTATE,
      SEEN_ECLOSED, SEEN_ECLOSED, SEEN_ECLOSED}},
    {"suspend",
     suspend,
     {ANY, ANY, ANY, ANY, SEEN_OK, SEEN_ECLOSED, SEEN_ECLOSED, SEEN_ECLOSED}},
    {"suspend again", suspend, OPEN(SEEN_OK)},
    {"resume", resume, OPEN(SEEN_OK)},
    {"resume again", resume, OPEN(SEEN_OK)},
    {"log_out", log_out, OPEN(SEEN_OK)},
    {"log_out again", log_out, ALWAYS(SEEN_ECLOSED)},
};

static void call_all(test_host *t, phase now) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    int status = table[i].call(t);
    int wanted = table[i].codes[now];
    if (wanted == ANY)
      wanted = status == SEEN_ETIMEOUT ? SEEN_ETIMEOUT : SEEN_OK;
    if (status != wanted)
      fail_msg("%s, %s: %s, not %s", phase_names[now], table[i].name,
               seen_error_name(status), seen_error_name(wanted));
  }
}

static void close_and_call(const seen_event *event, void *user_data) {
  test_host *t = user_data;
  (void)event;
  seen_client_close(t->client);
  call_all(t, CLOSING);
}

static void reach(test_host *t, phase now) {
  if (now == CREATED) return;
  if (now == RUNNING || now == STEPPED) {
    link_answer(t->link, false);
    if (now == RUNNING)
      assert_int_equal(seen_client_start(t->client, NULL), SEEN_OK);
    else
      host_turns(t);
    return;
  }
  host_until(t, host_is_online);
  if (now == SUSPENDED)
    assert_int_equal(seen_client_suspend(t->client, HOST_MS, NULL), SEEN_OK);
  if (now == CLOSED) seen_client_close(t->client);
  if (now == LEFT)
    assert_int_equal(seen_client_log_out(t->client, NULL), SEEN_OK);
}

static void try_phase(phase now, bool hears) {
  test_host *t = host_start();
  host_in_folder(t);
  link_row_is(t->link, "g", 5, 7);
  host_open(t);
  if (!hears) {
    seen_client_unlisten(t->client, t->listener);
    assert_int_equal(t->freed, 1);
  }
  reach(t, now);
  if (now == CLOSING) {
    seen_client_unlisten(t->client, t->listener);
    assert_int_equal(seen_client_listen(t->client, SEEN_EVENT_MESSAGE, NULL,
                                        close_and_call, t, NULL, &number),
                     SEEN_OK);
    link_message(t->link, "g", "hello");
    (void)seen_client_step(t->client, 100, NULL);
    (void)seen_client_dispatch(t->client);
    assert_int_equal(seen_client_mute(t->client, "g", true), SEEN_ECLOSED);
  } else {
    call_all(t, now);
  }
  host_end(t);
}

static void test_matrix__every_call_has_an_answer_in_every_state(void **state) {
  (void)state;
  for (phase now = CREATED; now < PHASES; now++)
    try_phase(now, true);
}

static void test_matrix__and_nobody_has_to_listen(void **state) {
  (void)state;
  for (phase now = CREATED; now < PHASES; now++)
    if (now != CLOSING) try_phase(now, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST_IN_FOLDER(test_matrix__every_call_has_an_answer_in_every_state),
      TEST_IN_FOLDER(test_matrix__and_nobody_has_to_listen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
