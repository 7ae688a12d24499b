/* What a UI asks: states, totals, pages, mentions, receipts. */
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "engine/core.h"
#include "engine/people.h"
#include "engine/reporter.h"
#include "engine/tally.h"

seen_conv seen_engine_find(const seen_engine *engine, const char *id) {
  return sn_registry_find(&engine->registry, id);
}

static sn_conv *conv_of(const seen_engine *engine, seen_conv conv) {
  if (conv == 0 || conv > engine->registry.count) return NULL;
  return sn_engine_conv(engine, conv);
}

const char *seen_engine_id(const seen_engine *engine, seen_conv conv) {
  const sn_conv *found = conv_of(engine, conv);
  return found ? found->id : NULL;
}

static uint64_t first_mention(const sn_conv *conv) {
  sn_run run;
  if (!conv->mentions || !sn_runs_next(&conv->facts->open, 0, &run)) return 0;
  return run.lo;
}

static void fill_state(const sn_conv *conv, seen_state *state) {
  sn_unread unread = sn_tally_count(conv);
  bool open = conv->viewport && conv->viewport->open;
  bool muted = sn_conv_muted(conv), marked = sn_conv_marked_unread(conv);
  *state = (seen_state){.size = sizeof *state,
                        .conv = conv->handle,
                        .id = conv->id,
                        .kind = conv->kind,
                        .unread = conv->unread,
                        .exact = unread.exact,
                        .marked_unread = marked,
                        .pending = sn_reporter_pending(conv),
                        .muted = muted,
                        .pinned = sn_conv_pinned(conv),
                        .open = open,
                        .badge = seen_badge_choose(conv->unread, muted, marked),
                        .mentions = conv->mentions,
                        .first_mention = first_mention(conv),
                        .first_unread = open ? conv->viewport->first_unread
                                             : sn_tally_first_unread(conv),
                        .read_seq = sn_conv_shown(conv),
                        .last_seq = conv->last_seq,
                        .server_read = conv->server,
                        .updated_at = conv->updated_at};
}

int seen_engine_state(const seen_engine *engine, seen_conv conv,
                      seen_state *state) {
  const sn_conv *found = conv_of(engine, conv);
  if (!found || !sn_conv_shown_in_list(found)) return SEEN_ENOTFOUND;
  fill_state(found, state);
  return SEEN_OK;
}

void seen_engine_totals(const seen_engine *engine, seen_totals *totals) {
  *totals = engine->totals;
}

void seen_engine_metrics(const seen_engine *engine, seen_metrics *metrics) {
  *metrics = engine->metrics;
}

size_t seen_engine_count(const seen_engine *engine) {
  /* Rows that came or went and are not in their place yet count too. */
  size_t count = engine->order.count;
  for (size_t i = 0; i < engine->order.moved_count; i++) {
    const sn_conv *conv = sn_engine_conv(engine, engine->order.moved[i]);
    count += sn_conv_shown_in_list(conv);
    count -= sn_conv_has(conv, SN_LISTED);
  }
  return count;
}

size_t seen_engine_page(seen_engine *engine, size_t offset, size_t limit,
                        seen_state *rows) {
  enum { PART = 64 };
  seen_conv handles[PART];
  size_t count = 0, got = 1;
  sn_order_settle(&engine->order, &engine->registry);
  while (count < limit && got) {
    size_t part = limit - count < PART ? limit - count : PART;
    got = sn_order_page(&engine->order, offset + count, part, handles);
    for (size_t i = 0; i < got; i++)
      fill_state(sn_engine_conv(engine, handles[i]), &rows[count++]);
  }
  return count;
}

int seen_engine_next_mention(const seen_engine *engine, seen_conv conv,
                             uint64_t after, seen_mention *mention) {
  const sn_conv *found = conv_of(engine, conv);
  sn_run run;
  if (!found || !sn_conv_shown_in_list(found) || !found->mentions ||
      after >= SEEN_SEQ_MAX ||
      !sn_runs_next(&found->facts->open, after + 1, &run))
    return SEEN_ENOTFOUND;
  mention->seq = sn_max(run.lo, after + 1);
  mention->why = (seen_mention_why)run.tag;
  return SEEN_OK;
}

static int find_message(const seen_engine *engine, seen_conv conv, uint64_t seq,
                        const sn_conv **found) {
  *found = conv_of(engine, conv);
  if (!*found || !sn_conv_has(*found, SN_ROW)) return SEEN_ENOTFOUND;
  return seq == 0 || seq > SEEN_SEQ_MAX ? SEEN_ERANGE : SEEN_OK;
}

int seen_engine_receipt(const seen_engine *engine, seen_conv conv, uint64_t seq,
                        seen_receipt *receipt) {
  const sn_conv *found;
  int status = find_message(engine, conv, seq, &found);
  if (status) return status;
  *receipt = sn_roster_receipt(found->roster, found->kind, seq,
                               sn_people_sender(engine, found, seq));
  return SEEN_OK;
}

static bool by_name(const void *a, const void *b, const void *registry) {
  return strcmp(sn_registry_user_name(registry, *(const uint32_t *)a),
                sn_registry_user_name(registry, *(const uint32_t *)b)) < 0;
}

static size_t collect(const sn_conv *conv, uint64_t seq, uint32_t sender,
                      bool read, uint32_t *users) {
  const sn_roster *roster = conv->roster;
  size_t count = 0;
  if (conv->kind == SEEN_KIND_DIRECT) {
    if (roster->peer && (roster->peer_read >= seq) == read)
      users[count++] = roster->peer;
    return count;
  }
  for (size_t i = 1; i <= roster->count; i++) {
    const sn_period *period = &roster->periods[i];
    if (sn_roster_in_audience(period, seq, sender) &&
        (period->read >= seq) == read)
      users[count++] = period->user;
  }
  return count;
}

int seen_engine_readers(seen_engine *engine, seen_conv conv, uint64_t seq,
                        seen_readers which, const char **users, size_t limit,
                        size_t *count) {
  const sn_conv *found;
  int status = find_message(engine, conv, seq, &found);
  *count = 0;
  if (status) return status;
  if (found->kind == SEEN_KIND_LARGE) return SEEN_EUNSUPPORTED; /* R4 */
  if (!found->roster) return SEEN_OK;
  uint32_t *people =
      sn_allocate(engine->memory, (found->roster->count + 1) * sizeof *people);
  if (!people) return SEEN_ENOMEM;
  *count = collect(found, seq, sn_people_sender(engine, found, seq),
                   which == SEEN_READERS_READ, people);
  sn_sort(people, *count, sizeof *people, by_name, &engine->registry);
  for (size_t i = 0; i < *count && i < limit; i++)
    users[i] = sn_registry_user_name(&engine->registry, people[i]);
  sn_release(engine->memory, people);
  return SEEN_OK;
}
