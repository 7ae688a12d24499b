/*
 * When all has gone quiet: every device of a user, the server's word, and a
 * recount of every message say the same, and nothing is under way.
 */
#include <inttypes.h>
#include <seen/sys/working.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recount.h"
#include "sim/backend.h"
#include "sim/device.h"
#include "sim/positions.h"
#include "sim/rules.h"

/* One user's part in one conversation, recounted from what is stored. */
typedef struct sim_counted {
  sim_world *sim;
  uint32_t user;
  bool there;
  uint64_t base; /* what is at or below is not unread */
  seen_position read;
  uint64_t unread;
} sim_counted;

static int find_member(void *user_data, const stored_membership *found) {
  sim_counted *of = user_data;
  const stored_member *member = &found->member;

  if (strcmp(member->user, sim_user(of->user)) != 0) return SEEN_OK;
  of->there = member->leave_seq == SEEN_SEQ_MAX;
  of->read = member->read;
  of->base = member->read.seq;
  if (member->join_seq > 0 && member->join_seq - 1 > of->base)
    of->base = member->join_seq - 1;
  return SEEN_OK;
}

static int count_message(void *user_data, const stored_message *found) {
  sim_counted *of = user_data;

  if (found->seq > of->base && found->state == 0 &&
      strcmp(found->from, sim_user(of->user)) != 0)
    of->unread++;
  return SEEN_OK;
}

static sim_counted recount_user(sim_world *sim, uint32_t conv, uint32_t user) {
  const storage *disk = &sim->disk.inner;
  sim_counted of = {.sim = sim, .user = user};

  disk->each_member(disk->self, sim_conv(conv), &of, find_member);
  if (of.there)
    disk->each_before(disk->self, sim_conv(conv), SEEN_SEQ_MAX, 100000, &of,
                      count_message);
  return of;
}

/* The server's rows of a user, page by page, as it answers. */
typedef struct sim_rows {
  struct {
    sn_frame_reader reader;
    response answer;
    const sn_changes *changes;
  } pages[SIM_CONVS + 1];
  size_t count;
} sim_rows;

static bool open_page(sim_world *sim, uint32_t user, uint64_t after,
                      sim_rows *rows) {
  size_t at = rows->count++;
  const sn_frame *frame;
  char path[64];

  snprintf(path, sizeof path, "/im/conversations?after=%" PRIu64 "&limit=200",
           after);
  sn_frame_reader_init(&rows->pages[at].reader, seen_allocator_default());
  rows->pages[at].answer = backend_ask(sim, user, path);
  if (sn_frame_read(&rows->pages[at].reader, rows->pages[at].answer.body,
                    rows->pages[at].answer.length, &frame, NULL) != SEEN_OK ||
      frame->type != SN_FRAME_CHANGES) {
    sim_fail(sim, "%s: its rows can't be read", sim_user(user));
    rows->pages[at].changes = NULL;
    return false;
  }
  rows->pages[at].changes = &frame->u.changes;
  return true;
}

static void open_rows(sim_world *sim, uint32_t user, sim_rows *rows) {
  uint64_t after = 0;

  rows->count = 0;
  while (rows->count <= SIM_CONVS && open_page(sim, user, after, rows)) {
    const sn_changes *page = rows->pages[rows->count - 1].changes;

    after = page->version;
    if (!page->more) break;
  }
}

static void close_rows(sim_rows *rows) {
  for (size_t i = 0; i < rows->count; i++) {
    sn_frame_reader_free(&rows->pages[i].reader);
    response_free(&rows->pages[i].answer);
  }
}

static const seen_snapshot *row_in(const sn_changes *page, uint32_t conv) {
  for (size_t i = 0; page != NULL && i < page->count; i++)
    if (strcmp(page->rows[i].id, sim_conv(conv)) == 0 &&
        (page->rows[i].snapshot.fields & SEEN_SNAPSHOT_LEAVE_SEQ) == 0)
      return &page->rows[i].snapshot;
  return NULL;
}

static const seen_snapshot *row_of(const sim_rows *rows, uint32_t conv) {
  for (size_t i = 0; i < rows->count; i++)
    if (row_in(rows->pages[i].changes, conv) != NULL)
      return row_in(rows->pages[i].changes, conv);
  return NULL;
}

