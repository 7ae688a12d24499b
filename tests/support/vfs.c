#define _XOPEN_SOURCE 700 /* kill() */

#include "support/vfs.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>
#include <unistd.h>
/* cmocka wants some of those. */
#include <cmocka.h>

#include "support/folder.h"

enum { DISKS = 8, SECTOR = 512 };

typedef enum call {
  CALL_OPEN,
  CALL_READ,
  CALL_WRITE,
  CALL_TRUNCATE,
  CALL_SYNC,
  CALL_SIZE,
  CALL_LOCK,
  CALL_SHARE, /* maps a piece of the shared memory */
  CALL_SHARE_LOCK,
  CALL_ACCESS,
  CALL_DELETE
} call;

/* A change that is not synced: a write, or the end of a file. */
typedef struct change {
  sqlite3_int64 at;
  uint8_t *bytes; /* NULL: the file ends at `at` */
  size_t size;
} change;

/* A watched file, as it is on the disk for sure, and what came after. */
typedef struct disk {
  char name[512];
  bool there;
  uint8_t *bytes;
  size_t size;
  change *changes;
  size_t change_count;
} disk;

typedef struct file {
  sqlite3_file base;
  disk *disk; /* NULL: not watched */
  sqlite3_file *real;
} file;

static struct {
  sqlite3_vfs vfs;
  sqlite3_vfs *real;
  test_fault fault;
  uint64_t fail_at;
  bool on;
  uint64_t calls;
  uint64_t failures;
  int number; /* of the operating system's error, for the last failure */
  bool watching;
  bool dead; /* the power failed */
  disk disks[DISKS];
} self;

/* What each call says of a disk that fails. */
static int io_error(call what) {
  switch (what) {
  case CALL_OPEN: return SQLITE_CANTOPEN;
  case CALL_READ: return SQLITE_IOERR_READ;
  case CALL_WRITE: return SQLITE_IOERR_WRITE;
  case CALL_TRUNCATE: return SQLITE_IOERR_TRUNCATE;
  case CALL_SYNC: return SQLITE_IOERR_FSYNC;
  case CALL_SIZE: return SQLITE_IOERR_FSTAT;
  case CALL_LOCK: return SQLITE_IOERR_LOCK;
  case CALL_SHARE: return SQLITE_IOERR_SHMMAP;
  case CALL_SHARE_LOCK: return SQLITE_IOERR_SHMLOCK;
  case CALL_ACCESS: return SQLITE_IOERR_ACCESS;
  default: return SQLITE_IOERR_DELETE;
  }
}

/* What a call says that meets the fault; SQLITE_OK: it can't meet it. */
static int code_of(test_fault fault, call what) {
  bool grows = what == CALL_OPEN || what == CALL_SHARE;
  bool changes = what == CALL_WRITE || what == CALL_TRUNCATE ||
                 what == CALL_SYNC || what == CALL_DELETE;
  switch (fault) {
  case TEST_FAULT_IO:
  case TEST_FAULT_KILL: return io_error(what);
  case TEST_FAULT_FULL:
    if (what == CALL_WRITE) return SQLITE_FULL;
    return grows ? io_error(what) : SQLITE_OK;
  case TEST_FAULT_READONLY:
    if (what == CALL_OPEN) return SQLITE_CANTOPEN;
    return what == CALL_WRITE ? SQLITE_READONLY : SQLITE_OK;
  case TEST_FAULT_BUSY:
    return what == CALL_LOCK || what == CALL_SHARE_LOCK ? SQLITE_BUSY
                                                        : SQLITE_OK;
  case TEST_FAULT_CORRUPT: return what == CALL_READ ? SQLITE_CORRUPT : 0;
  case TEST_FAULT_SHORT:
    return what == CALL_READ ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
  case TEST_FAULT_POWER: return changes ? io_error(what) : SQLITE_OK;
  default: return SQLITE_OK;
  }
}

static int number_of(test_fault fault) {
  switch (fault) {
  case TEST_FAULT_FULL: return ENOSPC;
  case TEST_FAULT_READONLY: return EACCES;
  default: return EIO;
  }
}

