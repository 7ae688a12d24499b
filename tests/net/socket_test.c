/* The thread of the sockets: what it leaves alone, and how it ends. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier) for RTLD_NEXT */
#define _GNU_SOURCE

#include "net/caller.h"
#include "net/peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <libwebsockets.h>

#include <cmocka.h>

#include "support/server.h"
#include "support/wait.h"

static caller self;
static size_t threads; /* before there was any of ours */

/*
 * Names of the tests' own: "slow.test" is looked up until it is told,
 * "two.test" has an address where nobody listens, and then one where somebody
 * does.
 */
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static bool may_look_up;
static int looking;

typedef int resolver(const char *name, const char *service,
                     const struct addrinfo *wanted, struct addrinfo **found);

static int pass_on(const char *name, const char *service,
                   const struct addrinfo *wanted, struct addrinfo **found);

static void wait_to_be_told(void) {
  pthread_mutex_lock(&naming);
  looking++;
  while (!may_look_up)
    pthread_cond_wait(&told, &naming);
  looking--;
  pthread_mutex_unlock(&naming);
}

static int two_addresses(const struct addrinfo *wanted,
                         struct addrinfo **found) {
  struct addrinfo numeric = *wanted;
  int status;
  numeric.ai_flags = AI_NUMERICHOST;
  status = pass_on("127.0.0.2", NULL, &numeric, found);
  if (status) return status;
  return pass_on("127.0.0.1", NULL, &numeric, &(*found)->ai_next);
}

/* In the place of the C library's, which libraries of this process call too. */
__attribute__((visibility("default"))) int
find_addresses(const char *name, const char *service,
               const struct addrinfo *wanted,
               struct addrinfo **found) __asm__("getaddrinfo");

int find_addresses(const char *name, const char *service,
                   const struct addrinfo *wanted, struct addrinfo **found) {
  bool is_name = name && wanted && !(wanted->ai_flags & AI_NUMERICHOST);
  if (is_name && !strcmp(name, "slow.test")) {
    wait_to_be_told();
    name = "localhost";
  }
  if (is_name && !strcmp(name, "nowhere.test")) return EAI_NONAME;
  if (is_name && !strcmp(name, "two.test")) return two_addresses(wanted, found);
  return pass_on(name, service, wanted, found);
}

static int pass_on(const char *name, const char *service,
                   const struct addrinfo *wanted, struct addrinfo **found) {
  resolver *real;
  void *symbol = dlsym(RTLD_NEXT, "getaddrinfo");
  memcpy(&real, &symbol, sizeof real);
  return real(name, service, wanted, found);
}

static void let_look_up(bool may) {
  pthread_mutex_lock(&naming);
  may_look_up = may;
  pthread_cond_broadcast(&told);
  pthread_mutex_unlock(&naming);
}

static bool nobody_looks(void *ignored) {
  int number;
  (void)ignored;
  pthread_mutex_lock(&naming);
  number = looking;
  pthread_mutex_unlock(&naming);
  return number == 0;
}

static bool somebody_looks(void *ignored) {
  return !nobody_looks(ignored);
}

static void test_socket__carries_many_at_once(void **state) {
  enum { MANY = 20 };
  (void)state;
  caller_open(&self, "ws", "localhost", caller_server.port, NULL);
  for (uint64_t i = 1; i <= MANY; i++)
    caller_dial(&self, i, SEEN_LINK_SOCKET, caller_token, CALLER_MS);
  for (int i = 0; i < MANY; i++) {
    assert_true(caller_next(&self, CALLER_MS));
    assert_int_equal(self.event.type, SEEN_TRANSPORT_OPEN);
  }
  for (uint64_t i = 1; i <= MANY; i++)
    self.transport->close(self.transport, i, 1000);
  for (int i = 0; i < MANY; i++) {
    assert_true(caller_next(&self, CALLER_MS));
    assert_int_equal(self.event.type, SEEN_TRANSPORT_ENDED);
    assert_int_equal(self.event.ended, SEEN_ENDED_LOCAL);
  }
  caller_expect_none(&self, 50);
  caller_close(&self);
}

