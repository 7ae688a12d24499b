#include "client_net/storm.h"

#include <stdio.h>
#include <string.h>

/* The server's times and rates at a twentieth, as the clients' are. */
static const char *const settings[] = {"--hello-ms",
                                       "500",
                                       "--ping-ms",
                                       "1250",
                                       "--give-up-ms",
                                       "1750",
                                       "--drain-ms",
                                       "25",
                                       "--window-ms",
                                       "50",
                                       "--poll-ms",
                                       "1500",
                                       "--poll-idle-ms",
                                       "3000",
                                       "--reports-per-second",
                                       "400",
                                       "--requests-per-second",
                                       "1000",
                                       "--lists-per-second",
                                       "10000",
                                       "--lists-burst",
                                       "10000",
                                       NULL};

static const char *const convs[STORM_CONVS] = {"c0", "c1", "c2", "c3", "c4"};

const char *storm_conv(size_t i) {
  return convs[i];
}

/* A twentieth; the longest wait is shorter, so that it and a link that is found
 * dead late fit into the five seconds of quiet together. */
static void set_times(seen_client_options *options) {
  options->policy.dwell_ms = 8;
  options->policy.debounce_ms = 25;
  options->policy.max_wait_ms = 50;
  options->policy.fetch_wait_ms = 50;
  options->policy.reports_per_second = 40;
  options->policy.seed = 0;
  options->dial_ms = 750;
  options->hello_ms = 500;
  options->answer_ms = 3000;
  options->ping_ms = 1250;
  options->dead_ms = 1750;
  options->probe_ms = 250;
  options->backoff_min_ms = 50;
  options->backoff_max_ms = 2000;
  options->drain_ms = 250;
  options->stable_ms = 500;
  options->socket_retry_ms = 3000;
  options->socket_retry_max_ms = 30000;
  options->token_ms = 1500;
  options->request_ms = 1500;
  options->act_ms = 6000;
  options->poll_ms = 1250;
  options->recorder_capacity = 4096;
}

/* The same device, new or after its process was gone. */
static void wake_up(storm_device *d) {
  d->host = host_start_alone();
  set_times(&d->host->options);
  d->host->options.policy.user = d->user;
  d->host->options.policy.device = d->name;
  d->host->options.path = d->path;
  d->host->options.url = d->url;
  d->host->options.token = d->token;
  host_open(d->host);
  assert_int_equal(seen_client_start(d->host->client, NULL), SEEN_OK);
}

static void add(storm *s, const char *user, const char *name,
                const char *token) {
  storm_device *d = &s->devices[s->count++];
  d->user = user;
  d->name = name;
  d->token = token;
  d->proxy = test_proxy_start(s->server.port);
  snprintf(d->url, sizeof d->url, "http://127.0.0.1:%u",
           (unsigned)test_proxy_port(d->proxy));
  snprintf(d->path, sizeof d->path, "%s", test_folder_file(&s->folder, name));
  wake_up(d);
}

void storm_rest(storm *s, uint32_t ms) {
  uint64_t end = sn_platform_clock() + ms;
  sn_signal pause;
  assert_int_equal(sn_platform_signal_open(&pause, NULL), SEEN_OK);
  do {
    for (size_t i = 0; i < s->count; i++)
      (void)seen_client_dispatch(s->devices[i].host->client);
    (void)sn_platform_signal_wait(&pause, ms < 5 ? ms : 5);
  } while (sn_platform_clock() < end);
  sn_platform_signal_close(&pause);
}

static bool all_have_rows(const storm *s) {
  for (size_t i = 0; i < s->count; i++)
    if (seen_client_count(s->devices[i].host->client) !=
        (strcmp(s->devices[i].user, "cat") ? STORM_CONVS : STORM_CONVS - 1))
      return false;
  return true;
}

/* One of each kind; ann may leave c3 and come back. */
static void make_rows(storm *s) {
  static const char *const users[] = {"ann", "cat"};
  static const seen_kind kinds[STORM_CONVS] = {
      SEEN_KIND_DIRECT, SEEN_KIND_GROUP, SEEN_KIND_GROUP, SEEN_KIND_GROUP,
      SEEN_KIND_LARGE};
  uint64_t request, end = sn_platform_clock() + 60000;
  for (size_t i = 0; i < STORM_CONVS; i++) {
    const seen_creation creation = {.size = sizeof creation,
                                    .kind = kinds[i],
                                    .users = users,
                                    .user_count =
                                        kinds[i] == SEEN_KIND_DIRECT ? 1 : 2,
                                    .open = i == 3};
    assert_int_equal(seen_client_create(s->devices[0].host->client, convs[i],
                                        &creation, &request, NULL),
                     SEEN_OK);
  }
  while (!all_have_rows(s)) {
    assert_true(sn_platform_clock() < end);
    storm_rest(s, 5);
  }
}