/* Counts a call: what it has to say, SQLITE_OK where it goes well. */
static int meet(call what) {
  int code = code_of(self.fault, what);
  if (self.dead) return io_error(what);
  if (code == SQLITE_OK) return SQLITE_OK;
  self.calls++;
  if (!self.fail_at || self.calls < self.fail_at) return SQLITE_OK;
  if (self.calls > self.fail_at && !self.on) return SQLITE_OK;
  self.failures++;
  self.number = number_of(self.fault);
  self.dead = self.fault == TEST_FAULT_POWER;
  return code;
}

static void die(void) {
  kill(getpid(), SIGKILL);
}

static file *file_of(sqlite3_file *base) {
  return (file *)(void *)base;
}

static void *grow(void *items, size_t size) {
  void *grown = realloc(items, size);
  if (!grown) abort();
  return grown;
}

static void note(disk *of, sqlite3_int64 at, const void *bytes, size_t size) {
  change *fresh;
  of->changes = grow(of->changes, (of->change_count + 1) * sizeof *of->changes);
  fresh = &of->changes[of->change_count++];
  *fresh = (change){at, NULL, size};
  if (!bytes) return;
  fresh->bytes = grow(NULL, size);
  memcpy(fresh->bytes, bytes, size);
}

static void resize(disk *of, size_t size) {
  of->bytes = grow(of->bytes, size + 1);
  if (size > of->size) memset(of->bytes + of->size, 0, size - of->size);
  of->size = size;
}

static void put(disk *of, size_t at, const uint8_t *bytes, size_t size) {
  if (at + size > of->size) resize(of, at + size);
  memcpy(of->bytes + at, bytes, size);
}

static void apply(disk *of, const change *one) {
  if (!one->bytes)
    resize(of, (size_t)one->at);
  else
    put(of, (size_t)one->at, one->bytes, one->size);
}

static void forget_changes(disk *of) {
  for (size_t i = 0; i < of->change_count; i++)
    free(of->changes[i].bytes);
  of->change_count = 0;
}

static int close_file(sqlite3_file *base) {
  file *at = file_of(base);
  int code = at->real->pMethods ? at->real->pMethods->xClose(at->real) : 0;
  free(at->real);
  return code;
}

static int read_file(sqlite3_file *base, void *bytes, int size,
                     sqlite3_int64 at) {
  sqlite3_file *real = file_of(base)->real;
  int code = meet(CALL_READ);
  if (code && self.fault == TEST_FAULT_KILL) die();
  if (code == SQLITE_IOERR_SHORT_READ) {
    real->pMethods->xRead(real, bytes, size, at);
    memset((char *)bytes + size / 2, 0, (size_t)(size - size / 2));
  }
  return code ? code : real->pMethods->xRead(real, bytes, size, at);
}

static int write_file(sqlite3_file *base, const void *bytes, int size,
                      sqlite3_int64 at) {
  file *to = file_of(base);
  bool dead = self.dead;
  int code = meet(CALL_WRITE);
  if (code && self.fault == TEST_FAULT_KILL) {
    to->real->pMethods->xWrite(to->real, bytes, size / 2, at);
    die();
  }
  /* The write during which the power fails may have begun. */
  if (to->disk && !dead && (!code || self.dead))
    note(to->disk, at, bytes, (size_t)size);
  return code ? code : to->real->pMethods->xWrite(to->real, bytes, size, at);
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size) {
  file *to = file_of(base);
  int code = meet(CALL_TRUNCATE);
  if (code && self.fault == TEST_FAULT_KILL) die();
  if (code) return code;
  if (to->disk) note(to->disk, size, NULL, 0);
  return to->real->pMethods->xTruncate(to->real, size);
}

static int sync_file(sqlite3_file *base, int flags) {
  file *to = file_of(base);
  int code = meet(CALL_SYNC);
  (void)flags;
  if (code && self.fault == TEST_FAULT_KILL) die();
  if (code || !to->disk) return code;
  for (size_t i = 0; i < to->disk->change_count; i++)
    apply(to->disk, &to->disk->changes[i]);
  forget_changes(to->disk);
  to->disk->there = true;
  return SQLITE_OK;
}

#define PASS(name, what, parameters, ...)                                      \
  static int name parameters {                                                 \
    sqlite3_file *real = file_of(base)->real;                                  \
    int code = meet(what);                                                     \
    if (code && self.fault == TEST_FAULT_KILL) die();                          \
    return code ? code : real->pMethods->__VA_ARGS__;                          \
  }