static void compare_row(sim_world *sim, const sim_device *device, uint32_t conv,
                        const seen_snapshot *row, const seen_state *state) {
  const seen_word *word = &row->word;
  const seen_position *held = &state->server_read;

  if (held->epoch != word->read.epoch || held->seq != word->read.seq)
    sim_fail(sim,
             "P1: %s holds (%" PRIu64 ",%" PRIu64 ") of %s, the server "
             "(%" PRIu64 ",%" PRIu64 ")",
             device->name, held->epoch, held->seq, sim_conv(conv),
             word->read.epoch, word->read.seq);
  if (state->unread != word->unread || state->last_seq != word->last_seq)
    sim_fail(sim,
             "U1: %s shows %" PRIu64 " unread of %" PRIu64
             " in %s, the server %" PRIu64 " of %" PRIu64,
             device->name, state->unread, state->last_seq, sim_conv(conv),
             word->unread, word->last_seq);
  if (state->mentions != word->mention_count)
    sim_fail(sim, "M2: %s shows %" PRIu64 " mentions in %s, the server %zu",
             device->name, state->mentions, sim_conv(conv),
             word->mention_count);
  if (state->muted != row->muted || state->pinned != row->pinned)
    sim_fail(sim, "V5: %s and the server differ in what is muted or pinned",
             device->name);
  if (state->pending)
    sim_fail(sim, "V5: %s still has something of %s to send", device->name,
             sim_conv(conv));
  /* What waits for approval is there for its sender alone. */
  if (!sim->restored && !sim->plan.moderated[conv] &&
      state->updated_at != row->updated_at)
    sim_fail(sim, "B3: %s has %s at %" PRIu64 ", the server at %" PRIu64,
             device->name, sim_conv(conv), state->updated_at, row->updated_at);
  if (!state->exact)
    sim_fail(sim, "U6: %s is not sure of %s", device->name, sim_conv(conv));
}

static void compare_device(sim_world *sim, const sim_device *device,
                           const sim_rows *rows) {
  for (uint32_t i = 0; i < sim->plan.convs; i++) {
    const seen_snapshot *row = row_of(rows, i);
    seen_state state;
    bool has = device_state(device, i, &state);

    if (has != (row != NULL))
      sim_fail(sim, "B4: %s %s a row of %s", device->name,
               has ? "still has" : "lacks", sim_conv(i));
    else if (has)
      compare_row(sim, device, i, row, &state);
    /* Mark all as read may have passed more own messages than it knew of; of
     * these a restored server is not told. */
    if (has && device->claim[i] > sim->marked[i][device->user] &&
        state.read_seq < device->claim[i] &&
        !(sim->restored &&
          rules_nothing_unread(sim, i, device->user, state.read_seq,
                               device->claim[i])))
      sim_fail(sim, "S6: %s had read %s up to %" PRIu64 ", and has to %" PRIu64,
               device->name, sim_conv(i), device->claim[i], state.read_seq);
  }
}

static void compare_user(sim_world *sim, uint32_t user) {
  sim_rows rows;

  open_rows(sim, user, &rows);
  for (uint32_t i = 0; i < sim->plan.convs; i++) {
    sim_counted of = recount_user(sim, i, user);
    const seen_snapshot *row = row_of(&rows, i);

    if (of.there != (row != NULL))
      sim_fail(sim, "S5: the server has a row of %s for %s by half",
               sim_conv(i), sim_user(user));
    else if (of.there && of.base >= row->word.floor &&
             of.unread != row->word.unread)
      sim_fail(sim,
               "U1: %s has %" PRIu64 " unread in %s by every message, "
               "%" PRIu64 " by the server",
               sim_user(user), of.unread, sim_conv(i), row->word.unread);
  }
  for (size_t i = 0; i < sim->device_count; i++)
    if (sim->devices[i].user == user)
      compare_device(sim, &sim->devices[i], &rows);
  close_rows(&rows);
}

static void expect_row(const seen_snapshot *row, uint32_t conv, FILE *out) {
  fprintf(
      out,
      "{\"expect\":{\"conv\":\"%s\",\"unread\":%" PRIu64
      ",\"exact\":true,\"last_seq\":%" PRIu64
      ",\"mentions\":%zu,\"pending\":false,\"server_read\":{\"epoch\":%" PRIu64
      ",\"seq\":%" PRIu64 "},\"muted\":%s,\"pinned\":%s}}\n",
      sim_conv(conv), row->word.unread, row->word.last_seq,
      row->word.mention_count, row->word.read.epoch, row->word.read.seq,
      row->muted ? "true" : "false", row->pinned ? "true" : "false");
}

