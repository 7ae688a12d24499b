/* TCP connections that do not block, and what becomes of SIGPIPE. */
#define _POSIX_C_SOURCE 200809L

#include "base/platform.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

static bool prepare(int tcp) {
  int on = 1;

  return fcntl(tcp, F_SETFD, FD_CLOEXEC) != -1 &&
         fcntl(tcp, F_SETFL, O_NONBLOCK) != -1 &&
         setsockopt(tcp, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0;
}

static sn_tcp connect_to(const struct addrinfo *to) {
  int tcp = socket(to->ai_family, SOCK_STREAM, 0);

  if (tcp < 0) return SN_NO_TCP;
  if (prepare(tcp) &&
      (!connect(tcp, to->ai_addr, to->ai_addrlen) || errno == EINPROGRESS))
    return tcp;
  close(tcp);
  return SN_NO_TCP;
}

sn_tcp sn_platform_tcp_connect(const char *address, uint16_t port) {
  struct addrinfo wanted, *list;
  char service[8];
  char *at = service + sizeof service - 1;
  sn_tcp tcp;

  *at = '\0';
  do
    *--at = (char)('0' + port % 10);
  while ((port /= 10) > 0);
  memset(&wanted, 0, sizeof wanted);
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  if (getaddrinfo(address, at, &wanted, &list)) return SN_NO_TCP;
  tcp = connect_to(list);
  freeaddrinfo(list);
  return tcp;
}

void sn_platform_tcp_close(sn_tcp tcp) {
  if (tcp != SN_NO_TCP) close((int)tcp);
}

void sn_platform_tcp_shut(sn_tcp tcp) {
  shutdown((int)tcp, SHUT_RDWR);
}

static bool is_ready(sn_tcp tcp, short events, uint32_t timeout_ms) {
  struct pollfd wanted = {(int)tcp, events, 0};

  return poll(&wanted, 1, (int)timeout_ms) == 1;
}

int sn_platform_tcp_wait(sn_tcp tcp, uint32_t timeout_ms) {
  int number = 0;
  socklen_t size = sizeof number;

  if (!is_ready(tcp, POLLOUT, timeout_ms)) return SEEN_EBUSY;
  if (getsockopt((int)tcp, SOL_SOCKET, SO_ERROR, &number, &size) || number)
    return SEEN_EIO;
  return SEEN_OK;
}

bool sn_platform_tcp_send(sn_tcp tcp, const char *bytes, size_t size) {
  return send((int)tcp, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
}

int sn_platform_tcp_receive(sn_tcp tcp, char *byte, uint32_t timeout_ms) {
  ssize_t got;

  if (!is_ready(tcp, POLLIN, timeout_ms)) return SEEN_EBUSY;
  got = recv((int)tcp, byte, 1, 0);
  if (got == 1) return SEEN_OK;
  return got < 0 && (errno == EAGAIN || errno == EINTR) ? SEEN_EBUSY : SEEN_EIO;
}

bool sn_platform_tcp_is_over(sn_tcp tcp) {
  char byte;
  ssize_t got = recv((int)tcp, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

bool sn_platform_tcp_move(sn_tcp tcp, sn_tcp place) {
  bool moved = dup2((int)tcp, (int)place) != -1 &&
               fcntl((int)place, F_SETFD, FD_CLOEXEC) != -1;
  close((int)tcp);
  return moved;
}

void sn_platform_keep_sigpipe(void (*act)(void *argument), void *argument) {
  struct sigaction before;
  bool known = sigaction(SIGPIPE, NULL, &before) == 0;

  act(argument);
  if (known) sigaction(SIGPIPE, &before, NULL);
}