void storm_begin(storm *s, uint64_t seed, size_t own) {
  static const char *const names[] = {"phone", "desk", "tablet", "watch",
                                      "web"};
  memset(s, 0, sizeof *s);
  s->seed = seed;
  s->random.state = seed;
  test_server_start(&s->server, settings);
  test_folder_make(&s->folder);
  test_server_token(&s->server, "bob", 3600, s->tokens[0]);
  test_server_token(&s->server, "cat", 3600, s->tokens[1]);
  test_server_token(&s->server, "ann", 3600, s->tokens[2]);
  add(s, "bob", "bobs", s->tokens[0]);
  add(s, "cat", "cats", s->tokens[1]);
  for (size_t i = 0; i < own; i++)
    add(s, "ann", names[i], s->tokens[2]);
  make_rows(s);
}

void storm_end(storm *s) {
  for (size_t i = 0; i < s->count; i++) {
    host_end(s->devices[i].host);
    test_proxy_stop(s->devices[i].proxy);
  }
  test_folder_remove(&s->folder);
  test_server_remove(&s->server);
}

static uint64_t below(storm *s, uint64_t limit) {
  return test_random_below(&s->random, limit);
}

static const char *any_conv(storm *s) {
  return convs[below(s, STORM_CONVS)];
}

/* A seq that is there, mostly. */
static uint64_t any_seq(storm *s, const storm_device *d, const char *conv) {
  seen_state state = {.size = sizeof state};
  if (seen_client_state(d->host->client, conv, &state)) return 1;
  return 1 + below(s, state.last_seq + 2);
}

static void leave_screen(storm_device *d) {
  if (d->open) (void)seen_client_closed(d->host->client, d->open);
  d->open = NULL;
}

static void look(storm *s, storm_device *d) {
  uint64_t from;
  if (!d->open || below(s, 8) == 0) {
    leave_screen(d);
    d->open = any_conv(s);
    (void)seen_client_opened(d->host->client, d->open);
  }
  from = any_seq(s, d, d->open);
  (void)seen_client_visible(d->host->client, d->open, from, from + below(s, 9));
}

static void mark(storm *s, storm_device *d) {
  seen_client *client = d->host->client;
  const char *conv = any_conv(s);
  uint64_t seq = below(s, 3) ? any_seq(s, d, conv) : 0;
  switch (below(s, 10)) {
  case 0:
  case 1: (void)seen_client_mark_unread(client, conv, seq); break;
  case 2: (void)seen_client_mark_all_read(client); break;
  case 3: (void)seen_client_clear_mentions(client, conv); break;
  case 4: (void)seen_client_mute(client, conv, seq % 2); break;
  case 5: (void)seen_client_pin(client, conv, seq % 2); break;
  default: (void)seen_client_mark_read(client, conv, seq);
  }
}

static void write_one(storm *s, storm_device *d) {
  static const char *const users[] = {"ann", "bob", "cat"};
  const char *conv = any_conv(s);
  seen_client *client = d->host->client;
  seen_post post = {.size = sizeof post,
                    .body = "hello",
                    .mentions = &users[below(s, 3)],
                    .mention_count = (size_t)below(s, 2),
                    .mention_all = below(s, 9) == 0};
  uint64_t request, seq = any_seq(s, d, conv);
  switch (below(s, 8)) {
  case 0: (void)seen_client_recall(client, conv, seq, &request, NULL); break;
  case 1:
    (void)seen_client_edit(client, conv, seq, "other", &request, NULL);
    break;
  case 2:
    post.kind = SEEN_MESSAGE_EDIT;
    post.target = seq;
    (void)seen_client_send(client, conv, &post, &request, NULL);
    break;
  case 3:
    post.kind = SEEN_MESSAGE_REACTION;
    post.target = seq;
    post.mention_count = 0;
    post.mention_all = false;
    (void)seen_client_send(client, conv, &post, &request, NULL);
    break;
  default: (void)seen_client_send(client, conv, &post, &request, NULL);
  }
}

