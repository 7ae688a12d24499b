/*
 * What the server counts of a user, asked for by HTTP past every proxy, beside
 * what a device of that user shows.
 */
#ifndef TESTS_CLIENT_NET_RECOUNT_H
#define TESTS_CLIENT_NET_RECOUNT_H

#include <seen/client.h>

#include "base/json.h"
#include "support/dump.h"
#include "support/server.h"

/* The answer to a GET; NULL: it was none of 200 with JSON. */
sn_json *recount_get(uint16_t port, const char *token, const char *path);

/* What a user's rows and totals are at the server. */
typedef struct recount {
  uint16_t port;
  const char *token;
  sn_json *rows;
  sn_json *totals;
} recount;

/* False: there was no answer, and nothing to free. */
bool recount_ask(const test_server *server, const char *token, recount *out);
void recount_free(recount *of);

/* Says what this device shows otherwise; nothing where it agrees. */
void recount_compare(const recount *of, const char *device,
                     const seen_client *client, test_dump *why);

/*
 * Likewise of who has read the newest messages of a conversation, as far as
 * they are this user's own.
 */
void recount_receipts(const recount *of, const char *device,
                      const seen_client *client, const char *conv,
                      test_dump *why);

#endif
