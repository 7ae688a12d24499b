/*
 * seen/sys/mirror.h: an engine whose state is kept in a store. It restores the
 * engine at the start, and turns the engine's store effects into transactions;
 * where the store can't write, everything waits in memory and is tried again.
 */
#ifndef SEEN_SYS_MIRROR_H
#define SEEN_SYS_MIRROR_H

#include <seen/error.h>
#include <seen/options.h>
#include <seen/sys/engine.h>
#include <seen/sys/store.h>
#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** A mirror: an engine and its store. Used by one thread at a time. */
typedef struct seen_mirror seen_mirror;

/**
 * Makes an engine and fills it from the store in one pass. The link is down.
 *
 * A mirror of another user is SEEN_EINVAL. A record that makes no sense is
 * left out and told through the log, and so is what the store calls corrupt;
 * `*left_out`, where it is not NULL, says how many: a full snapshot must then
 * be asked for, as after SEEN_ORIGIN_REPLACED, and the version is 0. Rows and
 * totals whose stored numbers are not what the engine counts are noted, to be
 * written again (U8).
 *
 * Fails as seen_engine_new() and the store's load do.
 *
 * Thread: any. Ownership: the caller frees `*out`; the store stays the
 * caller's and must outlive it. Offline: yes.
 */
SEEN_API int seen_mirror_open(const seen_options *options, seen_store *store,
                              uint64_t now,
                              seen_mirror *SEEN_NULLABLE *SEEN_NONNULL out,
                              size_t *SEEN_NULLABLE left_out,
                              seen_error *SEEN_NULLABLE error);

/**
 * Makes a mirror of an engine that is there already, made with these options
 * and all its effects pulled. The store holds what was written of it; whether
 * it holds that is not looked at.
 *
 * A mirror of another user is SEEN_EINVAL. Fails as the store's load does, with
 * SEEN_ENOMEM, SEEN_ECORRUPT.
 *
 * Thread: one at a time a mirror. Ownership: the caller frees `*out`, to which
 * the engine belongs then; where it fails it stays the caller's. The store is
 * as for seen_mirror_open(). Offline: yes.
 */
SEEN_API int seen_mirror_attach(const seen_options *options,
                                seen_engine *engine, seen_store *store,
                                seen_mirror *SEEN_NULLABLE *SEEN_NONNULL out,
                                seen_error *SEEN_NULLABLE error);

/**
 * Frees the mirror and its engine and writes nothing: what a killed process
 * does. Call seen_mirror_commit() before, where it is to be written. NULL is
 * fine.
 *
 * Thread: one at a time a mirror. Ownership: ends. Offline: yes.
 */
SEEN_API void seen_mirror_free(seen_mirror *SEEN_NULLABLE mirror);

/**
 * The engine. Feed it as it is; pull its effects by seen_mirror_next().
 *
 * Thread: one at a time a mirror. Ownership: the mirror's. Offline: yes.
 */
SEEN_API seen_engine *seen_mirror_engine(seen_mirror *mirror);

/**
 * Pulls the engine's next effect that is not the store's; those are noted
 * for seen_mirror_commit(). Returns false when there is none.
 *
 * Thread: one at a time a mirror. Ownership: as seen_engine_next().
 * Offline: yes.
 */
SEEN_API bool seen_mirror_next(seen_mirror *mirror, seen_effect *effect);

/**
 * What is known of the server as a whole changed. A version promises all that
 * came with it: it is written in one transaction with, or after, everything
 * that the engine was fed before this call (S2, S6). Strings are copied; NULL
 * keeps what was there.
 *
 * Fails with SEEN_ENOMEM.
 *
 * Thread: one at a time a mirror. Ownership: the caller's. Offline: yes.
 */
SEEN_API int seen_mirror_set_server(seen_mirror *mirror,
                                    const char *SEEN_NULLABLE incarnation,
                                    uint64_t version,
                                    seen_error *SEEN_NULLABLE error);

/**
 * What was known of the server when the mirror was opened, or set since.
 *
 * Thread: one at a time a mirror. Ownership: strings are the mirror's, until
 * the next seen_mirror_set_server(). Offline: yes.
 */
SEEN_API void seen_mirror_server(const seen_mirror *mirror, seen_meta *meta);

/**
 * Writes what was noted as one transaction: call it when a turn of the loop
 * ends, after pulling all effects. Does nothing where nothing is noted, and
 * where an earlier failure is to be tried again later than `now`; only a
 * farewell (SEEN_EFFECT_SYNC) waits for no time.
 *
 * Fails as the store's functions do. Nothing is lost then: all of it stays
 * noted, and seen_mirror_deadline() says when it is tried again.
 *
 * Thread: one at a time a mirror. Ownership: none. Offline: yes.
 */
SEEN_API int seen_mirror_commit(seen_mirror *mirror, uint64_t now,
                                seen_error *SEEN_NULLABLE error);

/**
 * For the moment before a process may end: everything that changed is noted,
 * also what the engine does not yet ask to be written, and the next commit
 * waits for no time and outlives a power failure.
 *
 * Thread: one at a time a mirror. Ownership: none. Offline: yes.
 */
SEEN_API void seen_mirror_hurry(seen_mirror *mirror);

/**
 * The store is used no more, and may be closed. What is to be written is noted
 * until there is one again.
 *
 * Thread: one at a time a mirror. Ownership: the store is the caller's alone.
 * Offline: yes.
 */
SEEN_API void seen_mirror_detach(seen_mirror *mirror);

/**
 * Goes on with a store after seen_mirror_detach(): the same one, opened again.
 * Where it does not hold what was written of this mirror, everything is noted
 * to be written to it.
 *
 * Fails with SEEN_EINVAL for another user's, or as the store's functions do;
 * it stays detached then.
 *
 * Thread: one at a time a mirror. Ownership: as seen_mirror_open().
 * Offline: yes.
 */
SEEN_API int seen_mirror_reattach(seen_mirror *mirror, seen_store *store,
                                  seen_error *SEEN_NULLABLE error);

/**
 * When to call seen_mirror_commit() next, the engine's own deadline apart;
 * SEEN_NEVER where nothing waits to be tried again.
 *
 * Thread: one at a time a mirror. Ownership: none. Offline: yes.
 */
SEEN_API uint64_t seen_mirror_deadline(const seen_mirror *mirror);

/**
 * How many conversations are noted and not written.
 *
 * Thread: one at a time a mirror. Ownership: none. Offline: yes.
 */
SEEN_API size_t seen_mirror_unwritten(const seen_mirror *mirror);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
