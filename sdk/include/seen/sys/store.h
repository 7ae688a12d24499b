/*
 * seen/sys/store.h: where the mirror of the engine's state is kept. A store is
 * a vtable; SQLite and memory ship, a host may bring another.
 *
 * A store is used by one thread at a time: the one that runs the engine. It
 * never calls back but in load, and knows nothing of the engine.
 */
#ifndef SEEN_SYS_STORE_H
#define SEEN_SYS_STORE_H

#include <seen/badge.h>
#include <seen/error.h>
#include <seen/options.h>
#include <seen/sys/alloc.h>
#include <seen/sys/record.h>
#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What another process may want of one row without an engine: derived from
 * its record, and written with it.
 */
typedef struct seen_row {
  uint32_t size; /**< sizeof(seen_row) */
  uint64_t unread;
  uint64_t mentions;
  seen_badge_kind badge;
  bool exact;
  bool muted;
  bool marked_unread;
  bool listed; /**< false: left or refused for good, counts nowhere (B4) */
} seen_row;

/** What is known of the server as a whole. */
typedef struct seen_meta {
  uint32_t size;    /**< sizeof(seen_meta) */
  const char *user; /**< whose mirror this is */
  const char *device;
  const char *incarnation; /**< "": none was named yet (S2) */
  uint64_t version;        /**< of the last complete changes; 0: none (S2) */
} seen_meta;

/** How a store began when it was opened. */
typedef enum seen_origin {
  SEEN_ORIGIN_NEW = 0,     /**< there was nothing */
  SEEN_ORIGIN_KEPT = 1,    /**< what was there is used */
  SEEN_ORIGIN_REPLACED = 2 /**< what was there was set aside (S6): ask the
                                server for everything, tell the host */
} seen_origin;

/**
 * Called by load for each record; `row` is NULL where it was written without
 * one, by an older library. What it is given is the store's until it returns.
 * Not 0 ends the load, which returns that number.
 */
typedef int (*seen_store_take)(const seen_record *record,
                               const seen_row *SEEN_NULLABLE row,
                               void *SEEN_NULLABLE user_data);

typedef struct seen_store seen_store;

/**
 * A store. Every function returns 0 or a SEEN_E… code and is called on the
 * engine's thread, one at a time. Between begin and commit or rollback stands
 * one transaction: all of it is kept, or nothing. Where a function between
 * them fails, commit too, rollback is to be called, and the whole transaction
 * can be tried again.
 *
 * Codes that mean "later, nothing is wrong with what is there": SEEN_EFULL,
 * SEEN_EREADONLY, SEEN_EBUSY, SEEN_EIO, SEEN_ENOMEM. SEEN_ECORRUPT means that
 * what is there can't be trusted: the next begin sets it aside and begins an
 * empty one (`origin` says so then), to which everything is to be written.
 */
struct seen_store {
  uint32_t size; /**< sizeof(seen_store), or larger where it is extended */
  seen_origin origin;
  int origin_code; /**< of SEEN_ORIGIN_REPLACED: SEEN_ECORRUPT, SEEN_ESCHEMA */
  int trouble; /**< why nothing can be written just now; each begin tries again,
                    and clears it where it can */

  /** Reads meta; strings are the store's until the next call. */
  int (*meta)(seen_store *store, seen_meta *meta,
              seen_error *SEEN_NULLABLE error);

  /** Reads the totals and how many records there are; zeroes: none yet. */
  int (*totals)(seen_store *store, seen_totals *totals, uint64_t *records,
                seen_error *SEEN_NULLABLE error);

  /**
   * Hands every record to `take`, in no order, in one pass. SEEN_ECORRUPT
   * where some could not be read; the others were handed out then.
   */
  int (*load)(seen_store *store, seen_store_take take,
              void *SEEN_NULLABLE user_data, seen_error *SEEN_NULLABLE error);

  /**
   * Begins a transaction. `durable`: power may fail right after its commit,
   * and it, and all that was committed before, is still there.
   */
  int (*begin)(seen_store *store, bool durable,
               seen_error *SEEN_NULLABLE error);

  /** Writes a record, whole, in place of the one with its id. */
  int (*put)(seen_store *store, const seen_record *record, const seen_row *row,
             seen_error *SEEN_NULLABLE error);

  /** Deletes a record; one that is not there is no error. */
  int (*remove)(seen_store *store, const char *id,
                seen_error *SEEN_NULLABLE error);

  /** Writes the sums over all rows, and how many records there are. */
  int (*put_totals)(seen_store *store, const seen_totals *totals,
                    uint64_t records, seen_error *SEEN_NULLABLE error);

  int (*put_meta)(seen_store *store, const seen_meta *meta,
                  seen_error *SEEN_NULLABLE error);

  int (*commit)(seen_store *store, seen_error *SEEN_NULLABLE error);

  /** Ends a transaction that is not to be kept; never fails. */
  void (*rollback)(seen_store *store);