/* Before all is quiet: what is exact is what a recount says. */
static void expect_count(const sim_world *sim, const sim_device *device,
                         uint32_t conv, FILE *out) {
  seen_state state;
  sim_range may;

  if (device_state(device, conv, &state) && state.exact &&
      rules_recount(sim, device, conv, &state, &may) && may.least == may.most)
    fprintf(out, "{\"expect\":{\"conv\":\"%s\",\"unread\":%" PRIu64 "}}\n",
            sim_conv(conv), may.least);
}

void rules_expect(sim_world *sim, const sim_device *device, FILE *out) {
  bool settled = sim->healed && sim->server != NULL;
  sim_rows rows;

  fprintf(out, "{\"at\":%" PRIu64 ",\"tick\":{}}\n", device_now(device));
  if (settled) open_rows(sim, device->user, &rows);
  for (uint32_t i = 0; i < sim->plan.convs; i++) {
    if (!settled)
      expect_count(sim, device, i, out);
    else if (row_of(&rows, i) != NULL)
      expect_row(row_of(&rows, i), i, out);
    else
      fprintf(out, "{\"expect\":{\"conv\":\"%s\",\"absent\":true}}\n",
              sim_conv(i));
  }
  if (settled) close_rows(&rows);
}

/* How often each message that was sent is there. */
typedef struct sim_found {
  sim_world *sim;
  uint32_t times[SIM_SENT_MAX];
} sim_found;

static int find_sent(void *user_data, const stored_message *message) {
  sim_found *found = user_data;
  unsigned long number;

  if (message->body == NULL || message->body[0] != 'm') return SEEN_OK;
  number = strtoul(message->body + 1, NULL, 10);
  if (number < found->sim->sent_count) found->times[number]++;
  return SEEN_OK;
}

static void check_sent(sim_world *sim) {
  const storage *disk = &sim->disk.inner;
  sim_found found = {.sim = sim};
  stored_message message;

  for (uint32_t i = 0; i < sim->plan.convs; i++)
    disk->each_before(disk->self, sim_conv(i), SEEN_SEQ_MAX, 100000, &found,
                      find_sent);
  for (size_t i = 0; i < sim->sent_count; i++) {
    const sim_sent *sent = &sim->sent[i];

    if (found.times[i] > 1)
      sim_fail(sim, "%s is there %u times", sent->body, found.times[i]);
    if (sent->known && !sent->lost && found.times[i] == 0 &&
        disk->get_message(disk->self, sim_conv(sent->conv), sent->seq,
                          &message) == SEEN_OK &&
        message.state == 0)
      sim_fail(sim, "%s was acknowledged, and is not there", sent->body);
  }
}

static void print_recount(void *user_data, const char *line) {
  sim_fail(user_data, "the server's recount: %s", line);
}

static uint64_t number_after(const char *text, const char *name) {
  const char *at = text == NULL ? NULL : strstr(text, name);

  return at == NULL ? UINT64_MAX : strtoull(at + strlen(name), NULL, 10);
}

/* R1, R2: what a device knows by positions is what the server counts. */
static void compare_receipts(sim_world *sim, const sim_device *device,
                             const sim_sent *sent) {
  seen_engine *engine = seen_mirror_engine(device->mirror);
  seen_conv conv = seen_engine_find(engine, sim_conv(sent->conv));
  seen_receipt receipt = {.size = sizeof receipt};
  char path[128];
  response answer;
  uint64_t read, audience;

  if (conv == 0 ||
      seen_engine_receipt(engine, conv, sent->seq, &receipt) != SEEN_OK)
    return;
  snprintf(path, sizeof path, "/im/messages/%s%%3A%" PRIu64 "/read-receipts",
           sim_conv(sent->conv), sent->seq);
  answer = backend_ask(sim, device->user, path);
  read = number_after(answer.body, "\"read\":");
  audience = number_after(answer.body, "\"audience\":");
  if (answer.status == 200 &&
      (receipt.read != read || receipt.audience != audience))
    sim_fail(sim,
             "R2: %s says that %s %" PRIu64 " was read by %" PRIu64
             " of %" PRIu64 ", the server %" PRIu64 " of %" PRIu64,
             device->name, sim_conv(sent->conv), sent->seq, receipt.read,
             receipt.audience, read, audience);
  response_free(&answer);
}

