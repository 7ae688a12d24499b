/*
 * Eight threads that call whatever there is, with listeners that call back,
 * while the server talks and breaks; closed in the middle of it. What is wrong
 * is for the sanitizers to see, and what is left for the end.
 */
#include "support/host.h"

#include <stdlib.h>
#include <string.h>

#include "support/folder.h"
#include "support/random.h"

enum { HANDS = 8, CONVS = 8 };

/* What the threads share. */
typedef struct anvil {
  seen_client *client;
  test_link *link;
  sn_mutex *mutex; /* over the rest */
  size_t heard;
  size_t made;          /* user_data that listeners were given … */
  size_t freed;         /* … and that came back */
  seen_event_type last; /* that was pulled, by one thread at a time */
} anvil;

typedef struct hand {
  anvil *anvil;
  test_random random;
  uint64_t blows;
  sn_thread thread;
  bool closes;
} hand;

static const char *conv_of(hand *h) {
  static const char *const names[] = {"c0", "c1", "c2", "c3",
                                      "c4", "c5", "c6", "none"};
  return names[test_random_below(&h->random, CONVS)];
}

static void count(anvil *a, size_t *what) {
  sn_platform_mutex_lock(a->mutex);
  ++*what;
  sn_platform_mutex_unlock(a->mutex);
}

static void free_ear(void *user_data) {
  anvil *a = user_data;
  count(a, &a->freed);
}

/* Calls back, as hosts do: reads, acts, and now and then a listener more. */
static void hear(const seen_event *event, void *user_data) {
  anvil *a = user_data;
  seen_state row = {.size = sizeof row};
  seen_totals totals;
  count(a, &a->heard);
  seen_client_totals(a->client, &totals);
  if (!event->id) return;
  (void)seen_client_state(a->client, event->id, &row);
  (void)seen_client_mark_read(a->client, event->id, 0);
  (void)seen_client_dispatch(a->client);
}

static void listen(hand *h) {
  anvil *a = h->anvil;
  uint64_t number;
  if (seen_client_listen(a->client, SEEN_EVENT_ALL, NULL, hear, a, free_ear,
                         &number))
    return;
  count(a, &a->made);
  if (test_random_below(&h->random, 4)) seen_client_unlisten(a->client, number);
}

static void see(hand *h) {
  const char *conv = conv_of(h);
  seen_client *client = h->anvil->client;
  (void)seen_client_opened(client, conv);
  (void)seen_client_visible(client, conv, 1,
                            1 + test_random_below(&h->random, 50));
  (void)seen_client_closed(client, conv);
}

static void mark(hand *h) {
  seen_client *client = h->anvil->client;
  uint64_t seq = test_random_below(&h->random, 20);
  switch (test_random_below(&h->random, 8)) {
  case 0: (void)seen_client_mark_unread(client, conv_of(h), seq); break;
  case 1: (void)seen_client_mark_all_read(client); break;
  case 2: (void)seen_client_clear_mentions(client, conv_of(h)); break;
  case 3: (void)seen_client_mute(client, conv_of(h), seq % 2); break;
  case 4: (void)seen_client_pin(client, conv_of(h), seq % 2); break;
  case 5: (void)seen_client_focus(client, seq % 2); break;
  case 6: (void)seen_client_audit(client); break;
  default: (void)seen_client_mark_read(client, conv_of(h), seq);
  }
}

static void read_some(hand *h) {
  seen_client *client = h->anvil->client;
  seen_state rows[CONVS];
  seen_mention mention;
  seen_receipt receipt = {.size = sizeof receipt};
  seen_connection_state link;
  seen_metrics metrics = {.size = sizeof metrics};
  const char *users[2];
  size_t n;
  (void)seen_client_page(client, 0, CONVS, rows);
  (void)seen_client_count(client);
  (void)seen_client_next_mention(client, conv_of(h), 0, &mention);
  (void)seen_client_receipt(client, conv_of(h), 3, &receipt);
  (void)seen_client_readers(client, conv_of(h), 3, SEEN_READERS_READ, users, 2,
                            &n);
  (void)seen_client_explain(client, conv_of(h), NULL, 0, &n);
  seen_client_connection(client, &link);
  seen_client_metrics(client, &metrics);
  (void)seen_client_live(client);
  (void)seen_client_timeout(client);
}

