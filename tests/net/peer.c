#define _POSIX_C_SOURCE 200809L

#include "net/peer.h"

#include "base/platform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/evp.h>

#include <cmocka.h>

#include "support/wait.h"

enum { MOST = 2048, BOUND_MS = 30000 };

typedef struct guest {
  peer *of;
  int end;
  sn_thread thread;
} guest;

struct peer {
  peer_script script;
  void *argument;
  int listener;
  uint16_t port;
  sn_thread thread;
  sn_mutex *lock;
  sn_signal stop;
  size_t count, over;
  guest guests[MOST];
};

static void *serve(void *argument) {
  guest *self = argument;
  self->of->script(self->end, self->of->argument);
  shutdown(self->end, SHUT_RDWR);
  sn_platform_mutex_lock(self->of->lock);
  self->of->over++;
  sn_platform_mutex_unlock(self->of->lock);
  return NULL;
}

static void welcome(peer *self) {
  int on = 1, end = accept(self->listener, NULL, NULL);
  guest *fresh = &self->guests[self->count];
  if (end < 0) return;
  fcntl(end, F_SETFD, FD_CLOEXEC);
  setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fresh->of = self;
  fresh->end = end;
  sn_platform_mutex_lock(self->lock);
  self->count++;
  sn_platform_mutex_unlock(self->lock);
  if (self->count == MOST ||
      sn_platform_thread(serve, fresh, &fresh->thread, NULL))
    abort();
}

static void *run(void *argument) {
  peer *self = argument;
  struct pollfd wanted[2] = {
      {self->listener, POLLIN, 0},
      {(int)sn_platform_signal_descriptor(&self->stop), POLLIN, 0}};
  for (;;) {
    poll(wanted, 2, -1);
    if (wanted[1].revents) return NULL;
    if (wanted[0].revents) welcome(self);
  }
}

/* A socket at a port that was free. */
static int take_port(uint16_t *port) {
  struct sockaddr_in address;
  socklen_t size = sizeof address;
  int end = socket(AF_INET, SOCK_STREAM, 0);
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert_true(end >= 0);
  fcntl(end, F_SETFD, FD_CLOEXEC);
  assert_int_equal(bind(end, (struct sockaddr *)&address, size), 0);
  assert_int_equal(getsockname(end, (struct sockaddr *)&address, &size), 0);
  *port = ntohs(address.sin_port);
  return end;
}

uint16_t peer_nobody(void) {
  uint16_t port;
  (void)take_port(&port); /* and keeps it, so that nobody else gets it */
  return port;
}

peer *peer_start(peer_script script, void *argument) {
  peer *self = calloc(1, sizeof *self);
  assert_non_null(self);
  self->script = script;
  self->argument = argument;
  self->lock = sn_platform_mutex_new(seen_allocator_default());
  assert_non_null(self->lock);
  assert_int_equal(sn_platform_signal_open(&self->stop, NULL), SEEN_OK);
  self->listener = take_port(&self->port);
  assert_int_equal(listen(self->listener, 128), 0);
  assert_int_equal(sn_platform_thread(run, self, &self->thread, NULL), SEEN_OK);
  return self;
}

void peer_outlive(peer *self) {
  assert_true(test_wait_until(peer_is_over, self, BOUND_MS));
  peer_stop(self);
}

void peer_stop(peer *self) {
  sn_platform_signal_raise(&self->stop);
  sn_platform_join(self->thread);
  close(self->listener);
  for (size_t i = 0; i < self->count; i++) {
    shutdown(self->guests[i].end, SHUT_RDWR);
    sn_platform_join(self->guests[i].thread);
    close(self->guests[i].end);
  }
  sn_platform_signal_close(&self->stop);
  sn_platform_mutex_free(seen_allocator_default(), self->lock);
  free(self);
}

uint16_t peer_port(const peer *self) {
  return self->port;
}

size_t peer_count(peer *self) {
  size_t count;
  sn_platform_mutex_lock(self->lock);
  count = self->count;
  sn_platform_mutex_unlock(self->lock);
  return count;
}

bool peer_is_over(void *self) {
  peer *at = self;
  bool over;
  sn_platform_mutex_lock(at->lock);
  over = at->over == at->count;
  sn_platform_mutex_unlock(at->lock);
  return over;
}

static bool take(int end, void *bytes, size_t size) {
  char *at = bytes;
  while (size > 0) {
    struct pollfd wanted = {end, POLLIN, 0};
    ssize_t got = poll(&wanted, 1, BOUND_MS) == 1 ? recv(end, at, size, 0) : 0;
    if (got <= 0) return false;
    at += got;
    size -= (size_t)got;
  }
  return true;
}

bool peer_head(int end, char head[PEER_HEAD_MAX]) {
  size_t length = 0;
  while (length + 1 < PEER_HEAD_MAX && take(end, head + length, 1)) {
    head[++length] = '\0';
    if (length >= 4 && !memcmp(head + length - 4, "\r\n\r\n", 4)) return true;
  }
  return false;
}

