/*
 * A file in place of a mirror's database: it is used, or set aside for an empty
 * one; what is loaded an engine can take or refuse; what is written into it is
 * there after it was closed.
 */
#include "fuzz/holds.h"
#include "fuzz/target.h"

#include "support/folder.h"
#include "support/record.h"
#include "support/vfs.h"

#include <seen/sys/store.h>

#include <string.h>

static int restore(const seen_record *record, const seen_row *row,
                   void *user_data) {
  (void)row;
  (void)seen_engine_restore(user_data, record, NULL);
  return SEEN_OK;
}

static void load(seen_store *store) {
  seen_input tick = {.size = (uint32_t)sizeof tick};
  seen_options options;
  seen_engine *engine;
  seen_totals totals;
  seen_meta meta = {.size = (uint32_t)sizeof meta};
  uint64_t records;

  seen_options_init(&options);
  options.user = "u1";
  options.allocator = target_memory();
  REQUIRE(seen_engine_new(&options, 0, &engine, NULL) == SEEN_OK);
  (void)store->meta(store, &meta, NULL);
  (void)store->totals(store, &totals, &records, NULL);
  (void)store->load(store, restore, engine, NULL);
  REQUIRE(seen_engine_feed(engine, &tick, 0, NULL) == SEEN_OK);
  holds_effects(engine);
  holds_now(engine);
  seen_engine_free(engine);
}

/* Where it can't be, what is there is bad: the next attempt sets it aside. */
static bool write_one(seen_store *store) {
  const seen_record record = test_record_plain("fresh", 7);
  const seen_row row = test_row(3);
  const seen_totals totals = {3, 1, 0, 0};

  if (store->begin(store, false, NULL) == SEEN_OK &&
      store->put(store, &record, &row, NULL) == SEEN_OK &&
      store->put_totals(store, &totals, 1, NULL) == SEEN_OK &&
      store->commit(store, NULL) == SEEN_OK)
    return true;
  store->rollback(store);
  return false;
}

static void use(const seen_sqlite_options *options) {
  seen_store *store;
  seen_totals totals;
  seen_row row = {.size = (uint32_t)sizeof row};
  int status = seen_store_open_sqlite(options, &store, NULL);

  if (status != SEEN_OK) return;
  load(store);
  REQUIRE(write_one(store) || write_one(store));
  store->close(store);
  (void)seen_badge_read(options->path, NULL, &totals, NULL);
  (void)seen_badge_read_conversation(options->path, NULL, "fresh", &row, NULL);
  REQUIRE(seen_store_open_sqlite(options, &store, NULL) == SEEN_OK);
  load(store);
  store->close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static bool begun;
  seen_sqlite_options options;
  test_folder folder = {""};

  if (!begun) test_vfs_begin();
  begun = true;
  test_folder_make(&folder);
  seen_sqlite_options_init(&options);
  options.path = test_folder_file(&folder, "mirror.db");
  options.vfs = TEST_VFS;
  test_file_write(options.path, bytes, size);
  use(&options);
  test_folder_remove(&folder);
  return 0;
}
