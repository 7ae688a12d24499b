/*
 * seen/client.h: the client: an engine, its mirror on disk and its link to the
 * server, on a thread of its own or in steps on the host's. What a host calls
 * and hears here is all that an app needs.
 *
 * Any function may be called from any thread, also from a listener, in any
 * state of the client. Reads take a short lock and never wait for the disk or
 * the network; acts go into a queue and are done in order by the client's
 * loop, at the time at which they were called. What does the loop's work
 * itself (flush, suspend, resume, push, dump, close, log out) waits until the
 * loop's turn is over.
 *
 * Once the client is closed, acts fail with SEEN_ECLOSED and reads answer from
 * what was last known. In a forked child a client is not to be touched.
 *
 * Rule ids (P2, U5 …) are those of docs/semantics.md.
 */
#ifndef SEEN_CLIENT_H
#define SEEN_CLIENT_H

#include <seen/error.h>
#include <seen/event.h>
#include <seen/options.h>
#include <seen/sys/engine.h>
#include <seen/sys/recorder.h>
#include <seen/sys/store.h>
#include <seen/sys/transport.h>
#include <seen/types.h>
#include <seen/viewport.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

typedef struct seen_client seen_client;

/** How a client is made. Initialise with seen_client_options_init(). */
typedef struct seen_client_options {
  uint32_t size; /**< sizeof(seen_client_options) */
  /**
   * Who the user is and what counts as read. Here jitter, delivered and
   * subscriptions are on; a seed of 0 takes a random one of the system.
   */
  seen_options policy;

  /** The mirror's file; NULL: in memory, gone with the client. */
  const char *SEEN_NULLABLE path;
  const uint8_t *SEEN_NULLABLE key;     /**< 32 bytes or NULL (store.h) */
  seen_store *SEEN_NULLABLE store;      /**< a host's own, in place of `path`;
                                          the client's from then on */
  const char *SEEN_NULLABLE url;        /**< NULL: no server (or `transport`) */
  const char *SEEN_NULLABLE token;      /**< to begin with; NULL: asked for */
  const char *SEEN_NULLABLE proxy;      /**< as of seen_net_options */
  const char *SEEN_NULLABLE ca_file;    /**< likewise */
  const char *SEEN_NULLABLE pinned_key; /**< likewise */
  seen_transport *SEEN_NULLABLE transport; /**< a host's own, in place of
                                                `url`; the client's from then
                                                on; see seen_client_wake() */

  /* Intervals; none is 0. */
  uint32_t dial_ms;         /**< 15000: until a connection is open */
  uint32_t hello_ms;        /**< 10000: until the server says welcome */
  uint32_t answer_ms;       /**< 60000: until a frame has its answer */
  uint32_t ping_ms;         /**< 25000: of silence, until a ping */
  uint32_t dead_ms;         /**< 35000: of silence, until it is given up */
  uint32_t probe_ms;        /**< 5000: the same, when the network changed */
  uint32_t backoff_min_ms;  /**< 1000: the first wait after a failure … */
  uint32_t backoff_max_ms;  /**< 60000: … and the longest; all at random */
  uint32_t drain_ms;        /**< 5000: the longest after a 1001 */
  uint32_t stable_ms;       /**< 10000: online so long, waits begin anew */
  uint32_t socket_retry_ms; /**< 60000: polling, then a socket is tried … */
  uint32_t socket_retry_max_ms; /**< 600000: … doubled each time up to this */
  uint32_t token_ms;            /**< 30000: until a silent host has no token */
  uint32_t request_ms;          /**< 30000: until a request is given up … */
  uint32_t act_ms;  /**< 120000: … or one that changes something */
  uint32_t poll_ms; /**< 25000: how long a poll waits */

  size_t recorder_capacity; /**< 4096 inputs; 0: no flight recorder */
  size_t recorder_bytes;    /**< 1 MiB */
  const char *SEEN_NULLABLE recorder_path; /**< NULL: in memory only */

  /**
   * Called from any thread, when events wait after there were none: the host
   * then calls seen_client_dispatch() or seen_client_next_events() where it
   * wants to hear; until it has, it is not called again. It may not call the
   * library. NULL: the host looks by itself.
   */
  void (*SEEN_NULLABLE wakeup)(void *SEEN_NULLABLE user_data);
  void *SEEN_NULLABLE user_data; /**< of `wakeup` */
  seen_user_free SEEN_NULLABLE user_free;
} seen_client_options;