/* Where positions travel to everybody: few members for all of its life. Of two
 * people the audience is one, whether their receipts are on or not, and whether
 * their accounts are (R1). */
static bool has_positions(const sim_world *sim, uint32_t conv) {
  if (sim->plan.kinds[conv] == 0 &&
      (sim->accounts + sim->facts[conv].members[0].secret_count +
               sim->facts[conv].members[1].secret_count >
           0 ||
       (sim->restored && sim->receipts_changed)))
    return false;
  return sim->plan.kinds[conv] != 3 &&
         sim->plan.peer_limit > sim->plan.users + 1;
}

static void check_receipts(sim_world *sim) {
  for (size_t i = 0; i < sim->sent_count; i++) {
    const sim_sent *sent = &sim->sent[i];
    stored_message message;

    if (sent->seq == 0 || sent->lost || !has_positions(sim, sent->conv) ||
        sim->disk.inner.get_message(sim->disk.inner.self, sim_conv(sent->conv),
                                    sent->seq, &message) != SEEN_OK ||
        message.state != 0)
      continue;
    for (size_t k = 0; k < sim->device_count; k++)
      /* Counts are of when it was on screen (R5). */
      if (sim->devices[k].user == sent->user &&
          !(sim->devices[k].counted && sim->receipts_changed))
        compare_receipts(sim, &sim->devices[k], sent);
  }
}

/* Nothing is under way, and nothing waits. */
static void check_queues(sim_world *sim) {
  const metrics *at_server = server_metrics(sim->server);
  uint64_t links = 0;

  for (size_t i = 0; i < sim->link_count; i++)
    if (sim->links[i].at_server != NULL ||
        (sim->links[i].polled && sim->links[i].greeted &&
         sim->links[i].at_client && !sim->links[i].dark))
      links++;
  if (at_server->connections != links)
    sim_fail(sim,
             "the server has %" PRIu64 " connections for %" PRIu64 " links",
             at_server->connections, links);
  if (at_server->dirty_rows != 0)
    sim_fail(sim, "%" PRIu64 " rows wait at the server", at_server->dirty_rows);
  for (size_t i = 0; i < sim->device_count; i++) {
    const sn_session *session = sim->devices[i].session;
    seen_session held = {.size = sizeof held};

    seen_engine_session(seen_mirror_engine(sim->devices[i].mirror), &held);
    if (held.dirty_since != SEEN_NEVER ||
        seen_mirror_unwritten(sim->devices[i].mirror) > 0)
      sim_fail(sim, "S6: %s has not written all", sim->devices[i].name);
    if (sim->devices[i].asked != sim->devices[i].replied)
      sim_fail(sim, "%s has %" PRIu64 " replies to %" PRIu64 " requests",
               sim->devices[i].name, sim->devices[i].replied,
               sim->devices[i].asked);
    if (session->link.stage != SN_STAGE_UP)
      sim_fail(sim, "%s has no link", sim->devices[i].name);
    if (session->waiting.count > 0 || session->flying.count > 0 ||
        session->exchanges != NULL || session->paging != SN_PAGING_NONE)
      sim_fail(sim, "%s still has something under way", sim->devices[i].name);
  }
}

void rules_quiet(sim_world *sim) {
  for (size_t i = 0; i < sim->device_count; i++) {
    seen_input audit = {.size = sizeof audit, .type = SEEN_INPUT_AUDIT};

    if (!sim->devices[i].on) {
      sim_fail(sim, "%s is not up", sim->devices[i].name);
      return;
    }
    device_feed(&sim->devices[i], &audit);
  }
  if (sim->server == NULL) {
    sim_fail(sim, "the server is not up");
    return;
  }
  for (uint32_t i = 0; i < sim->plan.users; i++)
    compare_user(sim, i);
  for (uint32_t i = 0; i < sim->plan.convs; i++)
    recount(&sim->disk.inner, sim_conv(i), print_recount, sim);
  positions_check(sim);
  check_sent(sim);
  check_queues(sim);
  check_receipts(sim);
}
