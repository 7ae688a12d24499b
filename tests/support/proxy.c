#define _POSIX_C_SOURCE 200809L

#include "support/proxy.h"

#include "base/platform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAIRS = 64, STORE = 65536, REST_MS = 50 };

/* One direction: what was read at `from` and is due at `to`. */
typedef struct way {
  char store[STORE];
  size_t length, sent;
  uint64_t due;
  bool at_end; /* of what `from` says */
  bool told;   /* `to` knows it */
} way;

typedef struct pair {
  int ends[2]; /* of the client, of the server; -1: closed */
  way up, down;
} pair;

struct test_proxy {
  sn_thread thread;
  sn_mutex *lock;
  sn_signal changed, applied;
  int listener;
  uint16_t port;
  uint16_t target; /* from here on under the lock */
  test_fault fault;
  uint32_t ms;
  bool stop, is_new;
  test_traffic traffic;
  pair *pairs[PAIRS];
};

static struct sockaddr_in loopback(uint16_t port) {
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

static void prepare(int end) {
  fcntl(end, F_SETFD, FD_CLOEXEC);
  fcntl(end, F_SETFL, O_NONBLOCK);
}

static int listen_at(uint16_t *port) {
  struct sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  assert_true(listener >= 0);
  assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
  assert_int_equal(listen(listener, 128), 0);
  assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size),
                   0);
  prepare(listener);
  *port = ntohs(address.sin_port);
  return listener;
}

static void close_end(pair *of, int which, bool by_reset) {
  struct linger at_once = {1, 0};
  if (of->ends[which] < 0) return;
  if (by_reset)
    setsockopt(of->ends[which], SOL_SOCKET, SO_LINGER, &at_once,
               sizeof at_once);
  close(of->ends[which]);
  of->ends[which] = -1;
}

static void drop(pair **place, bool by_reset) {
  close_end(*place, 0, by_reset);
  close_end(*place, 1, by_reset);
  free(*place);
  *place = NULL;
}

static void accept_one(test_proxy *self, uint16_t target) {
  struct sockaddr_in address = loopback(target);
  int end = accept(self->listener, NULL, NULL);
  size_t at = 0;
  while (at < PAIRS && self->pairs[at])
    at++;
  if (end < 0 || at == PAIRS) {
    if (end >= 0) close(end);
    return;
  }
  self->pairs[at] = calloc(1, sizeof(pair));
  if (!self->pairs[at]) abort();
  self->pairs[at]->ends[0] = end;
  self->pairs[at]->ends[1] = socket(AF_INET, SOCK_STREAM, 0);
  prepare(end);
  prepare(self->pairs[at]->ends[1]);
  (void)connect(self->pairs[at]->ends[1], (struct sockaddr *)&address,
                sizeof address);
}

/* Reads, where what was read before is gone. */
static void take(way *self, int from, test_fault fault, uint64_t due) {
  ssize_t got;
  if (self->at_end || self->length > 0) return;
  got = recv(from, self->store, sizeof self->store, 0);
  if (got < 0) return; /* nothing, or it is broken */
  self->at_end = got == 0;
  self->length = (size_t)got;
  self->sent = 0;
  self->due = due;
  for (size_t i = 0; fault == TEST_GARBAGE && i < self->length; i++)
    self->store[i] = (char)(self->store[i] ^ 0xa5);
}

static size_t give(way *self, int to, const test_proxy *by, uint64_t now) {
  size_t most = self->length - self->sent;
  ssize_t gave;
  if (most == 0 && self->at_end && !self->told) {
    self->told = true;
    shutdown(to, SHUT_WR);
  }
  if (most == 0 || now < self->due) return 0;
  if (by->fault == TEST_SLOW) most = 1;
  gave = send(to, self->store + self->sent, most, MSG_NOSIGNAL);
  if (gave <= 0) return 0;
  self->sent += (size_t)gave;
  if (self->sent == self->length) self->sent = self->length = 0;
  if (by->fault == TEST_SLOW) self->due = now + by->ms;
  return (size_t)gave;
}

/* Whether bytes of this direction pass. */
static bool passes(test_fault fault, bool is_up) {
  if (fault == TEST_ONE_WAY) return is_up;
  return fault != TEST_BLACK_HOLE && fault != TEST_HALF_OPEN;
}

static void relay(test_proxy *self, pair *at, uint64_t now) {
  uint64_t due = self->fault == TEST_DELAY ? now + self->ms : now;
  if (passes(self->fault, true)) {
    take(&at->up, at->ends[0], TEST_PASS, due);
    self->traffic.to_server += give(&at->up, at->ends[1], self, now);
  }
  if (passes(self->fault, false)) {
    take(&at->down, at->ends[1], self->fault, due);
    self->traffic.to_client += give(&at->down, at->ends[0], self, now);
  }
}

static bool is_over(const pair *at) {
  return at->up.told && at->down.told;
}

/* What an end says that broke; half-open ones say nothing. */
static bool is_broken(const test_proxy *self, pair *at) {
  for (int i = 0; i < 2; i++) {
    int number = 0;
    socklen_t size = sizeof number;
    if (at->ends[i] < 0) continue;
    getsockopt(at->ends[i], SOL_SOCKET, SO_ERROR, &number, &size);
    if (number) return passes(self->fault, true);
  }
  return false;
}

