/*
 * Tokens: JSON Web Tokens by libjwt. `sub` is the user, `exp` (s since 1970)
 * when it ends, `admin` true for an admin's.
 *
 * What the key file holds decides which algorithm is taken, never the token:
 * a PEM public key RS256, one of Ed25519 EdDSA (where libjwt has it: 2.1.2 or
 * later), anything else is the secret of HS256.
 */
#ifndef SERVER_TOKEN_H
#define SERVER_TOKEN_H

#include "state.h"

typedef struct token_key token_key;

/* NULL: `why` (at least 512 bytes) says what is wrong. */
token_key *token_key_open(const char *path, char *why);
void token_key_close(token_key *self);

/* Whether it checks tokens, as a server has to: a private key only signs. */
bool token_key_can_check(const token_key *self);

/* Whether there may be a user of this name, in UTF-8. NULL: there is none. */
bool token_is_user(const char *text);

/* Whom the token speaks for; false: nobody, or no longer. */
bool token_check(const token_key *self, const char *token, uint64_t now,
                 identity *who);

/*
 * A new token, to be freed; NULL where the key can't sign. `key` is the
 * secret, or a PEM private key. `ttl_s` may be negative, for tests.
 */
char *token_make(const token_key *key, const char *user, bool admin,
                 int64_t ttl_s, uint64_t now);

#endif
