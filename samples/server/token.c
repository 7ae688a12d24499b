/* Tokens. */
#include "token.h"

#include <errno.h>
#include <jwt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY_BYTES = 512, SECRET_LEAST = 32, KEY_MOST = 16384 };

struct token_key {
  jwt_alg_t algorithm;
  bool can_check;
  int length;
  unsigned char *bytes; /* one more than `length`, 0: PEM is read as text */
};

/* The first bytes of a PEM key of Ed25519, public or private (RFC 8410). */
static bool is_ed25519(const char *text) {
  return strstr(text, "\nMCowBQYDK2VwAyEA") != NULL ||
         strstr(text, "\nMC4CAQAwBQYDK2VwBCIEI") != NULL;
}

/* Of RFC 8037. Some versions of libjwt call it by a name of their own. */
static jwt_alg_t eddsa(void) {
#ifdef SERVER_WITH_EDDSA
  if (strcmp(jwt_alg_str(JWT_ALG_EDDSA), "EdDSA") == 0) return JWT_ALG_EDDSA;
#endif
  return JWT_ALG_NONE;
}

/* A secret that was written by an editor ends with a line; that is cut. */
static void take_apart(token_key *self) {
  const char *text = (const char *)self->bytes;

  self->algorithm = JWT_ALG_HS256;
  self->can_check = true;
  if (strncmp(text, "-----BEGIN ", 11) == 0) {
    self->algorithm = is_ed25519(text) ? eddsa() : JWT_ALG_RS256;
    self->can_check = strstr(text, "PUBLIC KEY-----") != NULL;
    return;
  }
  while (self->length > 0 && strchr("\r\n", self->bytes[self->length - 1]))
    self->bytes[--self->length] = '\0';
}

static bool read_whole(token_key *self, FILE *file) {
  self->bytes = calloc(KEY_MOST + 1, 1);
  if (self->bytes == NULL) return false;
  self->length = (int)fread(self->bytes, 1, KEY_MOST, file);
  if (self->length == KEY_MOST) errno = EFBIG;
  return self->length < KEY_MOST && !ferror(file);
}

static bool is_usable(const token_key *self) {
  if (self->algorithm == JWT_ALG_NONE) return false;
  return self->algorithm != JWT_ALG_HS256 || self->length >= SECRET_LEAST;
}

token_key *token_key_open(const char *path, char *why) {
  FILE *file = fopen(path, "rb");
  token_key *self = file != NULL ? calloc(1, sizeof *self) : NULL;
  bool read = self != NULL && read_whole(self, file);

  if (!read)
    snprintf(why, WHY_BYTES, "token-key %.256s can't be read: %s", path,
             strerror(errno));
  if (file != NULL) fclose(file);
  if (read) {
    take_apart(self);
    if (is_usable(self)) return self;
  }
  if (read && self->algorithm == JWT_ALG_NONE)
    snprintf(why, WHY_BYTES,
             "token-key %.256s is of Ed25519, and this libjwt has no EdDSA",
             path);
  else if (read)
    snprintf(why, WHY_BYTES,
             "token-key %.256s is neither a secret of %d bytes or more nor a "
             "PEM key",
             path, SECRET_LEAST);
  token_key_close(self);
  return NULL;
}

bool token_key_can_check(const token_key *self) {
  return self->can_check;
}

void token_key_close(token_key *self) {
  if (self == NULL) return;
  if (self->bytes != NULL) memset(self->bytes, 0, (size_t)self->length);
  free(self->bytes);
  free(self);
}

/* UTF-8 is checked with the token's JSON. */
bool token_is_user(const char *text) {
  size_t length = text != NULL ? strlen(text) : 0;

  if (length == 0 || length > NAME_MAX_BYTES) return false;
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)text[i] < ' ' || text[i] == 127) return false;
  return true;
}

/* A time of the token in ms, 0: it has none. False: it is no time. */
static bool read_time(jwt_t *token, const char *name, uint64_t *ms) {
  long seconds;

  errno = 0;
  seconds = jwt_get_grant_int(token, name);
  *ms = 0;
  if (errno == ENOENT) return true;
  if (errno != 0 || seconds <= 0 || seconds > INT64_MAX / 1000) return false;
  *ms = (uint64_t)seconds * 1000;
  return true;
}

static bool read_claims(jwt_t *token, uint64_t now, identity *who) {
  const char *user = jwt_get_grant(token, "sub");
  uint64_t not_before;

  if (!token_is_user(user) || !read_time(token, "exp", &who->expires_at) ||
      !read_time(token, "nbf", &not_before))
    return false;
  strcpy(who->user, user);
  who->admin = jwt_get_grant_bool(token, "admin") == 1;
  return (who->expires_at == 0 || now < who->expires_at) && not_before <= now;
}

/*
 * Three parts with something in them (RFC 7515), which libjwt does not look at:
 * 1.10 writes behind the block that an empty one is decoded to.
 */
static bool is_compact(const char *token) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789-_";

  for (int part = 0; part < 3; part++) {
    size_t length = strspn(token, alphabet);

    if (length == 0 || token[length] != (part < 2 ? '.' : '\0')) return false;
    token += length + 1;
  }
  return true;
}

bool token_check(const token_key *self, const char *token, uint64_t now,
                 identity *who) {
  jwt_t *decoded = NULL;
  bool good;

  memset(who, 0, sizeof *who);
  if (!self->can_check || !is_compact(token) ||
      jwt_decode(&decoded, token, self->bytes, self->length) != 0)
    return false;
  good =
      jwt_get_alg(decoded) == self->algorithm && read_claims(decoded, now, who);
  jwt_free(decoded);
  return good;
}

char *token_make(const token_key *key, const char *user, bool admin,
                 int64_t ttl_s, uint64_t now) {
  long at = (long)(now / 1000);
  jwt_t *token = NULL;
  char *text = NULL;

  if (jwt_new(&token) != 0) return NULL;
  if (jwt_add_grant(token, "sub", user) == 0 &&
      jwt_add_grant_int(token, "iat", at) == 0 &&
      jwt_add_grant_int(token, "exp", at + (long)ttl_s) == 0 &&
      (!admin || jwt_add_grant_bool(token, "admin", 1) == 0) &&
      jwt_set_alg(token, key->algorithm, key->bytes, key->length) == 0)
    text = jwt_encode_str(token);
  jwt_free(token);
  return text;
}
