/*
 * A client, and what its files share. Each member stands under what guards it:
 *
 *   nothing   is there from open to free and guards itself
 *   the helm  the loop's: for whoever steers
 *   the lock  the engine's and what is told of it: held for one input, one
 *             query; let go while the store works
 *
 * The helm is taken before the lock, never the other way round, and neither is
 * held while a listener runs.
 */
#ifndef SN_CLIENT_CLIENT_H
#define SN_CLIENT_CLIENT_H

#include <seen/client.h>
#include <seen/sys/mirror.h>

#include "base/log.h"
#include "client/events.h"
#include "client/helm.h"
#include "client/inbox.h"
#include "client/listeners.h"
#include "client/yielding.h"

/* What is kept of the options. */
typedef struct sn_config {
  seen_options policy; /* with strings and a seed of its own */
  char *user;
  char *device;
  char *path; /* NULL: the store is not a file */
  char *recorder_path;
  size_t recorder_capacity; /* 0: no recorder */
  size_t recorder_bytes;
  uint8_t key[32];
  bool has_key;
  bool has_server;
  void (*wakeup)(void *user_data);
  void *user_data;
  seen_user_free user_free;
} sn_config;

struct seen_client {
  const seen_allocator *memory;
  sn_log log;
  sn_config config;
  sn_signal signal; /* something is there for the loop */
  sn_helm helm;
  sn_inbox inbox;
  sn_listeners listeners;
  sn_mutex *lock;

  /* The helm. */
  seen_store *store; /* NULL: suspended or closed */
  sn_yielding yielding;
  seen_recorder *recorder; /* NULL: it did not begin yet, or there is none */
  bool recorder_lost;      /* it has to begin anew */
  sn_session *session;
  seen_transport *transport; /* NULL: there is no server */
  bool begun;                /* the session was started */
  bool suspended;
  bool foreground; /* as the host said last */
  bool replaced;   /* the host knows that the store was set aside */
  int trouble;     /* of the store, as told; 0: none */
  uint64_t now;    /* of the last input */
  sn_act *acts;    /* taken, and not done yet, in order */
  sn_out out;      /* of the session's, not done yet */
  bool has_out;
  uint64_t rest_until; /* there was no memory; 0: there is */
  bool more;           /* the transport has more than one turn takes */
  size_t links;        /* connections that were dialled and have not ended */

  /* The lock. */
  seen_mirror *mirror;
  seen_engine *engine;
  sn_events events;
  sn_lent lent; /* to who asked for events last */
  bool woken;   /* the host was told that events wait */
  bool wiped;   /* the account was left: there is nothing to read */
  uint64_t deadline;
  uint64_t request; /* the last one's number */

  bool forgotten; /* by a listener: freed when that returns */
};

static inline void sn_client_lock(const seen_client *client) {
  sn_platform_mutex_lock(client->lock);
}

static inline void sn_client_unlock(const seen_client *client) {
  sn_platform_mutex_unlock(client->lock);
}

/* Opens the store that the options name. */
int sn_client_open_store(const seen_client *client, seen_store **store,
                         seen_error *error);

/* Starts the session, once. The helm is held, in these too. */
void sn_client_begin(seen_client *client);

/*
 * Begins the recorder, where there is to be one: before the first input, not
 * when the client is opened, since it looks at every conversation.
 */
void sn_client_record(seen_client *client);

/* Does all that is there to be done, writes, and wakes the host. */
void sn_client_turn(seen_client *client);

/* Waits for something to do, at the latest until then. */
void sn_client_wait(seen_client *client, uint64_t end);

/* Feeds an input of the client's own at once; without memory it is not said. */
void sn_client_say(seen_client *client, seen_input_type type, bool on);

/* Writes what is noted. */
int sn_client_commit(seen_client *client, seen_error *error);

/* Does what the session wants; false: there was no memory. */
bool sn_client_drain(seen_client *client);

/* Ends the link and waits, a second at most, until the transport has. */
void sn_client_hang_up(seen_client *client);

/* Wakes the host where something waits that it was not told of. */
void sn_client_publish(seen_client *client);

/* Tells what became of the store. The lock is not held. */
void sn_client_tell_store(seen_client *client, int status, const char *message);

/* Goes on after a suspension. */
int sn_client_wake_up(seen_client *client, seen_error *error);

/* Tells the listeners what waits, also from within one of them. */
size_t sn_client_tell(seen_client *client);

/* An act of the inbox's, put from any thread, and the loop woken. */
int sn_client_put(seen_client *client, const sn_said *said, const char *text);

/* Frees it where a listener wanted that, and none runs here any more. */
void sn_client_let_go(seen_client *client);

/* Frees what open made, in whatever state it is. */
void sn_client_destroy(seen_client *client);

/* Why an id is none, or SEEN_OK. */
int sn_client_check_id(const char *id);

#endif
