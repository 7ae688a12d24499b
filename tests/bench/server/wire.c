/* The leanest client: sockets of the system, and what a frame is made of. */
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROOM = 4 << 20, MOST_WIRES = 64 };

struct wire {
  int socket;
  unsigned char *in, *out;
  size_t in_start, in_end, out_start, out_end;
};

static void give_up(const char *what) {
  fprintf(stderr, "server_bench: %s: %s\n", what, strerror(errno));
  exit(1);
}

int request_open(int port) {
  struct sockaddr_in to;
  int one = 1, made = socket(AF_INET, SOCK_STREAM, 0);

  memset(&to, 0, sizeof to);
  to.sin_family = AF_INET;
  to.sin_port = htons((uint16_t)port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (made < 0 || connect(made, (struct sockaddr *)&to, sizeof to) != 0)
    give_up("connect");
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return made;
}

void close_request(int socket) {
  close(socket);
}

static void write_all(int to, const char *text, size_t length) {
  while (length > 0) {
    ssize_t written = send(to, text, length, MSG_NOSIGNAL);

    if (written <= 0) give_up("send");
    text += written;
    length -= (size_t)written;
  }
}

wire *wire_open(int port, const char *path, const char *protocol,
                const char *token) {
  wire *self = calloc(1, sizeof *self);
  char text[4096];
  int length;
  size_t got = 0;

  if (self == NULL) abort();
  self->socket = request_open(port);
  self->in = malloc(ROOM);
  self->out = malloc(ROOM);
  if (self->in == NULL || self->out == NULL) abort();
  length = snprintf(text, sizeof text,
                    "GET %s HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
                    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                    "Sec-WebSocket-Protocol: %s\r\n%s%s%s\r\n",
                    path, protocol, token ? "Authorization: Bearer " : "",
                    token ? token : "", token ? "\r\n" : "");
  write_all(self->socket, text, (size_t)length);
  do {
    if (recv(self->socket, text + got, 1, 0) != 1) give_up("upgrade");
    got++;
  } while (got < 4 || memcmp(text + got - 4, "\r\n\r\n", 4) != 0);
  if (strncmp(text, "HTTP/1.1 101", 12) != 0) give_up("no upgrade");
  return self;
}

void wire_close(wire *self) {
  close(self->socket);
  free(self->in);
  free(self->out);
  free(self);
}

void wire_send(wire *self, const char *text, size_t length) {
  unsigned char *at = self->out + self->out_end;

  if (self->out_end + length + 14 > ROOM) give_up("too much at once");
  *at++ = 0x81;
  if (length < 126) {
    *at++ = (unsigned char)(0x80 | length);
  } else {
    *at++ = 0x80 | 126;
    *at++ = (unsigned char)(length >> 8);
    *at++ = (unsigned char)length;
  }
  memset(at, 0, 4);
  memcpy(at + 4, text, length);
  self->out_end = (size_t)(at + 4 + length - self->out);
}

static void write_some(wire *self) {
  ssize_t written =
      send(self->socket, self->out + self->out_start,
           self->out_end - self->out_start, MSG_NOSIGNAL | MSG_DONTWAIT);

  if (written < 0 && errno != EAGAIN) give_up("send");
  if (written > 0) self->out_start += (size_t)written;
  if (self->out_start == self->out_end) self->out_start = self->out_end = 0;
}

static void read_some(wire *self) {
  ssize_t got;

  memmove(self->in, self->in + self->in_start, self->in_end - self->in_start);
  self->in_end -= self->in_start;
  self->in_start = 0;
  got = recv(self->socket, self->in + self->in_end, ROOM - self->in_end,
             MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN)) give_up("the server is gone");
  if (got > 0) self->in_end += (size_t)got;
}

void wire_turn(wire *const *all, size_t count) {
  struct pollfd files[MOST_WIRES];

  for (size_t i = 0; i < count; i++) {
    if (all[i]->out_end > 0) write_some(all[i]);
    files[i].fd = all[i]->socket;
    files[i].events = (short)(POLLIN | (all[i]->out_end > 0 ? POLLOUT : 0));
  }
  if (poll(files, count, 20000) <= 0) give_up("no answer");
  for (size_t i = 0; i < count; i++)
    if (files[i].revents & POLLIN) read_some(all[i]);
}

const char *wire_next(wire *self, size_t *length) {
  unsigned char *at = self->in + self->in_start;
  size_t have = self->in_end - self->in_start, head = 2, size;

  if (have < 2) return NULL;
  size = at[1] & 127;
  if (size == 126) {
    if (have < 4) return NULL;
    size = (size_t)at[2] << 8 | at[3];
    head = 4;
  } else if (size == 127) {
    if (have < 10) return NULL;
    size = (size_t)at[7] << 16 | (size_t)at[8] << 8 | at[9];
    head = 10;
  }
  if (have < head + size) return NULL;
  if ((at[0] & 15) == 8) give_up("the server closed");
  self->in_start += head + size;
  *length = size;
  return (const char *)at + head;
}

const char *wire_ask(wire *self, const char *text, const char *begins) {
  const char *answer;
  size_t length;

  wire_send(self, text, strlen(text));
  for (;;) {
    wire_turn(&self, 1);
    while ((answer = wire_next(self, &length)) != NULL) {
      if (strncmp(answer, begins, strlen(begins)) == 0) return answer;
      if (strncmp(answer, "{\"t\":\"error\"", 12) != 0) continue;
      fprintf(stderr, "server_bench: %.*s\n", (int)length, answer);
      exit(1);
    }
  }
}

const char *request_ask(int socket, const char *method, const char *path,
                        const char *token, const char *body) {
  static char text[1 << 18];
  size_t got = 0;
  char *head, *size;
  int length = snprintf(text, sizeof text,
                        "%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n"
                        "Authorization: Bearer %s\r\n\r\n%s",
                        method, path, strlen(body), token, body);

  write_all(socket, text, (size_t)length);
  for (;;) {
    ssize_t more = recv(socket, text + got, sizeof text - 1 - got, 0);

    if (more <= 0) give_up("no answer");
    got += (size_t)more;
    text[got] = '\0';
    head = strstr(text, "\r\n\r\n");
    size = strstr(text, "content-length: ");
    if (head != NULL && size != NULL &&
        got >= (size_t)(head + 4 - text) + strtoul(size + 16, NULL, 10))
      break;
  }
  if (strncmp(text, "HTTP/1.1 200", 12) != 0) {
    fprintf(stderr, "server_bench: %s %s: %s\n", method, path, text);
    exit(1);
  }
  return head + 4;
}