/**
 * Fills in the defaults, which stand beside each field above.
 *
 * Thread: any. Ownership: the caller's. Offline: yes.
 */
SEEN_API void seen_client_options_init(seen_client_options *options);

/**
 * Makes a client and fills it from its mirror, so that lists and badges can
 * be read at once. Nothing runs yet.
 *
 * Fails as seen_options_check(), seen_store_open_sqlite() and seen_net_open()
 * do, with SEEN_EINVAL where both of a pair are given or a number makes no
 * sense, SEEN_EUNSUPPORTED for an `url` where the library was built without
 * its transport. `*out` is NULL then, and `user_free` was not called; `store`
 * and `transport` stay the caller's.
 *
 * Thread: any. Ownership: the caller frees `*out` with seen_client_free();
 * all options are copied, the allocator and log must outlive it.
 * Offline: yes.
 */
SEEN_API int seen_client_open(const seen_client_options *options,
                              seen_client *SEEN_NULLABLE *SEEN_NONNULL out,
                              seen_error *SEEN_NULLABLE error);

/**
 * Runs the client on a thread of its own from now on.
 *
 * Fails with SEEN_ESTATE where it runs already or is being stepped,
 * SEEN_ECLOSED, SEEN_EIO where the system gives no thread.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API int seen_client_start(seen_client *client,
                               seen_error *SEEN_NULLABLE error);

/**
 * Runs the client on this thread: waits up to `timeout_ms` for something to
 * do, and does it. 0 only does what is there. The transport that ships has
 * threads of its own beside.
 *
 * Fails with SEEN_ESTATE where it runs on a thread of its own or another
 * thread steps it, SEEN_ECLOSED.
 *
 * Thread: any, one at a time. Ownership: none. Offline: yes.
 */
SEEN_API int seen_client_step(seen_client *client, uint32_t timeout_ms,
                              seen_error *SEEN_NULLABLE error);

/**
 * For hosts with a loop of their own: a descriptor that can be read when
 * seen_client_step() has something to do; -1 where the platform has none.
 *
 * Thread: any. Ownership: the client's; only to be polled. Offline: yes.
 */
SEEN_API intptr_t seen_client_descriptor(const seen_client *client);

/**
 * In how many ms to call seen_client_step() at the latest; SEEN_NEVER: not
 * before the descriptor says so.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API uint64_t seen_client_timeout(const seen_client *client);

/**
 * Wakes the client's loop: what a host's own transport calls as its wake.
 * `client` is a seen_client.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API void seen_client_wake(void *client);

/**
 * Ends the client: reports what it still can write, closes the mirror and the
 * link, ends its threads and lets all requests end with SEEN_ECLOSED. When
 * this returns, no listener and no wakeup runs or will be called, but for one
 * that this is called from: that one runs to its end, and is the last. Events
 * that wait, SEEN_EVENT_CLOSED the last of them, can still be pulled by
 * seen_client_next_events().
 *
 * Called a second time, or while another thread closes, it waits for the
 * same and returns. It takes no longer than a write to the disk and a second.
 *
 * Thread: any; while a listener runs on another thread it waits for that.
 * Ownership: none. Offline: yes.
 */
SEEN_API void seen_client_close(seen_client *client);

/**
 * Closes the client where that was not done, and frees it. No thread may use
 * it any more; from a listener it is freed when the dispatch that runs it
 * returns. NULL is fine. All `user_free` have been called then.
 *
 * Thread: any. Ownership: ends. Offline: yes.
 */
SEEN_API void seen_client_free(seen_client *SEEN_NULLABLE client);

/**
 * A token, after SEEN_EVENT_TOKEN or before. NULL: the host has none; it is
 * asked for again after a while.
 *
 * Fails with SEEN_EINVAL for one that is no header's text, SEEN_ENOMEM,
 * SEEN_ECLOSED.
 *
 * Thread: any. Ownership: copied. Offline: yes.
 */
SEEN_API int seen_client_token(seen_client *client,
                               const char *SEEN_NULLABLE token);

