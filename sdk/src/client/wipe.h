/* What an account leaves behind on a device, and its end. */
#ifndef SN_CLIENT_WIPE_H
#define SN_CLIENT_WIPE_H

#include <seen/sys/engine.h>
#include <seen/sys/store.h>

/* Deletes what is written of each conversation, and all else. */
int sn_wipe_store(seen_store *store, const seen_engine *engine);

/*
 * Deletes the mirror at `path`, which is closed, and the recorder's files; each
 * may be NULL. All that can be deleted is; the first failure is told.
 */
int sn_wipe_files(const char *path, const char *recorder_path,
                  const seen_allocator *memory, seen_error *error);

#endif