PASS(size_file, CALL_SIZE, (sqlite3_file * base, sqlite3_int64 *size),
     xFileSize(real, size))
PASS(lock_file, CALL_LOCK, (sqlite3_file * base, int level), xLock(real, level))
PASS(share_map, CALL_SHARE,
     (sqlite3_file * base, int page, int size, int extend,
      void volatile **memory),
     xShmMap(real, page, size, extend, memory))

static int unlock_file(sqlite3_file *base, int level) {
  sqlite3_file *real = file_of(base)->real;
  return real->pMethods->xUnlock(real, level);
}

static int check_lock(sqlite3_file *base, int *reserved) {
  sqlite3_file *real = file_of(base)->real;
  return real->pMethods->xCheckReservedLock(real, reserved);
}

static int control_file(sqlite3_file *base, int operation, void *argument) {
  sqlite3_file *real = file_of(base)->real;
  return real->pMethods->xFileControl(real, operation, argument);
}

static int sector_size(sqlite3_file *base) {
  sqlite3_file *real = file_of(base)->real;
  return real->pMethods->xSectorSize(real);
}

static int characteristics(sqlite3_file *base) {
  sqlite3_file *real = file_of(base)->real;
  return real->pMethods->xDeviceCharacteristics(real);
}

/* To let a lock go never fails. */
static int share_lock(sqlite3_file *base, int first, int count, int flags) {
  sqlite3_file *real = file_of(base)->real;
  int code = (flags & SQLITE_SHM_LOCK) ? meet(CALL_SHARE_LOCK) : SQLITE_OK;
  if (code && self.fault == TEST_FAULT_KILL) die();
  return code ? code : real->pMethods->xShmLock(real, first, count, flags);
}

static void share_barrier(sqlite3_file *base) {
  sqlite3_file *real = file_of(base)->real;
  real->pMethods->xShmBarrier(real);
}

static int share_unmap(sqlite3_file *base, int drop) {
  sqlite3_file *real = file_of(base)->real;
  return real->pMethods->xShmUnmap(real, drop);
}

/* No memory-mapped reads: each read is a call. */
static const sqlite3_io_methods METHODS = {.iVersion = 2,
                                           .xClose = close_file,
                                           .xRead = read_file,
                                           .xWrite = write_file,
                                           .xTruncate = truncate_file,
                                           .xSync = sync_file,
                                           .xFileSize = size_file,
                                           .xLock = lock_file,
                                           .xUnlock = unlock_file,
                                           .xCheckReservedLock = check_lock,
                                           .xFileControl = control_file,
                                           .xSectorSize = sector_size,
                                           .xDeviceCharacteristics =
                                               characteristics,
                                           .xShmMap = share_map,
                                           .xShmLock = share_lock,
                                           .xShmBarrier = share_barrier,
                                           .xShmUnmap = share_unmap};

static disk *disk_of(const char *name) {
  for (size_t i = 0; i < DISKS; i++)
    if (strcmp(self.disks[i].name, name) == 0) return &self.disks[i];
  return NULL;
}

/* Reads what is there by SQLite's own descriptor: to open and close another
 * one would end its locks. */
static disk *watch(const char *name, sqlite3_file *real) {
  disk *of = disk_of(name);
  sqlite3_int64 size = 0;
  if (of) return of;
  of = disk_of("");
  if (!of || strlen(name) >= sizeof of->name) abort();
  strcpy(of->name, name);
  real->pMethods->xFileSize(real, &size);
  resize(of, (size_t)size);
  if (size > 0) real->pMethods->xRead(real, of->bytes, (int)size, 0);
  of->there = size > 0;
  return of;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *base,
                     int flags, int *out) {
  file *made = file_of(base);
  bool kept = (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL |
                        SQLITE_OPEN_MAIN_JOURNAL)) != 0;
  int code = meet(CALL_OPEN);
  (void)vfs;
  made->base.pMethods = NULL;
  if (code && self.fault == TEST_FAULT_KILL) die();
  if (code) return code;
  made->disk = NULL;
  made->real = calloc(1, (size_t)self.real->szOsFile);
  if (!made->real) return SQLITE_NOMEM;
  code = self.real->xOpen(self.real, name, made->real, flags, out);
  if (code) {
    close_file(base);
    return code;
  }
  made->base.pMethods = &METHODS;
  if (self.watching && kept && name) made->disk = watch(name, made->real);
  return SQLITE_OK;
}

