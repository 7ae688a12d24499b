/*
 * Where the server is, and the proxy before it, taken from what a host gives
 * as text. No name is looked up here.
 */
#ifndef SN_NET_SITE_H
#define SN_NET_SITE_H

#include <seen/error.h>
#include <seen/sys/alloc.h>

/* As long as a name may be that goes to the socket's library whole. */
#define SN_HOST_MAX 128

typedef struct sn_site {
  bool tls;
  uint16_t port;
  char host[SN_HOST_MAX];          /* "::1" without its brackets */
  char authority[SN_HOST_MAX + 8]; /* "[::1]:8420": of a Host header */
  char *path;                      /* "" or "/below": no "/" at its end */
} sn_site;

/* "http", "https", "ws" and "wss"; SEEN_EINVAL, SEEN_ENOMEM. */
int sn_site_read(const seen_allocator *memory, const char *url, sn_site *site,
                 seen_error *error);
void sn_site_free(const seen_allocator *memory, sn_site *site);

typedef struct sn_proxy {
  uint16_t port; /* 0: there is none */
  char host[SN_HOST_MAX];
  char user[256]; /* "user:password", or "" */
} sn_proxy;

/* NULL: none. */
int sn_proxy_read(const char *url, sn_proxy *proxy, seen_error *error);

/* Whether a token may stand in a header, and a path behind a host. */
bool sn_site_takes_token(const char *token);
bool sn_site_takes_path(const char *path);

#endif
