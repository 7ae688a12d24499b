#define _POSIX_C_SOURCE 200809L

#include "base/platform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { BOUND_MS = 30000 };

static int listen_somewhere(uint16_t *port) {
  struct sockaddr_in address;
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert_true(listener >= 0);
  assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
  assert_int_equal(listen(listener, 8), 0);
  assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size),
                   0);
  *port = ntohs(address.sin_port);
  return listener;
}

static int receive(sn_tcp tcp, char *byte) {
  int status;
  do
    status = sn_platform_tcp_receive(tcp, byte, BOUND_MS);
  while (status == SEEN_EBUSY);
  return status;
}

static void test_tcp__connects_sends_and_receives(void **state) {
  uint16_t port;
  int listener = listen_somewhere(&port), other;
  sn_tcp tcp = sn_platform_tcp_connect("127.0.0.1", port);
  char byte = 0;
  (void)state;
  assert_true(tcp != SN_NO_TCP);
  assert_int_equal(sn_platform_tcp_wait(tcp, BOUND_MS), SEEN_OK);
  other = accept(listener, NULL, NULL);
  assert_int_equal(sn_platform_tcp_receive(tcp, &byte, 0), SEEN_EBUSY);
  assert_true(sn_platform_tcp_send(tcp, "a", 1));
  assert_int_equal(read(other, &byte, 1), 1);
  assert_int_equal(write(other, "b", 1), 1);
  assert_int_equal(receive(tcp, &byte), SEEN_OK);
  assert_int_equal(byte, 'b');
  assert_false(sn_platform_tcp_is_over(tcp));
  close(other);
  assert_int_equal(receive(tcp, &byte), SEEN_EIO);
  assert_true(sn_platform_tcp_is_over(tcp));
  sn_platform_tcp_close(tcp);
  close(listener);
}

static void test_tcp__where_nobody_listens_it_is_refused(void **state) {
  uint16_t port;
  int listener = listen_somewhere(&port);
  sn_tcp tcp;
  (void)state;
  close(listener);
  tcp = sn_platform_tcp_connect("127.0.0.1", port);
  if (tcp != SN_NO_TCP)
    assert_int_equal(sn_platform_tcp_wait(tcp, BOUND_MS), SEEN_EIO);
  sn_platform_tcp_close(tcp);
  assert_true(sn_platform_tcp_connect("no address", 1) == SN_NO_TCP);
}

static void test_tcp__shut_it_is_over_for_all_who_have_it(void **state) {
  uint16_t port;
  int listener = listen_somewhere(&port), other;
  sn_tcp tcp = sn_platform_tcp_connect("127.0.0.1", port);
  char byte;
  (void)state;
  assert_int_equal(sn_platform_tcp_wait(tcp, BOUND_MS), SEEN_OK);
  other = accept(listener, NULL, NULL);
  sn_platform_tcp_shut(tcp);
  assert_true(sn_platform_tcp_is_over(tcp));
  assert_int_equal(read(other, &byte, 1), 0);
  sn_platform_tcp_close(tcp);
  close(other);
  close(listener);
}

static void test_tcp__moved_it_has_the_other_place(void **state) {
  uint16_t port;
  int listener = listen_somewhere(&port), first, second;
  sn_tcp tcp = sn_platform_tcp_connect("127.0.0.1", port);
  sn_tcp place = sn_platform_tcp_connect("127.0.0.1", port);
  char byte = 0;
  (void)state;
  assert_int_equal(sn_platform_tcp_wait(tcp, BOUND_MS), SEEN_OK);
  first = accept(listener, NULL, NULL);
  assert_int_equal(sn_platform_tcp_wait(place, BOUND_MS), SEEN_OK);
  second = accept(listener, NULL, NULL);
  assert_true(sn_platform_tcp_move(tcp, place));
  assert_int_equal(read(second, &byte, 1), 0);
  assert_true(sn_platform_tcp_send(place, "a", 1));
  assert_int_equal(read(first, &byte, 1), 1);
  assert_int_equal(byte, 'a');
  assert_true(fcntl((int)place, F_GETFD) & FD_CLOEXEC);
  sn_platform_tcp_close(place);
  close(first);
  close(second);
  close(listener);
}

static void take_sigpipe(void *ignored) {
  (void)ignored;
  signal(SIGPIPE, SIG_IGN);
}

static void hear(int number) {
  (void)number;
}

static void test_tcp__what_happens_at_a_broken_pipe_stays(void **state) {
  struct sigaction set, found;
  (void)state;
  memset(&set, 0, sizeof set);
  set.sa_handler = hear;
  set.sa_flags = SA_RESTART;
  sigaddset(&set.sa_mask, SIGUSR1);
  assert_int_equal(sigaction(SIGPIPE, &set, NULL), 0);
  sn_platform_keep_sigpipe(take_sigpipe, NULL);
  assert_int_equal(sigaction(SIGPIPE, NULL, &found), 0);
  assert_true(found.sa_handler == hear);
  assert_true(found.sa_flags & SA_RESTART);
  assert_true(sigismember(&found.sa_mask, SIGUSR1));
  signal(SIGPIPE, SIG_DFL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tcp__connects_sends_and_receives),
      cmocka_unit_test(test_tcp__where_nobody_listens_it_is_refused),
      cmocka_unit_test(test_tcp__shut_it_is_over_for_all_who_have_it),
      cmocka_unit_test(test_tcp__moved_it_has_the_other_place),
      cmocka_unit_test(test_tcp__what_happens_at_a_broken_pipe_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
