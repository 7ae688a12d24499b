/*
 * A client under test and its host: it hears everything and keeps count, its
 * memory is watched, and its server is a test_link. In steps, unless it is
 * started.
 */
#ifndef TESTS_SUPPORT_HOST_H
#define TESTS_SUPPORT_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <seen/chat.h>

#include "support/alloc.h"
#include "support/link.h"

/* HOST_MS is the bound of every wait, on a busy machine and a slow build. */
enum { HOST_IDS = 64, HOST_MS = 30000 };

/* What was heard of an event's type. */
typedef struct heard {
  size_t count;
  seen_event last; /* its id and what it points at are not to be used */
} heard;

typedef struct test_host {
  test_alloc memory; /* under `mutex`, by … */
  seen_allocator allocator;
  sn_mutex *mutex;
  seen_client_options options;
  seen_client *client; /* NULL: not open */
  test_link *link;     /* NULL: there is no server */
  uint64_t listener;   /* its number */
  heard heard[16];     /* by the bit of a type */
  char path[300];
  char record[300];
  size_t wakes; /* under `mutex` */
  size_t freed; /* user_data, of options and listener */
  uint64_t replies[HOST_IDS];
  size_t reply_count;
} test_host;

/* Begins with options and a link; ends with all freed and nothing leaked. */
test_host *host_start(void);
test_host *host_start_alone(void); /* without a server */
void host_end(test_host *t);

/* Its mirror, and its recorder's files, are in the folder of the test. */
void host_in_folder(test_host *t);

/* Opens, asserted, and listens to all. */
void host_open(test_host *t);
int host_try(test_host *t, seen_error *error);

/* Steps and dispatches until it is so; asserts that it comes. */
#define host_until(t, wanted) host_until_at(t, wanted, #wanted, __LINE__)
typedef bool (*host_wanted)(test_host *t);
void host_until_at(test_host *t, host_wanted wanted, const char *name,
                   int line);
void host_turns(test_host *t); /* a few, so that all that is due is done */

/* Opens, and steps until the server is there with its rows. */
void host_connect(test_host *t);
bool host_is_online(test_host *t);

const heard *host_heard(const test_host *t, seen_event_type type);
void host_forget(test_host *t); /* what was heard */

seen_state host_state(test_host *t, const char *conv);
uint64_t host_unread(test_host *t); /* of the totals */

#endif