  /** Ends the store and frees it. Nothing more is written. */
  void (*close)(seen_store *store);
};

/**
 * A store in memory, which ends with its process: for hosts without a disk
 * and for tests. `allocator` NULL is the default one.
 *
 * Fails with SEEN_ENOMEM.
 *
 * Thread: any. Ownership: the caller closes `*out`. Offline: yes.
 */
SEEN_API int
seen_store_open_memory(const seen_allocator *SEEN_NULLABLE allocator,
                       seen_store *SEEN_NULLABLE *SEEN_NONNULL out,
                       seen_error *SEEN_NULLABLE error);

/**
 * How to open a mirror. Initialise with seen_sqlite_options_init().
 *
 * SQLite takes its own memory from its own allocator.
 */
typedef struct seen_sqlite_options {
  uint32_t size;                    /**< sizeof(seen_sqlite_options) */
  const char *path;                 /**< of the database file, UTF-8; copied */
  const uint8_t *SEEN_NULLABLE key; /**< 32 raw bytes, or NULL: no cipher */
  uint32_t busy_ms; /**< 1000: how long a lock of another is waited for */
  bool read_only;   /**< false: writes nothing and takes no lock of ours */
  const char *SEEN_NULLABLE vfs; /**< a SQLite VFS by name; NULL: default */
  seen_log SEEN_NULLABLE log;
  void *SEEN_NULLABLE log_user_data;
  const seen_allocator *SEEN_NULLABLE allocator; /**< NULL: the default */
} seen_sqlite_options;

/**
 * Fills in the defaults, which stand beside each field above.
 *
 * Thread: any. Ownership: the caller's. Offline: yes.
 */
SEEN_API void seen_sqlite_options_init(seen_sqlite_options *options);

/**
 * Opens the mirror of one user on one device, making or upgrading it.
 *
 * A file that is corrupt, no database, or of a newer schema than this library
 * knows is renamed aside (its name, ".aside-" and the date) and an empty one
 * is begun: `origin` and `origin_code` say so, and the call succeeds.
 *
 * Where the disk is full, fails, is busy or can't be written, but what is
 * there can be read or nothing is there, the call succeeds as well: `trouble`
 * says why nothing can be written yet.
 *
 * Fails with SEEN_ELOCKED where another process has it open for writing,
 * SEEN_EKEY where a key is given and the file can't be read with it (it is
 * not touched), SEEN_EUNSUPPORTED for a SQLite before 3.24, a key where the
 * SQLite linked has no cipher, or a file system without a write-ahead log;
 * SEEN_ENOTFOUND where it is only to be read and is not there; SEEN_EFULL,
 * SEEN_EREADONLY, SEEN_EBUSY, SEEN_EIO, SEEN_ENOMEM where not even reading is
 * possible; SEEN_EINVAL for options that make no sense. Nothing that could be
 * read is lost.
 *
 * Thread: any. Ownership: the caller closes `*out`. Offline: yes.
 */
SEEN_API int seen_store_open_sqlite(const seen_sqlite_options *options,
                                    seen_store *SEEN_NULLABLE *SEEN_NONNULL out,
                                    seen_error *SEEN_NULLABLE error);

/**
 * Sets a mirror aside that no key reads, as a corrupt one is, so that the
 * next open begins an empty one: what a host says after SEEN_EKEY.
 *
 * Fails with SEEN_ELOCKED where another process writes it, SEEN_ENOTFOUND
 * where there is none, SEEN_EREADONLY or SEEN_EIO where it can't be renamed.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API int seen_store_reset(const char *path,
                              seen_error *SEEN_NULLABLE error);

/**
 * The app badge from a mirror, in another process or thread than its writer:
 * read-only, from the totals stored, without blocking the writer or waiting
 * for it. The totals are those of some committed state.
 *
 * `key` is 32 raw bytes or NULL. Fails with SEEN_ENOTFOUND where there is no
 * mirror, SEEN_ECORRUPT, SEEN_ESCHEMA, SEEN_EKEY, SEEN_EBUSY, SEEN_EIO,
 * SEEN_ENOMEM, SEEN_EUNSUPPORTED as opening does; `*totals` is zeroes then,
 * and the file is not touched.
 *
 * Thread: any. Ownership: the caller's struct. Offline: yes.
 */
SEEN_API int seen_badge_read(const char *path, const uint8_t *SEEN_NULLABLE key,
                             seen_totals *totals,
                             seen_error *SEEN_NULLABLE error);

/**
 * One conversation's numbers from a mirror, as seen_badge_read().
 *
 * Fails with SEEN_ENOTFOUND where there is no such row, too.
 *
 * Thread: any. Ownership: the caller's struct. Offline: yes.
 */
SEEN_API int seen_badge_read_conversation(const char *path,
                                          const uint8_t *SEEN_NULLABLE key,
                                          const char *id, seen_row *row,
                                          seen_error *SEEN_NULLABLE error);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