static void turn(test_proxy *self, uint64_t now) {
  bool ends = self->fault == TEST_CUT || self->fault == TEST_RESET;
  self->traffic.open = 0;
  for (size_t i = 0; i < PAIRS; i++) {
    if (!self->pairs[i]) continue;
    if (self->fault == TEST_HALF_OPEN) close_end(self->pairs[i], 1, false);
    if (ends || is_broken(self, self->pairs[i])) {
      drop(&self->pairs[i], self->fault != TEST_CUT);
      continue;
    }
    if (self->pairs[i]->ends[1] < 0 && self->fault != TEST_HALF_OPEN) {
      drop(&self->pairs[i], true);
      continue;
    }
    relay(self, self->pairs[i], now);
    if (is_over(self->pairs[i]))
      drop(&self->pairs[i], false);
    else
      self->traffic.open++;
  }
}

static void want(struct pollfd *wanted, nfds_t *count, int end, short events) {
  if (end < 0 || events == 0) return;
  wanted[*count].fd = end;
  wanted[*count].events = events;
  wanted[(*count)++].revents = 0;
}

static void want_way(const way *self, struct pollfd *wanted, nfds_t *count,
                     const int ends[2], uint64_t now, uint64_t *next) {
  if (self->length == 0 && !self->at_end)
    want(wanted, count, ends[0], POLLIN);
  else if (self->length > 0 && now >= self->due)
    want(wanted, count, ends[1], POLLOUT);
  else if (self->length > 0 && self->due < *next)
    *next = self->due;
}

static void rest(test_proxy *self, test_fault fault) {
  struct pollfd wanted[2 + 4 * PAIRS];
  uint64_t now = sn_platform_clock(), next = now + REST_MS;
  nfds_t count = 0;
  want(wanted, &count, self->listener, POLLIN);
  want(wanted, &count, (int)sn_platform_signal_descriptor(&self->changed),
       POLLIN);
  for (size_t i = 0; i < PAIRS; i++) {
    const pair *at = self->pairs[i];
    if (!at) continue;
    if (passes(fault, true))
      want_way(&at->up, wanted, &count, at->ends, now, &next);
    if (passes(fault, false))
      want_way(&at->down, wanted, &count, (int[2]){at->ends[1], at->ends[0]},
               now, &next);
  }
  poll(wanted, count, (int)(next - now));
}

static void *run(void *argument) {
  test_proxy *self = argument;
  bool stop = false;
  while (!stop) {
    struct pollfd fresh = {self->listener, POLLIN, 0};
    test_fault fault;
    bool is_new;
    sn_platform_mutex_lock(self->lock);
    sn_platform_signal_wait(&self->changed, 0);
    stop = self->stop;
    is_new = self->is_new;
    fault = self->fault;
    self->is_new = false;
    while (poll(&fresh, 1, 0) == 1) {
      accept_one(self, self->target);
      self->traffic.connections++;
    }
    turn(self, sn_platform_clock());
    sn_platform_mutex_unlock(self->lock);
    if (is_new) sn_platform_signal_raise(&self->applied);
    if (!stop) rest(self, fault);
  }
  for (size_t i = 0; i < PAIRS; i++)
    if (self->pairs[i]) drop(&self->pairs[i], true);
  return NULL;
}

test_proxy *test_proxy_start(uint16_t target) {
  test_proxy *self = calloc(1, sizeof *self);
  assert_non_null(self);
  self->target = target;
  self->lock = sn_platform_mutex_new(seen_allocator_default());
  assert_non_null(self->lock);
  assert_int_equal(sn_platform_signal_open(&self->changed, NULL), SEEN_OK);
  assert_int_equal(sn_platform_signal_open(&self->applied, NULL), SEEN_OK);
  self->listener = listen_at(&self->port);
  assert_int_equal(sn_platform_thread(run, self, &self->thread, NULL), SEEN_OK);
  return self;
}

void test_proxy_stop(test_proxy *proxy) {
  sn_platform_mutex_lock(proxy->lock);
  proxy->stop = true;
  sn_platform_mutex_unlock(proxy->lock);
  sn_platform_signal_raise(&proxy->changed);
  sn_platform_join(proxy->thread);
  close(proxy->listener);
  sn_platform_signal_close(&proxy->changed);
  sn_platform_signal_close(&proxy->applied);
  sn_platform_mutex_free(seen_allocator_default(), proxy->lock);
  free(proxy);
}

uint16_t test_proxy_port(const test_proxy *proxy) {
  return proxy->port;
}

void test_proxy_set(test_proxy *proxy, test_fault fault, uint32_t ms) {
  sn_platform_mutex_lock(proxy->lock);
  proxy->fault = fault;
  proxy->ms = ms;
  proxy->is_new = true;
  sn_platform_mutex_unlock(proxy->lock);
  sn_platform_signal_raise(&proxy->changed);
  assert_true(sn_platform_signal_wait(&proxy->applied, 30000));
}

void test_proxy_aim(test_proxy *proxy, uint16_t target) {
  sn_platform_mutex_lock(proxy->lock);
  proxy->target = target;
  sn_platform_mutex_unlock(proxy->lock);
}

test_traffic test_proxy_traffic(test_proxy *proxy) {
  test_traffic traffic;
  sn_platform_mutex_lock(proxy->lock);
  traffic = proxy->traffic;
  sn_platform_mutex_unlock(proxy->lock);
  return traffic;
}
