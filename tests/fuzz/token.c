/*
 * Tokens that anybody may bring. A first byte of 's' signs what follows, a
 * header, a newline and claims, so that they are looked at; else it is a token
 * as it is.
 */
#include "fuzz/target.h"

#include "token.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOW = 1700000000, WHY_BYTES = 512, MOST = 4096 };

static const char secret[] = "a secret of thirty-two bytes, ok";

/* Base64 as tokens have it; what is behind it. */
static char *encode(char *into, const void *bytes, size_t size) {
  size_t length =
      (size_t)EVP_EncodeBlock((unsigned char *)into, bytes, (int)size);

  while (length > 0 && into[length - 1] == '=')
    length--;
  into[length] = '\0';
  for (char *at = into; *at != '\0'; at++)
    *at = *at == '+' ? '-' : *at == '/' ? '_' : *at;
  return into + length;
}

static char *sign(const uint8_t *bytes, size_t size) {
  const uint8_t *end = memchr(bytes, '\n', size);
  size_t head = end != NULL ? (size_t)(end - bytes) : size;
  size_t claims = end != NULL ? size - head - 1 : 0;
  char *token = malloc(2 * size + 200), *at = token;
  unsigned char sum[EVP_MAX_MD_SIZE];
  unsigned length = 0;

  if (token == NULL) abort();
  at = encode(at, bytes, head);
  *at++ = '.';
  at = encode(at, end != NULL ? end + 1 : bytes, claims);
  HMAC(EVP_sha256(), secret, (int)strlen(secret), (const unsigned char *)token,
       (size_t)(at - token), sum, &length);
  *at++ = '.';
  encode(at, sum, length);
  return token;
}

static void check(const char *token) {
  char why[WHY_BYTES];
  token_key *key =
      token_key_open(target_file((const uint8_t *)secret, strlen(secret)), why);
  uint64_t now = (uint64_t)NOW * 1000;
  identity who;

  REQUIRE(key != NULL);
  if (token_check(key, token, now, &who)) {
    size_t length = strlen(who.user);

    REQUIRE(length > 0 && length <= NAME_MAX_BYTES);
    REQUIRE(who.expires_at == 0 || who.expires_at > now);
    for (size_t i = 0; i < length; i++)
      REQUIRE((unsigned char)who.user[i] >= ' ');
  }
  token_key_close(key);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  bool is_signed = size > 0 && *bytes == 's';
  char *token;

  if (size > MOST) return 0;
  token = is_signed ? sign(bytes + 1, size - 1) : target_text(bytes, size);
  check(token);
  free(token);
  return 0;
}