/* A file that is gone comes back with the power, unless its folder was synced:
 * that is the harder case. */
static int delete_file(sqlite3_vfs *vfs, const char *name, int synced) {
  int code = meet(CALL_DELETE);
  disk *of = disk_of(name);
  (void)vfs;
  if (code && self.fault == TEST_FAULT_KILL) die();
  if (code) return code;
  if (of && synced) {
    forget_changes(of);
    resize(of, 0);
    of->there = false;
  }
  return self.real->xDelete(self.real, name, synced);
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags,
                       int *out) {
  int code = meet(CALL_ACCESS);
  (void)vfs;
  if (code && self.fault == TEST_FAULT_KILL) die();
  return code ? code : self.real->xAccess(self.real, name, flags, out);
}

static int full_name(sqlite3_vfs *vfs, const char *name, int size, char *out) {
  (void)vfs;
  return self.real->xFullPathname(self.real, name, size, out);
}

static int last_error(sqlite3_vfs *vfs, int size, char *text) {
  (void)vfs;
  return self.number ? self.number
                     : self.real->xGetLastError(self.real, size, text);
}

/* Whoever waits for a lock here waits for nobody. */
static int wait_for(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return microseconds;
}

void test_vfs_begin(void) {
  memset(&self, 0, sizeof self);
  self.real = sqlite3_vfs_find(NULL);
  assert_non_null(self.real);
  self.vfs = *self.real;
  self.vfs.pNext = NULL;
  self.vfs.zName = TEST_VFS;
  self.vfs.szOsFile = (int)sizeof(file);
  self.vfs.xOpen = open_file;
  self.vfs.xDelete = delete_file;
  self.vfs.xAccess = access_file;
  self.vfs.xFullPathname = full_name;
  self.vfs.xSleep = wait_for;
  self.vfs.xGetLastError = last_error;
  assert_int_equal(sqlite3_vfs_register(&self.vfs, 0), SQLITE_OK);
}

static void end_watch(void) {
  for (size_t i = 0; i < DISKS; i++) {
    forget_changes(&self.disks[i]);
    free(self.disks[i].changes);
    free(self.disks[i].bytes);
    self.disks[i] = (disk){.there = false};
  }
  self.watching = self.dead = false;
}

void test_vfs_end(void) {
  end_watch();
  sqlite3_vfs_unregister(&self.vfs);
}

void test_vfs_fail(test_fault fault, uint64_t n, bool on) {
  self.fault = fault;
  self.fail_at = n;
  self.on = on;
  self.calls = self.failures = 0;
  self.number = 0;
}

uint64_t test_vfs_failures(void) {
  return self.failures;
}

uint64_t test_vfs_calls(void) {
  return self.calls;
}

void test_vfs_watch(void) {
  end_watch();
  self.watching = true;
}

static bool survives(test_tear tear, test_random *random) {
  return tear == TEST_TEAR_KEPT ||
         (tear != TEST_TEAR_LOST && test_random_below(random, 2));
}

static void tear_one(disk *of, const change *one, test_tear tear,
                     test_random *random) {
  if (!one->bytes || tear != TEST_TEAR_SECTORS) {
    if (survives(tear, random)) apply(of, one);
    return;
  }
  for (size_t done = 0; done < one->size;) {
    size_t at = (size_t)one->at + done;
    size_t size = SECTOR - at % SECTOR;
    if (size > one->size - done) size = one->size - done;
    if (survives(tear, random)) put(of, at, one->bytes + done, size);
    done += size;
  }
}

/* A file that was never synced may not be there, or with what it got. */
void test_vfs_restore(test_tear tear, test_random *random) {
  for (size_t i = 0; i < DISKS; i++) {
    disk *of = &self.disks[i];
    if (!of->name[0]) continue;
    for (size_t n = 0; n < of->change_count; n++)
      tear_one(of, &of->changes[n], tear, random);
    if (of->there || of->size > 0)
      test_file_write(of->name, of->bytes, of->size);
    else
      unlink(of->name);
  }
  end_watch();
}