/* More than its tables hold: those that find no place end, each once. */
static void test_socket__too_many_end_one_by_one(void **state) {
  enum { MANY = 100 };
  size_t open = 0, ended = 0;
  (void)state;
  caller_open(&self, "ws", "127.0.0.1", caller_server.port, NULL);
  for (uint64_t i = 1; i <= MANY; i++)
    caller_dial(&self, i, SEEN_LINK_SOCKET, caller_token, CALLER_MS);
  for (int i = 0; i < MANY; i++) {
    assert_true(caller_next(&self, CALLER_MS));
    open += self.event.type == SEEN_TRANSPORT_OPEN;
    ended += self.event.type == SEEN_TRANSPORT_ENDED;
  }
  assert_int_equal(open + ended, MANY);
  assert_true(open >= 40);
  caller_close(&self);
}

static void test_socket__the_next_address_is_tried(void **state) {
  (void)state;
  caller_open(&self, "ws", "two.test", caller_server.port, NULL);
  caller_dial_open(&self, 1, caller_token);
  caller_close(&self);
}

static void test_socket__nobody_there_is_told(void **state) {
  (void)state;
  caller_open(&self, "ws", "127.0.0.2", caller_server.port, NULL);
  caller_dial(&self, 1, SEEN_LINK_SOCKET, caller_token, CALLER_MS);
  caller_expect_end(&self, 1, SEEN_ENDED_CONNECT, 0);
  caller_close(&self);
  caller_open(&self, "ws", "nowhere.test", caller_server.port, NULL);
  caller_dial(&self, 1, SEEN_LINK_SOCKET, caller_token, CALLER_MS);
  caller_expect_end(&self, 1, SEEN_ENDED_RESOLVE, 0);
  caller_close(&self);
}

static void test_socket__a_slow_name_holds_nothing_up(void **state) {
  uint64_t before = sn_platform_clock();
  (void)state;
  let_look_up(false);
  caller_open(&self, "http", "slow.test", caller_server.port, NULL);
  caller_dial(&self, 1, SEEN_LINK_SOCKET, caller_token, 0);
  caller_dial(&self, 2, SEEN_LINK_SOCKET, caller_token, 100);
  caller_request(&self, 3, caller_token, "/im/unread", NULL, 0);
  caller_expect_end(&self, 2, SEEN_ENDED_TIMEOUT, 0);
  assert_true(test_wait_until(somebody_looks, NULL, CALLER_MS));
  self.transport->close(self.transport, 1, 1000);
  caller_expect_end(&self, 1, SEEN_ENDED_LOCAL, 0);
  self.transport->cancel(self.transport, 3);
  caller_expect_answer(&self, 3, 0, SEEN_ENDED_LOCAL);
  caller_dial(&self, 4, SEEN_LINK_SOCKET, caller_token, 0);
  caller_request(&self, 5, caller_token, "/im/unread", NULL, 0);
  caller_close(&self);
  assert_true(sn_platform_clock() - before < caller_soon_ms());
  let_look_up(true);
  assert_true(test_wait_until(nobody_looks, NULL, CALLER_MS));
}

static void test_socket__a_slow_name_that_comes_is_used(void **state) {
  (void)state;
  let_look_up(false);
  caller_open(&self, "http", "slow.test", caller_server.port, NULL);
  caller_dial(&self, 1, SEEN_LINK_SOCKET, caller_token, 0);
  assert_true(test_wait_until(somebody_looks, NULL, CALLER_MS));
  let_look_up(true);
  caller_expect(&self, SEEN_TRANSPORT_OPEN, 1);
  caller_close(&self);
}

static void hear(int number) {
  (void)number;
}

