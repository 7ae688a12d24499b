/*
 * A round of the storm: some devices of ann, and bob and cat who write, each
 * behind a proxy of its own that breaks, at a server that is killed. They do
 * whatever there is to do, at random; then the network is quiet.
 */
#ifndef TESTS_CLIENT_NET_STORM_H
#define TESTS_CLIENT_NET_STORM_H

#include "support/dump.h"
#include "support/host.h"
#include "support/proxy.h"
#include "support/random.h"
#include "support/server.h"

enum { STORM_DEVICES = 7, STORM_CONVS = 5 };

typedef struct storm_device {
  const char *user;
  const char *name;
  const char *token;
  test_host *host;
  test_proxy *proxy;
  char url[64];
  char path[300];
  const char *open;  /* the conversation on screen, or NULL */
  uint64_t heals_at; /* its network; 0: it is well */
} storm_device;

typedef struct storm {
  uint64_t seed;
  test_random random;
  test_server server;
  test_folder folder; /* of the mirrors */
  char tokens[3][TEST_TOKEN_MAX];
  storm_device devices[STORM_DEVICES]; /* bob's, cat's, then ann's */
  size_t count;
  uint64_t rises_at; /* the server; 0: it is up */
} storm;

/* With so many devices of ann, all of which have all rows. */
void storm_begin(storm *s, uint64_t seed, size_t own);
void storm_end(storm *s);

/* Everybody acts and everything breaks, for so long. */
void storm_rage(storm *s, uint32_t ms);

/* The network is well, and all are awake and read nothing more. */
void storm_calm(storm *s);

/* Lets all devices hear what there is, and waits a little. */
void storm_rest(storm *s, uint32_t ms);

/* No request is out. */
bool storm_is_answered(const storm *s);

const char *storm_conv(size_t i);

#endif
