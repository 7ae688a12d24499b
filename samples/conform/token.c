/* Tokens: signed here by the server's secret, or printed by a command. */
#include "token.h"

#include <jwt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool sign(const options *how, jwt_t *token) {
  char secret[8192];
  FILE *file = fopen(how->token_key, "rb");
  size_t length;

  if (file == NULL) return false;
  length = fread(secret, 1, sizeof secret - 1, file);
  fclose(file);
  secret[length] = '\0';
  while (length > 0 && strchr("\r\n", secret[length - 1]) != NULL)
    secret[--length] = '\0';
  return length > 0 &&
         jwt_set_alg(token, JWT_ALG_HS256, (const unsigned char *)secret,
                     (int)length) == 0;
}

static bool make(const options *how, const char *user, bool admin, int ttl_s,
                 char *text) {
  jwt_t *token = NULL;
  char *made = NULL;

  if (jwt_new(&token) != 0) return false;
  if (jwt_add_grant(token, "sub", user) == 0 &&
      jwt_add_grant_int(token, "exp", (long)time(NULL) + ttl_s) == 0 &&
      (!admin || jwt_add_grant_bool(token, "admin", 1) == 0) &&
      sign(how, token))
    made = jwt_encode_str(token);
  jwt_free(token);
  if (made == NULL) return false;
  snprintf(text, TOKEN_BYTES, "%s", made);
  free(made);
  return true;
}

static bool ask(const options *how, const char *user, bool admin, int ttl_s,
                char *text) {
  char seconds[16];
  FILE *pipe;
  bool got;

  snprintf(seconds, sizeof seconds, "%d", ttl_s);
  setenv("SEEN_USER", user, 1);
  setenv("SEEN_ADMIN", admin ? "1" : "0", 1);
  setenv("SEEN_TTL", seconds, 1);
  pipe = popen(how->token_command, "r");
  if (pipe == NULL) return false;
  got = fgets(text, TOKEN_BYTES, pipe) != NULL;
  pclose(pipe);
  if (got) text[strcspn(text, "\r\n")] = '\0';
  return got;
}

bool token_for(const options *how, const char *user, bool admin, int ttl_s,
               char token[TOKEN_BYTES]) {
  return how->token_key != NULL ? make(how, user, admin, ttl_s, token)
                                : ask(how, user, admin, ttl_s, token);
}