/* Who is in c3, and who tells what was read. */
static void turn_over(storm *s, storm_device *d) {
  static const char *const ann = "ann";
  seen_client *client = d->host->client;
  uint64_t request;
  bool boss = strcmp(d->user, "bob") == 0;
  switch (below(s, boss ? 2 : 4)) {
  case 0:
    if (boss)
      (void)seen_client_remove(client, "c3", &ann, 1, &request, NULL);
    else
      (void)seen_client_leave(client, "c3", &request, NULL);
    break;
  case 1:
    if (boss)
      (void)seen_client_add(client, "c3", &ann, 1, SEEN_ROLE_MEMBER, &request,
                            NULL);
    else
      (void)seen_client_join(client, "c3", &request, NULL);
    break;
  default: (void)seen_client_receipts(client, below(s, 2) == 0, &request, NULL);
  }
}

static void live_on(storm *s, storm_device *d) {
  seen_client *client = d->host->client;
  uint64_t request;
  switch (below(s, 10)) {
  case 0: (void)seen_client_foreground(client, false); break;
  case 1:
  case 2: (void)seen_client_foreground(client, true); break;
  case 3: (void)seen_client_focus(client, below(s, 2) == 0); break;
  case 4: (void)seen_client_suspend(client, 20, NULL); break;
  case 5:
  case 6: (void)seen_client_resume(client, NULL); break;
  case 7: (void)seen_client_flush(client, 20, NULL); break;
  case 8: (void)seen_client_network_changed(client); break;
  default: (void)seen_client_history(client, any_conv(s), 0, 5, &request, NULL);
  }
}

static void restart(storm_device *d) {
  host_end(d->host);
  d->open = NULL;
  wake_up(d);
}

static void act(storm *s, storm_device *d) {
  uint64_t what = below(s, 200);
  bool peer = d < &s->devices[2];
  if (what < 50 || (peer && what < 130))
    write_one(s, d);
  else if (what < 100)
    look(s, d);
  else if (what < 170)
    mark(s, d);
  else if (what < 195)
    live_on(s, d);
  else if (what < 199)
    turn_over(s, d);
  else
    restart(d);
}

static void break_network(storm *s, storm_device *d) {
  static const test_fault faults[] = {
      TEST_DELAY,      TEST_SLOW,      TEST_CUT,     TEST_RESET,
      TEST_BLACK_HOLE, TEST_HALF_OPEN, TEST_ONE_WAY, TEST_GARBAGE};
  test_fault fault = faults[below(s, sizeof faults / sizeof *faults)];
  uint32_t ms = fault == TEST_DELAY ? 1 + (uint32_t)below(s, 100) : 1;
  test_proxy_set(d->proxy, fault, ms);
  d->heals_at = sn_platform_clock() + 5 + below(s, 400);
}

static void break_server(storm *s) {
  if (s->rises_at) return;
  if (below(s, 2))
    test_server_kill(&s->server);
  else
    test_server_end(&s->server);
  s->rises_at = sn_platform_clock() + below(s, 200);
}

static void heal(storm *s, uint64_t now) {
  if (s->rises_at && now >= s->rises_at) {
    test_server_again(&s->server, settings);
    s->rises_at = 0;
  }
  for (size_t i = 0; i < s->count; i++) {
    storm_device *d = &s->devices[i];
    if (!d->heals_at || now < d->heals_at) continue;
    test_proxy_set(d->proxy, TEST_PASS, 0);
    d->heals_at = 0;
  }
}

void storm_rage(storm *s, uint32_t ms) {
  uint64_t end = sn_platform_clock() + ms;
  while (sn_platform_clock() < end) {
    act(s, &s->devices[below(s, s->count)]);
    if (below(s, 25) == 0) break_network(s, &s->devices[below(s, s->count)]);
    if (below(s, 250) == 0) break_server(s);
    heal(s, sn_platform_clock());
    storm_rest(s, 3);
  }
}

void storm_calm(storm *s) {
  heal(s, UINT64_MAX);
  for (size_t i = 0; i < s->count; i++) {
    storm_device *d = &s->devices[i];
    assert_int_equal(seen_client_resume(d->host->client, NULL), SEEN_OK);
    leave_screen(d);
    (void)seen_client_foreground(d->host->client, true);
    (void)seen_client_focus(d->host->client, true);
  }
}

bool storm_is_answered(const storm *s) {
  for (size_t i = 0; i < s->count; i++)
    if (seen_client_live(s->devices[i].host->client) != 2) return false;
  return true;
}
