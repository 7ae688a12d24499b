/*
 * Two hold a route: who began it and the thread. The last one frees it, which
 * may be long after the transport is gone, where a name takes its time: so it
 * is of the default allocator, which is always there.
 */
#include "net/route.h"

#include "base/memory.h"
#include "base/text.h"
#include "net/trust.h"

#include <string.h>

enum { SLICE_MS = 50, ADDRESS_SLICES = 200, ANSWER_BYTES = 16384 };

struct sn_route {
  sn_mutex *lock;
  int holders;
  bool is_done, is_left;
  void (*done)(void *argument);
  void *argument;
  bool by_proxy;
  sn_proxy proxy;
  uint16_t port;
  char host[SN_HOST_MAX];
  char target[SN_HOST_MAX + 8]; /* "host:port", for a proxy */
  sn_way way;
};

static void let_go(sn_route *self) {
  const seen_allocator *memory = seen_allocator_default();
  bool is_last;

  sn_platform_mutex_lock(self->lock);
  is_last = --self->holders == 0;
  sn_platform_mutex_unlock(self->lock);
  if (!is_last) return;
  sn_platform_tcp_close(self->way.tunnel);
  sn_platform_mutex_free(memory, self->lock);
  memset(&self->proxy, 0, sizeof self->proxy); /* there is a password in it */
  sn_release(memory, self);
}

static bool is_left(sn_route *self) {
  bool left;

  sn_platform_mutex_lock(self->lock);
  left = self->is_left;
  sn_platform_mutex_unlock(self->lock);
  return left;
}

static int wait_connected(sn_route *self, sn_tcp tcp) {
  int status = SEEN_EBUSY;

  for (int i = 0; status == SEEN_EBUSY && i < ADDRESS_SLICES; i++)
    status = is_left(self) ? SEEN_EIO : sn_platform_tcp_wait(tcp, SLICE_MS);
  return status;
}

static bool ask_proxy(sn_route *self, sn_tcp tcp) {
  char base64[SN_BASE64_MAX], bytes[1024];
  sn_text text;

  sn_text_fixed(&text, bytes, sizeof bytes);
  sn_text_format(&text, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n", self->target,
                 self->target);
  if (*self->proxy.user) {
    sn_trust_encode(self->proxy.user, base64);
    sn_text_format(&text, "Proxy-Authorization: Basic %s\r\n", base64);
  }
  sn_text_add(&text, "\r\n");
  return text.length < sizeof bytes &&
         sn_platform_tcp_send(tcp, bytes, text.length);
}

/* Up to the empty line; the beginning of it is kept. */
static bool read_answer(sn_route *self, sn_tcp tcp, char head[16]) {
  static const char end[] = "\r\n\r\n";
  size_t length = 0, matched = 0;

  memset(head, 0, 16);
  while (length < ANSWER_BYTES && matched < sizeof end - 1) {
    char byte;
    int status = sn_platform_tcp_receive(tcp, &byte, SLICE_MS);

    if (status == SEEN_EIO || is_left(self)) return false;
    if (status != SEEN_OK) continue;
    if (length < 15) head[length] = byte;
    length++;
    matched = byte == end[matched] ? matched + 1 : byte == '\r';
  }
  return matched == sizeof end - 1;
}

/* The status of "HTTP/1.1 200 …"; 0: it is none. */
static uint32_t status_of(const char head[16]) {
  uint32_t status = 0;

  if (memcmp(head, "HTTP/1.", 7) != 0 || head[8] != ' ') return 0;
  for (int i = 9; i < 12; i++) {
    if (head[i] < '0' || head[i] > '9') return 0;
    status = status * 10 + (uint32_t)(head[i] - '0');
  }
  return status;
}

/* Whether the proxy was reached, whatever it said then. */
static bool dig(sn_route *self, const sn_address *address) {
  sn_tcp tcp = sn_platform_tcp_connect(address->text, self->proxy.port);
  char head[16];

  if (tcp == SN_NO_TCP) return false;
  if (wait_connected(self, tcp)) {
    sn_platform_tcp_close(tcp);
    return false;
  }
  if (ask_proxy(self, tcp) && read_answer(self, tcp, head))
    self->way.code = status_of(head);
  if (self->way.code / 100 == 2) {
    self->way.tunnel = tcp;
    self->way.addresses[0] = *address;
    self->way.count = 1;
    self->way.failed = (seen_ended)0;
  } else {
    sn_platform_tcp_close(tcp);
  }
  return true;
}

static void find(sn_route *self) {
  sn_way *way = &self->way;
  sn_address proxies[SN_ADDRESSES];
  size_t count;

  if (!self->by_proxy) {
    if (sn_platform_resolve(self->host, way->addresses, &way->count))
      way->failed = SEEN_ENDED_RESOLVE;
    return;
  }
  way->failed = SEEN_ENDED_PROXY;
  if (sn_platform_resolve(self->proxy.host, proxies, &count)) return;
  for (size_t i = 0; i < count && !is_left(self); i++)
    if (dig(self, &proxies[i])) return;
}

static void *run(void *argument) {
  sn_route *self = argument;

  find(self);
  sn_platform_mutex_lock(self->lock);
  self->is_done = true;
  if (!self->is_left) self->done(self->argument);
  sn_platform_mutex_unlock(self->lock);
  let_go(self);
  return NULL;
}

static sn_route *make(const sn_site *site, const sn_proxy *proxy) {
  const seen_allocator *memory = seen_allocator_default();
  sn_route *self = sn_allocate_zero(memory, sizeof *self);
  sn_text text;

  if (!self) return NULL;
  self->lock = sn_platform_mutex_new(memory);
  if (!self->lock) {
    sn_release(memory, self);
    return NULL;
  }
  self->holders = 1;
  self->by_proxy = proxy->port != 0;
  self->proxy = *proxy;
  memcpy(self->host, site->host, sizeof self->host);
  sn_text_fixed(&text, self->target, sizeof self->target);
  sn_text_format(&text, strchr(site->host, ':') ? "[%s]:%u" : "%s:%u",
                 site->host, (uint64_t)site->port);
  self->way.port = self->by_proxy ? proxy->port : site->port;
  self->way.tunnel = SN_NO_TCP;
  return self;
}

int sn_route_begin(const sn_site *site, const sn_proxy *proxy,
                   void (*done)(void *argument), void *argument,
                   sn_route **out) {
  sn_route *self = make(site, proxy);
  sn_thread thread;

  *out = self;
  if (!self) return SEEN_ENOMEM;
  self->done = done;
  self->argument = argument;
  if (!self->by_proxy && sn_platform_is_address(self->host)) {
    find(self);
    self->is_done = true;
    return SEEN_OK;
  }
  self->holders = 2;
  if (sn_platform_thread(run, self, &thread, NULL) == SEEN_OK) {
    sn_platform_leave(thread);
    return SEEN_OK;
  }
  self->holders = 1;
  let_go(self);
  *out = NULL;
  return SEEN_EIO;
}

sn_way *sn_route_found(sn_route *route) {
  bool done;

  sn_platform_mutex_lock(route->lock);
  done = route->is_done;
  sn_platform_mutex_unlock(route->lock);
  return done ? &route->way : NULL;
}

void sn_route_leave(sn_route *route) {
  if (!route) return;
  sn_platform_mutex_lock(route->lock);
  route->is_left = true;
  sn_platform_mutex_unlock(route->lock);
  let_go(route);
}