/**
 * Adds a listener for events whose bits are in `types`; of conversation `id`
 * alone, where that is not NULL (with those of no conversation).
 *
 * `*number` is its number, never used twice. Fails with SEEN_EINVAL for no
 * known bit, no listener or an id that is none, SEEN_ENOMEM, SEEN_ECLOSED;
 * `user_free` was not called then.
 *
 * With SEEN_EVENT_LIST in `types`, the next event of the list is the whole of
 * it, for all listeners (seen_list_change).
 *
 * Thread: any. Ownership: `user_data` is the listener's until `user_free`.
 * Offline: yes.
 */
SEEN_API int seen_client_listen(seen_client *client, uint32_t types,
                                const char *SEEN_NULLABLE id,
                                seen_listener listener,
                                void *SEEN_NULLABLE user_data,
                                seen_user_free SEEN_NULLABLE user_free,
                                uint64_t *number);

/**
 * Removes a listener. When this returns it does not run and will not be
 * called, and its `user_free` has been called; but for one that removes
 * itself: it runs to its end first. A number that is none is no error.
 *
 * Thread: any; while that listener runs on another thread it waits.
 * Ownership: ends. Offline: yes.
 */
SEEN_API void seen_client_unlisten(seen_client *client, uint64_t number);

/**
 * Calls the listeners with all events that wait, on this thread. Returns how
 * many events there were. One that is called while another thread dispatches
 * waits for it; one from a listener does nothing and returns 0.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API size_t seen_client_dispatch(seen_client *client);

/**
 * Takes up to `limit` events from the same queue, for hosts that would rather
 * ask than be called. Returns how many were filled in: where that is `limit`,
 * there may be more.
 *
 * Thread: one at a time. Ownership: the caller's array; what it points at is
 * borrowed until the next call. Offline: yes.
 */
SEEN_API size_t seen_client_next_events(seen_client *client, seen_event *events,
                                        size_t limit);

/**
 * How many of a host's things the client holds: listeners, requests without a
 * reply, and user_data that were not freed. 0 after a close when all events
 * were taken: what leak tests look at.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API size_t seen_client_live(const seen_client *client);

/* What the person does. `conv` is a conversation's id. Each of these fails
 * with SEEN_EINVAL for an id that is none, SEEN_ERANGE for a seq above
 * SEEN_SEQ_MAX or a range that is upside down, SEEN_EFULL where 65536 acts
 * wait for a loop that does not come, SEEN_ENOMEM, SEEN_ECLOSED; for a
 * conversation that is not there it does nothing (S8). */

/**
 * The conversation is on screen: its divider stands from here on (B5), and
 * what seen_client_visible() says is read after its time (V1).
 *
 * Thread: any. Ownership: copied. Offline: yes.
 */
SEEN_API int seen_client_opened(seen_client *client, const char *conv);

/**
 * Which messages of an open conversation are on screen now, both ends
 * inclusive; 0, 0: none. Call it on every scroll: it is cheap, and the same
 * range again does nothing.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API int seen_client_visible(seen_client *client, const char *conv,
                                 uint64_t first, uint64_t last);

/**
 * The same, from rows: seen_viewport_range() decides which are seen.
 *
 * Thread: any. Ownership: the caller's rows. Offline: yes.
 */
SEEN_API int seen_client_visible_rows(seen_client *client, const char *conv,
                                      const seen_list_row *SEEN_NULLABLE rows,
                                      size_t count, double height);

/**
 * The conversation is on screen no more: what was read of it is reported at
 * once (V8).
 *
 * Thread: any. Ownership: copied. Offline: yes.
 */
SEEN_API int seen_client_closed(seen_client *client, const char *conv);

/**
 * Reads up to `seq`, by name; 0: all that is known, and so is one above that
 * (P3): what comes later stays unread. Also what a reply from a notification
 * does: it needs no screen and waits for no quiet.
 *
 * Thread: any. Ownership: copied. Offline: yes.
 */
SEEN_API int seen_client_mark_read(seen_client *client, const char *conv,
                                   uint64_t seq);

/**
 * Marks as unread: `seq` and all above it count again (P4); 0: the newest.
 *
 * Thread: any. Ownership: copied. Offline: yes.
 */
SEEN_API int seen_client_mark_unread(seen_client *client, const char *conv,
                                     uint64_t seq);