bool peer_body(int end, const char *head, char *body, size_t size) {
  const char *found = strstr(head, "Content-Length: ");
  size_t length = found ? strtoul(found + 16, NULL, 10) : 0;
  if (length >= size) return false;
  body[length] = '\0';
  return take(end, body, length);
}

bool peer_send(int end, const void *bytes, size_t size) {
  const char *at = bytes;
  while (size > 0) {
    ssize_t gave = send(end, at, size, MSG_NOSIGNAL);
    if (gave <= 0) return false;
    at += gave;
    size -= (size_t)gave;
  }
  return true;
}

bool peer_say(int end, const char *text) {
  return peer_send(end, text, strlen(text));
}

bool peer_answer(int end, const char *status, const char *body) {
  char head[500];
  snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n\r\n",
           status, strlen(body));
  return peer_say(end, head) && peer_say(end, body);
}

bool peer_upgrade(int end, const char *head, const void *more, size_t size) {
  static const char name[] = "Sec-WebSocket-Key: ";
  const char *key = strstr(head, name);
  unsigned char digest[EVP_MAX_MD_SIZE];
  char text[100], accept[64], *answer;
  size_t length;
  bool good;
  if (!key) return false;
  snprintf(text, sizeof text, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11",
           key + sizeof name - 1);
  EVP_Digest(text, strlen(text), digest, NULL, EVP_sha1(), NULL);
  EVP_EncodeBlock((unsigned char *)accept, digest, 20);
  answer = malloc(500 + size);
  if (!answer) return false;
  snprintf(answer, 500,
           "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
           "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n"
           "Sec-WebSocket-Protocol: seen.v1\r\n\r\n",
           accept);
  length = strlen(answer);
  if (size) memcpy(answer + length, more, size);
  good = peer_send(end, answer, length + size);
  free(answer);
  return good;
}

bool peer_accept(int end) {
  char head[PEER_HEAD_MAX];
  return peer_head(end, head) && peer_upgrade(end, head, NULL, 0);
}

size_t peer_pack(unsigned char *out, int first, const void *payload,
                 size_t size) {
  size_t at = 0;
  out[at++] = (unsigned char)first;
  if (size < 126) {
    out[at++] = (unsigned char)size;
  } else {
    int bytes = size < 65536 ? 2 : 8;
    out[at++] = bytes == 2 ? 126 : 127;
    for (int i = bytes - 1; i >= 0; i--)
      out[at++] = (unsigned char)((uint64_t)size >> (8 * i));
  }
  if (size) memcpy(out + at, payload, size);
  return at + size;
}

bool peer_frame(int end, int first, const void *payload, size_t size) {
  unsigned char *out = malloc(size + 10);
  bool good = out && peer_send(end, out, peer_pack(out, first, payload, size));
  free(out);
  return good;
}

int peer_next(int end, char *payload, size_t size, size_t *length) {
  unsigned char head[2], more[8], mask[4];
  uint64_t bytes;
  if (!take(end, head, 2)) return 0;
  bytes = head[1] & 0x7f;
  if (bytes >= 126) {
    size_t count = bytes == 126 ? 2 : 8;
    if (!take(end, more, count)) return 0;
    bytes = 0;
    for (size_t i = 0; i < count; i++)
      bytes = bytes << 8 | more[i];
  }
  if (!(head[1] & 0x80) || bytes >= size || !take(end, mask, 4) ||
      !take(end, payload, (size_t)bytes))
    return 0;
  for (size_t i = 0; i < bytes; i++)
    payload[i] = (char)(payload[i] ^ mask[i & 3]);
  payload[bytes] = '\0';
  *length = (size_t)bytes;
  return head[0];
}

void peer_idle(int end) {
  char byte;
  while (take(end, &byte, 1)) {
  }
}

void peer_listen(int end, void *ignored) {
  (void)ignored;
  peer_idle(end);
}

/* False: it has gone. */
static bool pass(int from, int to) {
  char bytes[4096];
  ssize_t got = recv(from, bytes, sizeof bytes, 0);
  return got > 0 && peer_send(to, bytes, (size_t)got);
}

void peer_relay(int one, int other) {
  struct pollfd wanted[2] = {{one, POLLIN, 0}, {other, POLLIN, 0}};
  for (;;) {
    if (poll(wanted, 2, BOUND_MS) <= 0) return;
    if (wanted[0].revents && !pass(one, other)) return;
    if (wanted[1].revents && !pass(other, one)) return;
  }
}

int peer_drain(int end) {
  char *payload = malloc(1 << 17);
  int first, code = 0;
  size_t length;
  if (!payload) return 0;
  while ((first = peer_next(end, payload, 1 << 17, &length)) != 0)
    if (first == PEER_CLOSE && length >= 2)
      code = (unsigned char)payload[0] << 8 | (unsigned char)payload[1];
  free(payload);
  return code;
}