static void keep_quiet(int level, const char *line) {
  (void)level;
  (void)line;
}

static void test_socket__signals_and_the_log_stay_the_hosts(void **state) {
  struct sigaction set, found;
  sigset_t before, after;
  (void)state;
  memset(&set, 0, sizeof set);
  set.sa_handler = hear;
  assert_int_equal(sigaction(SIGPIPE, &set, NULL), 0);
  pthread_sigmask(SIG_SETMASK, NULL, &before);
  lws_set_log_level(LLL_ERR | LLL_USER, keep_quiet);
  caller_open(&self, "http", "127.0.0.1", caller_server.port, NULL);
  caller_dial_open(&self, 1, caller_token);
  caller_request(&self, 2, caller_token, "/im/unread", NULL, CALLER_MS);
  caller_expect_answer(&self, 2, 200, (seen_ended)0);
  caller_close(&self);
  assert_int_equal(lwsl_visible(0xffff), LLL_ERR | LLL_USER);
  assert_int_equal(sigaction(SIGPIPE, NULL, &found), 0);
  assert_true(found.sa_handler == hear);
  pthread_sigmask(SIG_SETMASK, NULL, &after);
  for (int number = 1; number < 32; number++)
    assert_int_equal(sigismember(&before, number), sigismember(&after, number));
  signal(SIGPIPE, SIG_DFL);
}