static void ask(hand *h) {
  static const seen_post post = {.size = sizeof post, .body = "x"};
  seen_client *client = h->anvil->client;
  uint64_t request = 0;
  if (test_random_below(&h->random, 2))
    (void)seen_client_send(client, conv_of(h), &post, &request, NULL);
  else
    (void)seen_client_history(client, conv_of(h), 0, 5, &request, NULL);
  if (test_random_below(&h->random, 4) == 0)
    seen_client_cancel(client, request);
}

static int take_line(const char *line, size_t length, void *user_data) {
  (void)line;
  (void)length;
  (void)user_data;
  return 0;
}

static void steer(hand *h) {
  seen_client *client = h->anvil->client;
  switch (test_random_below(&h->random, 8)) {
  case 0: (void)seen_client_flush(client, 2, NULL); break;
  case 1: (void)seen_client_suspend(client, 2, NULL); break;
  case 2:
    (void)seen_client_dump(client, SEEN_NAMES_PSEUDONYMS, take_line, NULL,
                           NULL);
    break;
  case 3: (void)seen_client_network_changed(client); break;
  case 4: link_cut(h->anvil->link); break;
  default: (void)seen_client_resume(client, NULL);
  }
}

static void talk(hand *h) {
  char id[3] = "c0";
  id[1] = (char)('0' + test_random_below(&h->random, CONVS - 1));
  link_message(h->anvil->link, id, "hello");
}

static void *strike(void *argument) {
  hand *h = argument;
  anvil *a = h->anvil;
  for (uint64_t i = 0; i < h->blows; i++) {
    switch (test_random_below(&h->random, 16)) {
    case 0: listen(h); break;
    case 1:
    case 2: see(h); break;
    case 3:
    case 4: mark(h); break;
    case 5: ask(h); break;
    case 6: steer(h); break;
    case 7:
    case 8: talk(h); break;
    case 9:
    case 10: (void)seen_client_dispatch(a->client); break;
    case 11: seen_client_wake(a->client); break;
    default: read_some(h);
    }
    if (h->closes && i == h->blows / 2) seen_client_close(a->client);
  }
  return NULL;
}

/* One thread alone may pull; the others tell. */
static void *pull(void *argument) {
  hand *h = argument;
  seen_event events[8];
  for (uint64_t i = 0; i < h->blows; i++) {
    size_t got = seen_client_next_events(h->anvil->client, events, 8);
    if (got) h->anvil->last = events[got - 1].type;
    read_some(h);
  }
  return NULL;
}

static void hammer(uint64_t seed, uint64_t blows, bool closes) {
  test_host *t = host_start();
  anvil a = {.mutex = sn_platform_mutex_new(seen_allocator_default())};
  hand hands[HANDS];
  seen_event event;
  host_in_folder(t);
  for (size_t i = 0; i < CONVS - 1; i++) {
    char id[3] = "c0";
    id[1] = (char)('0' + i);
    link_row_is(t->link, id, 0, 3);
  }
  assert_int_equal(host_try(t, NULL), SEEN_OK);
  a.client = t->client;
  a.link = t->link;
  assert_int_equal(seen_client_start(t->client, NULL), SEEN_OK);
  for (size_t i = 0; i < HANDS; i++) {
    hands[i] = (hand){.anvil = &a,
                      .random = {seed + i},
                      .blows = blows,
                      .closes = closes && i < 2};
    assert_int_equal(sn_platform_thread(i == HANDS - 1 ? pull : strike,
                                        &hands[i], &hands[i].thread, NULL),
                     SEEN_OK);
  }
  for (size_t i = 0; i < HANDS; i++)
    sn_platform_join(hands[i].thread);
  seen_client_close(t->client);
  assert_int_equal(a.freed, a.made);
  while (seen_client_next_events(t->client, &event, 1))
    a.last = event.type;
  assert_int_equal(a.last, SEEN_EVENT_CLOSED);
  assert_int_equal(seen_client_live(t->client), 0);
  t->freed++; /* there was no listener of the host's */
  host_end(t);
  sn_platform_mutex_free(seen_allocator_default(), a.mutex);
}

static void test_hammer__eight_threads_call_whatever_there_is(void **state) {
  (void)state;
  hammer(test_fresh_seed(), test_scaled(4000), false);
}

static void test_hammer__and_close_in_the_middle_of_it(void **state) {
  uint64_t seed = test_fresh_seed();
  (void)state;
  for (uint64_t n = test_scaled(20); n > 0; n--)
    hammer(seed + n * HANDS, 100, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST_IN_FOLDER(test_hammer__eight_threads_call_whatever_there_is),
      TEST_IN_FOLDER(test_hammer__and_close_in_the_middle_of_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
