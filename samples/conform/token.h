/* Tokens for the users that the vectors speak of. */
#ifndef CONFORM_TOKEN_H
#define CONFORM_TOKEN_H

#include "options.h"

enum { TOKEN_BYTES = 4096 };

/* A token for `user` into `token`; false: there is none. */
bool token_for(const options *how, const char *user, bool admin, int ttl_s,
               char token[TOKEN_BYTES]);

#endif
