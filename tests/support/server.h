/*
 * The sample server as a process of its own, on a port that was free, with a
 * database of its own; and tokens for it. Only where the build has one: a folder
 * whose tests need it skips them otherwise.
 */
#ifndef TESTS_SUPPORT_SERVER_H
#define TESTS_SUPPORT_SERVER_H

#include "support/folder.h"

#include <stdint.h>

#include <sys/types.h>

typedef struct test_server {
  test_folder folder; /* key and database; stays until it is removed */
  uint16_t port;      /* the same after a restart: nobody else gets it */
  int place;          /* the socket that keeps it */
  pid_t process;      /* 0: it does not run */
} test_server;

/*
 * Starts one with these settings besides ("--ping-ms", "200", …, NULL), or
 * NULL for none, and returns when it listens. Asserts that it does.
 */
void test_server_start(test_server *server, const char *const *settings);

/* Ends the process, by SIGTERM or SIGKILL; the database is kept. */
void test_server_end(test_server *server);
void test_server_kill(test_server *server);

/* Starts it again where it was. */
void test_server_again(test_server *server, const char *const *settings);

/* Fills a new conversation from a chat log; while it does not run. */
void test_server_import(const test_server *server, const char *log,
                        const char *conv);

/* Ends it and removes the folder. */
void test_server_remove(test_server *server);

/* A token of this user, good for so many seconds; 0 or below: it is over. */
#define TEST_TOKEN_MAX 512
void test_server_token(const test_server *server, const char *user, int seconds,
                       char token[TEST_TOKEN_MAX]);

#endif
