#include "sim/backup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/backend.h"
#include "sim/rules.h"

enum { DOWN_MS = 2000 };

bool backup_note(sim_world *sim, const char *user, const char *frame) {
  const char *at = strstr(frame, "\"op\":\"");
  sim_op said;

  if (at == NULL) return false;
  memset(&said, 0, sizeof said);
  snprintf(said.user, sizeof said.user, "%s", user);
  snprintf(said.op, sizeof said.op, "%.*s", (int)strcspn(at + 6, "\""), at + 6);
  for (size_t i = sim->op_count; i-- > 0;)
    if (memcmp(&sim->ops[i], &said, sizeof said) == 0) {
      sim_met(sim, SIM_FAULT_AGAIN);
      return true;
    }
  if (sim->op_count % 64 == 0)
    sim->ops = realloc(sim->ops, (sim->op_count + 64) * sizeof *sim->ops);
  if (sim->ops == NULL) abort();
  sim->ops[sim->op_count++] = said;
  return false;
}

static int copy_member(void *to, const stored_membership *found) {
  const storage *copy = to;

  return copy->put_member(copy->self, &found->member);
}

static void copy_conversation(const storage *from, storage *to,
                              const char *conv) {
  stored_conversation found;
  stored_message message;
  uint64_t last;

  if (from->get_conversation(from->self, conv, &found) != SEEN_OK) return;
  last = found.last_seq;
  to->put_conversation(to->self, &found);
  from->each_member(from->self, conv, to, copy_member);
  for (uint64_t seq = 1; seq <= last; seq++)
    if (from->get_message(from->self, conv, seq, &message) == SEEN_OK)
      to->put_message(to->self, &message);
}

/* All that a simulation puts there; what is read lives until the next call. */
static storage copy_storage(const sim_world *sim, const storage *from,
                            const char *incarnation) {
  stored_user user;
  stored_root root;
  stored_op op;
  storage to;

  if (storage_memory_open(&to, incarnation) != SEEN_OK) abort();
  to.begin(to.self);
  for (uint32_t i = 0; i < sim->plan.users; i++)
    if (from->get_user(from->self, sim_user(i), &user) == SEEN_OK)
      to.put_user(to.self, &user);
  for (uint32_t i = 0; i < sim->plan.convs; i++)
    copy_conversation(from, &to, sim_conv(i));
  for (size_t i = 0; i < sim->op_count; i++)
    if (from->get_op(from->self, sim->ops[i].user, sim->ops[i].op, &op) ==
        SEEN_OK)
      to.put_op(to.self, &op);
  from->get_root(from->self, &root);
  to.commit(to.self, root.version);
  return to;
}

static bool copy_file(const char *from, const char *to) {
  char bytes[65536];
  size_t size;
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  bool good = in != NULL && out != NULL;

  while (good && (size = fread(bytes, 1, sizeof bytes, in)) > 0)
    good = fwrite(bytes, 1, size, out) == size;
  if (in != NULL) fclose(in);
  if (out != NULL) fclose(out);
  return good;
}

/* The server's files, by the ends of their names. */
static const char *const files[] = {"", "-wal"};

static void copy_files(const sim_world *sim, const char *from, const char *to) {
  char one[400], other[400];

  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(one, sizeof one, "%s/%s%s", sim->folder.path, from, files[i]);
    snprintf(other, sizeof other, "%s/%s%s", sim->folder.path, to, files[i]);
    if (!copy_file(one, other)) unlink(other);
  }
  snprintf(other, sizeof other, "%s/%s-shm", sim->folder.path, to);
  unlink(other);
}

/* Files of a moment between transactions are a state that was; in memory a
 * transaction is open until the turn ends. */
bool backup_take(sim_world *sim) {
  if (!sim->plan.backups || sim->server == NULL) return false;
  if (sim->plan.sqlite_server) {
    copy_files(sim, "server.db", "backup.db");
  } else if (sim->commit_planned) {
    return false;
  } else {
    backup_end(sim);
    sim->backup = copy_storage(sim, &sim->disk.inner, "backup");
  }
  sim->has_backup = true;
  return true;
}

static storage put_back(sim_world *sim, const char *incarnation) {
  char path[400];
  storage inner;

  if (!sim->plan.sqlite_server) {
    sim_met(sim, SIM_FAULT_MEMORY_BACK);
    return copy_storage(sim, &sim->backup, incarnation);
  }
  copy_files(sim, "backup.db", "server.db");
  snprintf(path, sizeof path, "%s/server.db", sim->folder.path);
  if (storage_sqlite_open(&inner, path, incarnation, NULL) != SEEN_OK ||
      inner.put_incarnation(inner.self, incarnation) != SEEN_OK)
    abort(); /* the backup does not open */
  sim_met(sim, SIM_FAULT_SQLITE_BACK);
  return inner;
}

bool backup_restore(sim_world *sim) {
  char incarnation[32];

  if (!sim->has_backup || !backend_crash(sim, DOWN_MS)) return false;
  sim->disk.inner.close(sim->disk.inner.self);
  snprintf(incarnation, sizeof incarnation, "restored-%" PRIu64,
           ++sim->history);
  faulty_begin(&sim->disk, put_back(sim, incarnation));
  rules_restored(sim);
  return true;
}

void backup_end(sim_world *sim) {
  if (sim->plan.sqlite_server || !sim->has_backup) return;
  sim->backup.close(sim->backup.self);
  sim->has_backup = false;
}