/**
 * Reads all conversations (V11); mentions stay open.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API int seen_client_mark_all_read(seen_client *client);

/**
 * Clears every mention of a conversation (M4).
 *
 * Thread: any. Ownership: copied. Offline: yes.
 */
SEEN_API int seen_client_clear_mentions(seen_client *client, const char *conv);

/**
 * Mutes, or no more: its unread shows as a dot and counts apart (B4).
 *
 * Thread: any. Ownership: copied. Offline: yes.
 */
SEEN_API int seen_client_mute(seen_client *client, const char *conv, bool on);

/**
 * Pins to the top of the list, or no more (B3).
 *
 * Thread: any. Ownership: copied. Offline: yes.
 */
SEEN_API int seen_client_pin(seen_client *client, const char *conv, bool on);

/**
 * Forgets a conversation on this device: its row and all that is known of it.
 *
 * Thread: any. Ownership: copied. Offline: yes.
 */
SEEN_API int seen_client_forget(seen_client *client, const char *conv);

/* What becomes of the app. They fail with SEEN_EFULL, SEEN_ENOMEM and
 * SEEN_ECLOSED as those above. */

/**
 * The app is in the foreground, or no more: in the background nothing is
 * read, and what is unsent is sent at once (V8).
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API int seen_client_foreground(seen_client *client, bool on);

/**
 * The window has the focus, or no more: without it nothing is read (V1).
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API int seen_client_focus(seen_client *client, bool on);

/**
 * The network is another one, or is there again: the link is tried, or tried
 * anew, at once.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API int seen_client_network_changed(seen_client *client);

/**
 * For the moment before a process is frozen: makes all that was read durable,
 * sends it, and returns when the server has it, at the latest after
 * `timeout_ms` and a write to the disk. It does the loop's work meanwhile.
 *
 * Fails with SEEN_ETIMEOUT where something is not at the server: it is in the
 * mirror and sent the next time; as the store's functions do where it is not
 * even there; SEEN_ESTATE for a client that is suspended, SEEN_ECLOSED.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API int seen_client_flush(seen_client *client, uint32_t timeout_ms,
                               seen_error *SEEN_NULLABLE error);

/**
 * Flushes as seen_client_flush(), then closes link and mirror: the database is
 * not open and no lock is held when it returns, which an iOS app that is
 * suspended with a shared container would be killed for. The app counts as in
 * the background until it resumes. Acts wait, reads answer from memory. A
 * second one does nothing. A host's own `store` is not closed, only left alone.
 *
 * Fails as seen_client_flush(); it is suspended all the same, but for
 * SEEN_ECLOSED. What could not be written stays in memory.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API int seen_client_suspend(seen_client *client, uint32_t timeout_ms,
                                 seen_error *SEEN_NULLABLE error);

/**
 * Opens mirror and link again. Where it is not suspended it does nothing. What
 * somebody else wrote into the mirror meanwhile is overwritten.
 *
 * Fails with SEEN_ELOCKED where another process has taken the mirror
 * meanwhile (it stays suspended), or as seen_store_open_sqlite() does.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API int seen_client_resume(seen_client *client,
                                seen_error *SEEN_NULLABLE error);

/**
 * The account is left on this device: events that wait are dropped, totals of
 * zero are told, then the mirror and the recorder's files are deleted and the
 * client is closed, as by seen_client_close(). Listeners hear the zero on this
 * thread before it returns; without any it is the first event that can be
 * pulled. Reads find nothing from then on. Unsent reports are lost:
 * seen_client_flush() comes first where they are not to be. A mirror that was
 * set aside before (S6) is not deleted.
 *
 * Fails with SEEN_EIO or SEEN_EREADONLY where a file can't be deleted (what
 * was in it is, and the message names it), SEEN_ELOCKED where the client was
 * suspended and another process has the mirror. It is closed all the same.
 * SEEN_ECLOSED: it was closed before.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API int seen_client_log_out(seen_client *client,
                                 seen_error *SEEN_NULLABLE error);

/**
 * Takes what a push notification brought: one frame of the protocol as text,
 * or an array of them. Only what any device may learn is taken (messages,
 * positions, rows); the rest is skipped, and so is what comes late. No link is
 * needed, and none is made.
 *
 * Fails with SEEN_EPARSE for text that is no frame, SEEN_ENOMEM, SEEN_ECLOSED.
 *
 * Thread: any. Ownership: copied. Offline: yes.
 */
