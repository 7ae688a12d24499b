/* Names of hosts by getaddrinfo(). */
#define _POSIX_C_SOURCE 200809L

#include "base/platform.h"

#include <string.h>

#include <netdb.h>
#include <sys/socket.h>

/* The same address may be there for several protocols. */
static bool is_known(const sn_address *found, size_t count, const char *text) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(found[i].text, text)) return true;
  return false;
}

static int look_up(const char *host, int flags, sn_address found[SN_ADDRESSES],
                   size_t *count) {
  struct addrinfo wanted, *list, *at;

  memset(&wanted, 0, sizeof wanted);
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags;
  *count = 0;
  if (getaddrinfo(host, NULL, &wanted, &list)) return SEEN_ENOTFOUND;
  for (at = list; at && *count < SN_ADDRESSES; at = at->ai_next) {
    sn_address *fresh = &found[*count];

    if (!getnameinfo(at->ai_addr, at->ai_addrlen, fresh->text,
                     sizeof fresh->text, NULL, 0, NI_NUMERICHOST) &&
        !is_known(found, *count, fresh->text))
      ++*count;
  }
  freeaddrinfo(list);
  return *count > 0 ? SEEN_OK : SEEN_ENOTFOUND;
}

bool sn_platform_is_address(const char *host) {
  sn_address ignored[SN_ADDRESSES];
  size_t count;

  return look_up(host, AI_NUMERICHOST, ignored, &count) == SEEN_OK;
}

int sn_platform_resolve(const char *host, sn_address found[SN_ADDRESSES],
                        size_t *count) {
  if (look_up(host, AI_NUMERICHOST, found, count) == SEEN_OK) return SEEN_OK;
  return look_up(host, 0, found, count);
}
