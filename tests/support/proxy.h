/*
 * What a network does to a connection: a relay of TCP on a port of loopback,
 * on a thread of its own, that passes bytes on or lets something happen to
 * them. What is set holds for the connections that are there and for new ones.
 */
#ifndef TESTS_SUPPORT_PROXY_H
#define TESTS_SUPPORT_PROXY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum test_fault {
  TEST_PASS,
  TEST_DELAY,      /* bytes come late, by so many ms */
  TEST_SLOW,       /* byte by byte, one each so many ms */
  TEST_CUT,        /* both ends are closed, new ones too */
  TEST_RESET,      /* likewise, by a reset */
  TEST_BLACK_HOLE, /* nothing passes and nothing is closed */
  TEST_HALF_OPEN,  /* likewise, and the server thinks that it is over */
  TEST_ONE_WAY,    /* only what goes to the server passes */
  TEST_GARBAGE     /* what comes from the server is other bytes */
} test_fault;

typedef struct test_proxy test_proxy;

/* In front of a port of loopback. Asserts that it can be. */
test_proxy *test_proxy_start(uint16_t target);
void test_proxy_stop(test_proxy *proxy);

uint16_t test_proxy_port(const test_proxy *proxy);

/* In force when this returns. */
void test_proxy_set(test_proxy *proxy, test_fault fault, uint32_t ms);

/* Sends new connections to another port. */
void test_proxy_aim(test_proxy *proxy, uint16_t target);

/* Since it was started: connections taken, bytes that arrived for each end. */
typedef struct test_traffic {
  size_t connections;
  size_t open; /* now */
  uint64_t to_server, to_client;
} test_traffic;

test_traffic test_proxy_traffic(test_proxy *proxy);

#endif