SEEN_API int seen_client_feed_push(seen_client *client, const char *text,
                                   size_t length,
                                   seen_error *SEEN_NULLABLE error);

/* What a screen shows. */

/**
 * All that is shown of a conversation. SEEN_ENOTFOUND: it has no row.
 *
 * Thread: any. Ownership: the caller's struct; its id lives as long as the
 * client. Offline: yes.
 */
SEEN_API int seen_client_state(const seen_client *client, const char *conv,
                               seen_state *state);

/**
 * How many rows the list has.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API size_t seen_client_count(const seen_client *client);

/**
 * A page of the list in display order (B3): returns how many were filled in.
 *
 * Thread: any. Ownership: as seen_client_state(). Offline: yes.
 */
SEEN_API size_t seen_client_page(const seen_client *client, size_t offset,
                                 size_t limit, seen_state *rows);

/**
 * The sums over all rows: the app's badge is seen_badge_text() of `unread`.
 *
 * Thread: any. Ownership: the caller's struct. Offline: yes.
 */
SEEN_API void seen_client_totals(const seen_client *client,
                                 seen_totals *totals);

/**
 * The sums over all rows but one: what waits elsewhere, while a conversation
 * is on screen. Of one that has no row: over all.
 *
 * Thread: any. Ownership: the caller's struct. Offline: yes.
 */
SEEN_API void seen_client_totals_without(const seen_client *client,
                                         const char *conv, seen_totals *totals);

/**
 * The first open mention above `after` (M5). SEEN_ENOTFOUND: there is none.
 *
 * Thread: any. Ownership: the caller's struct. Offline: yes.
 */
SEEN_API int seen_client_next_mention(const seen_client *client,
                                      const char *conv, uint64_t after,
                                      seen_mention *mention);

/**
 * How far an own message has come, and how many have read it (R1, R2). Fails
 * as seen_engine_receipt().
 *
 * Thread: any. Ownership: the caller's struct. Offline: yes.
 */
SEEN_API int seen_client_receipt(const seen_client *client, const char *conv,
                                 uint64_t seq, seen_receipt *receipt);

/**
 * Who has read a message, or has not, by what this device knows: in small
 * conversations. Fails as seen_engine_readers().
 *
 * Thread: any. Ownership: the caller's array; ids live as long as the client.
 * Offline: yes.
 */
SEEN_API int seen_client_readers(const seen_client *client, const char *conv,
                                 uint64_t seq, seen_readers which,
                                 const char *SEEN_NULLABLE *SEEN_NULLABLE users,
                                 size_t limit, size_t *count);

/**
 * How the link is.
 *
 * Thread: any. Ownership: the caller's struct. Offline: yes.
 */
SEEN_API void seen_client_connection(const seen_client *client,
                                     seen_connection_state *state);

/* For developers. */

/**
 * How a conversation's unread came about, in words; as seen_engine_explain().
 *
 * Thread: any. Ownership: the caller's buffer. Offline: yes.
 */
SEEN_API int seen_client_explain(const seen_client *client, const char *conv,
                                 char *SEEN_NULLABLE text, size_t size,
                                 size_t *length);

/**
 * Recounts every cached number (U8); SEEN_PROBLEM_DRIFT tells of each that
 * was wrong. Fails with SEEN_ENOMEM, SEEN_ECLOSED.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API int seen_client_audit(seen_client *client);

/**
 * Counters since the client was opened.
 *
 * Thread: any. Ownership: the caller's struct. Offline: yes.
 */
SEEN_API void seen_client_metrics(const seen_client *client,
                                  seen_metrics *metrics);

/**
 * Gives the flight recorder's trace line by line; as seen_recorder_dump().
 * The client's loop waits meanwhile, reads do not. SEEN_EUNSUPPORTED: it
 * has no recorder; SEEN_ECLOSED.
 *
 * Thread: any; `take` is called on it and may not call the client.
 * Ownership: none. Offline: yes.
 */
SEEN_API int seen_client_dump(seen_client *client, seen_recorder_names names,
                              seen_recorder_take take,
                              void *SEEN_NULLABLE user_data,
                              seen_error *SEEN_NULLABLE error);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
