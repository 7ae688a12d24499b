/*
 * A store is emptied before its files are deleted: where that can't be done
 * they hold nothing. The lock's file goes last, while it is held.
 */
#include "client/wipe.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/text.h"

static int remove_records(seen_store *store, const seen_engine *engine) {
  const char *id;
  int status = SEEN_OK;
  for (seen_conv conv = 1; !status && (id = seen_engine_id(engine, conv));
       conv++)
    status = store->remove(store, id, NULL);
  return status;
}

int sn_wipe_store(seen_store *store, const seen_engine *engine) {
  static const seen_totals none = {0};
  static const seen_meta nobody = {sizeof nobody, "", "", "", 0};
  int status = store->begin(store, true, NULL);
  if (!status) status = remove_records(store, engine);
  if (!status) status = store->put_totals(store, &none, 0, NULL);
  if (!status) status = store->put_meta(store, &nobody, NULL);
  if (!status) status = store->commit(store, NULL);
  if (status) store->rollback(store);
  return status;
}

/* Of files that belong together. */
typedef struct wiping {
  const seen_allocator *memory;
  seen_error *error;
  int status; /* of the first that failed */
} wiping;

static char *name_of(const wiping *w, const char *path, const char *tail) {
  sn_text name;
  sn_text_growing(&name, w->memory);
  sn_text_format(&name, "%s%s", path, tail);
  if (!name.status) return name.bytes;
  sn_text_free(&name);
  return NULL;
}

static void remember(wiping *w, int status, const seen_error *why) {
  if (!status || status == SEEN_ENOTFOUND || w->status) return;
  w->status = status;
  if (w->error) *w->error = *why;
}

static void remove_file(wiping *w, const char *path, const char *tail) {
  seen_error why = SEEN_ERROR_INIT;
  char *name = name_of(w, path, tail);
  int status = name ? sn_platform_remove(name, &why) : sn_fail_memory(&why);
  remember(w, status, &why);
  sn_release(w->memory, name);
}

static void remove_mirror(wiping *w, const char *path) {
  static const char *const tails[] = {"-wal", "-shm", "-journal", "", "-lock"};
  seen_error why = SEEN_ERROR_INIT;
  char *name = name_of(w, path, "-lock");
  sn_lock lock;
  int status =
      name ? sn_platform_lock(name, &lock, &why) : sn_fail_memory(&why);
  sn_release(w->memory, name);
  remember(w, status, &why);
  if (status) return;
  for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
    remove_file(w, path, tails[i]);
  sn_platform_unlock(&lock);
}

int sn_wipe_files(const char *path, const char *recorder_path,
                  const seen_allocator *memory, seen_error *error) {
  wiping w = {memory, error, SEEN_OK};
  if (path) remove_mirror(&w, path);
  if (recorder_path) {
    remove_file(&w, recorder_path, "-0");
    remove_file(&w, recorder_path, "-1");
  }
  return w.status;
}