/* SIGPIPE would end this process, which has not asked to ignore it. */
static void close_at_once(int end, void *argument) {
  struct linger at_once = {1, 0};
  (void)argument;
  if (peer_accept(end))
    setsockopt(end, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

static void test_socket__writing_to_who_has_gone_is_no_signal(void **state) {
  peer *other = peer_start(close_at_once, NULL);
  (void)state;
  signal(SIGPIPE, SIG_DFL);
  caller_open(&self, "http", "127.0.0.1", peer_port(other), NULL);
  for (uint64_t i = 1; i <= 20; i++) {
    caller_dial(&self, i, SEEN_LINK_SOCKET, NULL, CALLER_MS);
    do {
      assert_true(caller_next(&self, CALLER_MS));
      for (int n = 0; n < 10; n++)
        caller_write(&self, i, "{}");
    } while (self.event.type != SEEN_TRANSPORT_ENDED);
  }
  caller_close(&self);
  peer_stop(other);
}

static void test_socket__a_proxy_of_the_environment_is_not_taken(void **state) {
  (void)state;
  setenv("http_proxy", "http://127.0.0.2:1", 1);
  setenv("https_proxy", "http://127.0.0.2:1", 1);
  setenv("all_proxy", "http://127.0.0.2:1", 1);
  caller_open(&self, "http", "127.0.0.1", caller_server.port, NULL);
  caller_dial_open(&self, 1, caller_token);
  caller_request(&self, 2, caller_token, "/im/unread", NULL, CALLER_MS);
  caller_expect_answer(&self, 2, 200, (seen_ended)0);
  caller_close(&self);
  unsetenv("http_proxy");
  unsetenv("https_proxy");
  unsetenv("all_proxy");
}

static void test_socket__without_descriptors_each_dial_ends(void **state) {
  struct rlimit before, none;
  (void)state;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  caller_open(&self, "http", "127.0.0.1", caller_server.port, NULL);
  none = before;
  none.rlim_cur = 0;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
  caller_dial(&self, 1, SEEN_LINK_SOCKET, caller_token, 2000);
  caller_expect(&self, SEEN_TRANSPORT_ENDED, 1);
  caller_dial(&self, 2, SEEN_LINK_SOCKET, caller_token, 2000);
  caller_expect(&self, SEEN_TRANSPORT_ENDED, 2);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
  caller_close(&self);
}

typedef struct counts {
  size_t descriptors, threads;
} counts;

static bool are_back(void *argument) {
  const counts *before = argument;
  return test_count_descriptors() <= before->descriptors &&
         test_count_threads() <= before->threads;
}

static unsigned scale(unsigned count) {
  const char *text = getenv("SEEN_SCALE");
  unsigned by = text ? (unsigned)strtoul(text, NULL, 10) : 1;
  return by > 1 ? count / by + 1 : count;
}

static void test_socket__a_thousand_leave_nothing_behind(void **state) {
  counts before;
  (void)state;
  caller_open(&self, "http", "localhost", caller_server.port, NULL);
  caller_dial_open(&self, 1, caller_token);
  caller_request(&self, 2, caller_token, "/im/unread", NULL, CALLER_MS);
  caller_expect_answer(&self, 2, 200, (seen_ended)0);
  caller_close(&self);
  before.descriptors = test_count_descriptors();
  before.threads = threads;
  for (unsigned i = 0; i < scale(1000); i++) {
    caller_open(&self, "http", i & 1 ? "localhost" : "127.0.0.1",
                caller_server.port, NULL);
    caller_dial(&self, 1, SEEN_LINK_SOCKET, caller_token, CALLER_MS);
    if (i & 2)
      caller_request(&self, 2, caller_token, "/im/unread", NULL, CALLER_MS);
    if (i & 4) caller_dial(&self, 3, SEEN_LINK_POLL, caller_token, CALLER_MS);
    if (i & 8) {
      do
        assert_true(caller_next(&self, CALLER_MS));
      while (self.event.type != SEEN_TRANSPORT_OPEN);
    }
    caller_close(&self);
  }
  if (!test_wait_until(are_back, &before, CALLER_MS))
    fail_msg("%zu descriptors, %zu threads; %zu and %zu before",
             test_count_descriptors(), test_count_threads(), before.descriptors,
             before.threads);
}

static void test_socket__a_thousand_connections_leave_nothing(void **state) {
  counts before;
  (void)state;
  caller_open(&self, "http", "127.0.0.1", caller_server.port, NULL);
  caller_dial_open(&self, 1000000, caller_token);
  before.descriptors = test_count_descriptors();
  before.threads = test_count_threads();
  for (unsigned i = 1; i <= scale(1000); i++) {
    caller_dial(&self, i, SEEN_LINK_SOCKET, caller_token, CALLER_MS);
    if (i & 1) {
      while (self.event.number != i || self.event.type != SEEN_TRANSPORT_OPEN)
        assert_true(caller_next(&self, CALLER_MS));
    }
    self.transport->close(self.transport, i, 1000);
    caller_expect_end(&self, i, SEEN_ENDED_LOCAL, 0);
  }
  assert_true(test_wait_until(are_back, &before, CALLER_MS));
  caller_close(&self);
}

static int set_up(void **state) {
  lws_set_log_level(0, NULL);
  threads = test_count_threads_alone();
  let_look_up(true);
  return caller_set_up(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_socket__carries_many_at_once),
      cmocka_unit_test(test_socket__too_many_end_one_by_one),
      cmocka_unit_test(test_socket__the_next_address_is_tried),
      cmocka_unit_test(test_socket__nobody_there_is_told),
      cmocka_unit_test(test_socket__a_slow_name_holds_nothing_up),
      cmocka_unit_test(test_socket__a_slow_name_that_comes_is_used),
      cmocka_unit_test(test_socket__signals_and_the_log_stay_the_hosts),
      cmocka_unit_test(test_socket__writing_to_who_has_gone_is_no_signal),
      cmocka_unit_test(test_socket__a_proxy_of_the_environment_is_not_taken),
      cmocka_unit_test(test_socket__without_descriptors_each_dial_ends),
      cmocka_unit_test(test_socket__a_thousand_leave_nothing_behind),
      cmocka_unit_test(test_socket__a_thousand_connections_leave_nothing),
  };
  return cmocka_run_group_tests(tests, set_up, caller_tear_down);
}
