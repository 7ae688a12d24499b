/* URLs, as far as a transport needs them. */
#include "net/site.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

enum { TOKEN_MAX = 8192, PATH_MAX_BYTES = 2048 };

static int refuse(const char *what, const char *why, seen_error *error) {
  return sn_fail(error, SEEN_EINVAL, "%s: %s", what, why);
}

/* Visible ASCII only: nothing else stands in a URL or a header's value. */
static bool is_visible(const char *text, size_t most) {
  size_t size = strlen(text);

  if (size > most) return false;
  for (size_t i = 0; i < size; i++)
    if (text[i] <= 0x20 || text[i] >= 0x7f) return false;
  return true;
}

bool sn_site_takes_token(const char *token) {
  return *token && is_visible(token, TOKEN_MAX);
}

bool sn_site_takes_path(const char *path) {
  return *path == '/' && is_visible(path, PATH_MAX_BYTES) && !strchr(path, '#');
}

static bool skip(const char **at, const char *head) {
  size_t size = strlen(head);

  if (strncmp(*at, head, size) != 0) return false;
  *at += size;
  return true;
}

/* "host", "host:port" or "[address]:port", up to `end`. */
static bool read_place(const char *at, const char *end, char host[SN_HOST_MAX],
                       uint16_t *port) {
  const char *from = at, *to;
  uint32_t number = 0;

  if (at < end && *at == '[') {
    from++;
    to = memchr(from, ']', (size_t)(end - from));
    at = to ? to + 1 : end;
  } else {
    to = memchr(at, ':', (size_t)(end - at));
    if (!to) to = end;
    at = to;
  }
  if (!to || to == from || to - from >= SN_HOST_MAX) return false;
  memcpy(host, from, (size_t)(to - from));
  host[to - from] = '\0';
  if (at == end) return true;
  if (*at++ != ':' || at == end) return false;
  for (; at < end; at++) {
    if (*at < '0' || *at > '9' || number > UINT16_MAX) return false;
    number = number * 10 + (uint32_t)(*at - '0');
  }
  if (number == 0 || number > UINT16_MAX) return false;
  *port = (uint16_t)number;
  return true;
}

static void write_authority(sn_site *site) {
  bool is_v6 = strchr(site->host, ':') != NULL;
  sn_text text;

  sn_text_fixed(&text, site->authority, sizeof site->authority);
  sn_text_format(&text, is_v6 ? "[%s]" : "%s", site->host);
  if (site->port != (site->tls ? 443 : 80))
    sn_text_format(&text, ":%u", (uint64_t)site->port);
}

int sn_site_read(const seen_allocator *memory, const char *url, sn_site *site,
                 seen_error *error) {
  const char *at = url, *end;
  size_t size;

  memset(site, 0, sizeof *site);
  if (!is_visible(url, PATH_MAX_BYTES))
    return refuse("url", "no URL, or a long one", error);
  site->tls = skip(&at, "https://") || skip(&at, "wss://");
  if (!site->tls && !skip(&at, "http://") && !skip(&at, "ws://"))
    return refuse("url", "neither http nor https", error);
  end = at + strcspn(at, "/?#");
  if (memchr(at, '@', (size_t)(end - at)))
    return refuse("url", "a user does not belong there", error);
  site->port = site->tls ? 443 : 80;
  if (!read_place(at, end, site->host, &site->port))
    return refuse("url", "no host and port", error);
  if (site->tls && strchr(site->host, ':'))
    return refuse("url", "TLS needs a name, or an IPv4 address", error);
  if (strpbrk(end, "?#")) return refuse("url", "more than a path", error);
  write_authority(site);
  for (size = strlen(end); size > 0 && end[size - 1] == '/';)
    size--;
  site->path = sn_copy_text(memory, end, size);
  return site->path ? SEEN_OK : sn_fail_memory(error);
}

void sn_site_free(const seen_allocator *memory, sn_site *site) {
  sn_release(memory, site->path);
  site->path = NULL;
}

static int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "user:password", in which "%40" stands for an at sign. */
static bool read_user(const char *at, const char *end, char *user,
                      size_t size) {
  size_t length = 0;

  for (; at < end; at++) {
    char c = *at;

    if (c == '%') {
      int high = end - at > 2 ? digit_of(at[1]) : -1;
      int low = high >= 0 ? digit_of(at[2]) : -1;

      if (low < 0) return false;
      c = (char)(high * 16 + low);
      at += 2;
    }
    if ((unsigned char)c < 0x20 || length + 1 >= size) return false;
    user[length++] = c;
  }
  user[length] = '\0';
  return true;
}

int sn_proxy_read(const char *url, sn_proxy *proxy, seen_error *error) {
  const char *at = url, *end, *user;

  memset(proxy, 0, sizeof *proxy);
  if (!url) return SEEN_OK;
  if (!is_visible(url, PATH_MAX_BYTES) || !skip(&at, "http://"))
    return refuse("proxy", "not http://host:port", error);
  end = at + strcspn(at, "/?#");
  if (strcmp(end, "") != 0 && strcmp(end, "/") != 0)
    return refuse("proxy", "more than a host and port", error);
  user = at;
  for (const char *c = at; c < end; c++)
    if (*c == '@') at = c + 1;
  if (at > user && !read_user(user, at - 1, proxy->user, sizeof proxy->user))
    return refuse("proxy", "no user and password", error);
  if (!read_place(at, end, proxy->host, &proxy->port) || proxy->port == 0) {
    proxy->port = 0;
    return refuse("proxy", "no host and port", error);
  }
  return SEEN_OK;
}
