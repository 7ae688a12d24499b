/*
 * A database that can't be used is kept under another name, for whoever wants
 * to look at it. The database goes first: its log without it is nothing, and
 * is dropped by SQLite where the rest was interrupted; it without its log
 * could pass for an older state.
 */
#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/sqlite.h"

static int rename_tail(const seen_allocator *memory, const char *from,
                       const char *to, const char *tail, seen_error *error) {
  char *old = sn_path_with(memory, from, tail);
  char *fresh = sn_path_with(memory, to, tail);
  int status = old && fresh ? sn_platform_rename(old, fresh, error)
                            : sn_fail_memory(error);
  sn_release(memory, old);
  sn_release(memory, fresh);
  return status;
}

/* A name that is free: that of the date, or of it and a number. */
static int choose(sn_text *name, const char *path, seen_error *error) {
  char date[SN_DATE_MAX];
  uint64_t size;
  int status = SEEN_OK;
  sn_platform_date(date);
  for (uint64_t i = 0; !status && i < 1000; i++) {
    name->length = 0;
    sn_text_format(name, i ? "%s.aside-%s-%u" : "%s.aside-%s", path, date, i);
    if (name->status) return sn_fail_memory(error);
    status = sn_platform_size(name->bytes, &size, error);
  }
  return status == SEEN_ENOTFOUND ? SEEN_OK
         : status                 ? status
                                  : sn_fail(error, SEEN_EIO, "no free name");
}

int sn_set_aside(const seen_allocator *memory, const char *path,
                 seen_error *error) {
  static const char *const rest[] = {"-wal", "-shm", "-journal"};
  sn_text name;
  int status;
  sn_text_growing(&name, memory);
  status = choose(&name, path, error);
  if (!status) status = sn_platform_rename(path, name.bytes, error);
  for (size_t i = 0; !status && i < sizeof rest / sizeof *rest; i++) {
    status = rename_tail(memory, path, name.bytes, rest[i], error);
    if (status == SEEN_ENOTFOUND) status = SEEN_OK;
  }
  sn_text_free(&name);
  return status;
}

int seen_store_reset(const char *path, seen_error *error) {
  const seen_allocator *memory = seen_allocator_default();
  char *name = sn_lock_path(memory, path);
  sn_lock lock;
  int status;
  uint64_t size;
  if (!name) return sn_fail_memory(error);
  status = sn_platform_size(path, &size, error);
  if (!status) status = sn_platform_lock(name, &lock, error);
  sn_release(memory, name);
  if (status) return status;
  status = sn_set_aside(memory, path, error);
  sn_platform_unlock(&lock);
  return status;
}
