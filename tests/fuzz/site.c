/*
 * What a host gives the transport as text: the first line is a server's URL,
 * the second a proxy's, the third a key, the fourth a token, the rest what a
 * polled connection was answered.
 */
#include "fuzz/target.h"

#include "net/site.h"
#include "net/split.h"
#include "net/trust.h"

#include <stdlib.h>
#include <string.h>

static char *next_text(target_bytes *lines) {
  size_t size = 0;
  char *line = target_line(lines, &size);
  char *text = target_text((const uint8_t *)line, line != NULL ? size : 0);

  free(line);
  return text;
}

static void check_site(const char *url) {
  sn_site site;
  seen_error error = SEEN_ERROR_INIT;
  int status = sn_site_read(target_memory(), url, &site, &error);

  REQUIRE(status == SEEN_OK || status == SEEN_EINVAL);
  if (status != SEEN_OK) {
    REQUIRE(*error.message != '\0');
    return;
  }
  REQUIRE(site.port > 0 && *site.host != '\0');
  REQUIRE(strlen(site.authority) >= strlen(site.host));
  REQUIRE(*site.path == '\0' || *site.path == '/');
  REQUIRE(site.path[0] == '\0' || site.path[strlen(site.path) - 1] != '/');
  sn_site_free(target_memory(), &site);
}

static void check_proxy(const char *url) {
  sn_proxy proxy;
  char base64[SN_BASE64_MAX];

  if (sn_proxy_read(url, &proxy, NULL) != SEEN_OK) return;
  REQUIRE(proxy.port > 0 && *proxy.host != '\0');
  sn_trust_encode(proxy.user, base64);
  REQUIRE(strlen(base64) == (strlen(proxy.user) + 2) / 3 * 4);
}

/* Read again, it is the same key. */
static void check_key(const char *base64) {
  sn_key key, again;

  if (!sn_trust_read_key(base64, &key)) return;
  REQUIRE(sn_trust_read_key(key.base64, &again));
  REQUIRE(memcmp(key.digest, again.digest, sizeof key.digest) == 0);
}

/* A token is one line of a header, without a space. */
static void check_token(const char *token) {
  if (sn_site_takes_token(token)) REQUIRE(strpbrk(token, "\r\n") == NULL);
  if (sn_site_takes_path(token)) REQUIRE(strpbrk(token, "\r\n ") == NULL);
}

/* Items lie one behind the other in the text. */
static void check_items(const uint8_t *bytes, size_t size) {
  const char *text = (const char *)bytes, *item, *behind = text;
  sn_split items;
  size_t length;

  if (!sn_split_begin(text, size, &items)) return;
  while (sn_split_next(&items, &item, &length) == SN_SPLIT_ONE) {
    REQUIRE(item >= behind && length > 0);
    REQUIRE(item + length <= text + size);
    behind = item + length;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static void (*const checks[])(const char *text) = {check_site, check_proxy,
                                                     check_key, check_token};
  target_bytes lines = {bytes, bytes + size};

  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    char *text = next_text(&lines);

    checks[i](text);
    free(text);
  }
  check_items(lines.at, (size_t)(lines.end - lines.at));
  return 0;
}
