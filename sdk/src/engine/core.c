/* What the engine's files share: room for parts, lists, random numbers. */
#include "engine/core.h"

#include <string.h>

#include "base/memory.h"

int sn_engine_need_facts(seen_engine *engine, sn_conv *conv) {
  if (conv->facts) return SEEN_OK;
  if (sn_timers_reserve(engine->memory, &engine->delivered,
                        engine->facts + 1) ||
      sn_timers_reserve(engine->memory, &engine->fetches, engine->facts + 1) ||
      sn_conv_need_facts(engine->memory, conv))
    return SEEN_ENOMEM;
  engine->facts++;
  return SEEN_OK;
}

int sn_engine_need_reading(seen_engine *engine, sn_conv *conv) {
  if (conv->reading) return SEEN_OK;
  size_t total = engine->readings + 1;
  if (sn_timers_reserve(engine->memory, &engine->reports, total) ||
      sn_timers_reserve(engine->memory, &engine->waiting, total) ||
      sn_timers_reserve(engine->memory, &engine->marks, total) ||
      SN_RESERVE(engine->memory, &engine->ready, &engine->ready_capacity,
                 total) ||
      sn_conv_need_reading(engine->memory, conv))
    return SEEN_ENOMEM;
  engine->readings = total;
  return SEEN_OK;
}

int sn_engine_need_viewport(seen_engine *engine, sn_conv *conv) {
  if (conv->viewport) return SEEN_OK;
  if (SN_RESERVE(engine->memory, &engine->windows.items,
                 &engine->windows.capacity, engine->windows.count + 1) ||
      sn_viewport_need(engine->memory, &conv->viewport))
    return SEEN_ENOMEM;
  engine->windows.items[engine->windows.count++] = conv->handle;
  return SEEN_OK;
}

void sn_engine_drop_viewport(seen_engine *engine, sn_conv *conv) {
  sn_list *windows = &engine->windows;
  size_t at = 0;
  while (windows->items[at] != conv->handle)
    at++;
  windows->items[at] = windows->items[--windows->count];
  sn_viewport_free(engine->memory, conv->viewport);
  conv->viewport = NULL;
}

int sn_engine_reserve_outputs(seen_engine *engine, const sn_conv *conv,
                              size_t outputs, size_t seqs) {
  enum { AT_MOST = 12 }; /* kinds of output, with room to spare */
  uint64_t names = seqs; /* a report may name each of them */
  if (conv->facts)
    names += sn_runs_count(&conv->facts->mentions, 0, SEEN_SEQ_MAX) +
             sn_runs_count(&conv->facts->found_mentions, 0, SEEN_SEQ_MAX);
  if (conv->reading)
    names += sn_runs_count(&conv->reading->cleared, 0, SEEN_SEQ_MAX);
  return sn_outbox_reserve(engine->memory, &engine->outbox, AT_MOST + outputs,
                           (size_t)names);
}

void *sn_engine_scratch(seen_engine *engine, sn_scratch_block block,
                        size_t count, size_t item_size) {
  char **bytes = (char **)&engine->scratch.blocks[block];
  if (SN_RESERVE(engine->memory, bytes, &engine->scratch.capacities[block],
                 count * item_size + 1))
    return NULL;
  return *bytes;
}

/* splitmix64: the state is only a counter. */
uint64_t sn_engine_random(seen_engine *engine) {
  uint64_t z = engine->random += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

void sn_engine_reorder(seen_engine *engine, sn_conv *conv) {
  engine->list_changed |= sn_order_touch(&engine->order, conv);
}

/* There is room for each conversation once; what was pulled makes way. */
static void list(sn_list *list, sn_conv *conv, uint32_t flag) {
  if (sn_conv_has(conv, flag)) return;
  sn_conv_flag(conv, flag, true);
  if (list->first + list->count == list->capacity) {
    memmove(list->items, list->items + list->first,
            list->count * sizeof *list->items);
    list->first = 0;
  }
  list->items[list->first + list->count++] = conv->handle;
}

sn_conv *sn_engine_pull(seen_engine *engine, sn_list *list, uint32_t flag) {
  sn_conv *conv = sn_engine_conv(engine, list->items[list->first++]);
  if (--list->count == 0) list->first = 0;
  sn_conv_flag(conv, flag, false);
  return conv;
}

void sn_engine_dirty(seen_engine *engine, sn_conv *conv) {
  list(&engine->dirty, conv, SN_DIRTY);
  if (engine->dirty_since == SN_NO_TIME) engine->dirty_since = engine->now;
}

void sn_engine_persist(seen_engine *engine) {
  engine->writable = engine->dirty.count;
  engine->dirty_since = SN_NO_TIME;
}

void sn_engine_persist_one(seen_engine *engine, sn_conv *conv) {
  sn_list *dirty = &engine->dirty;
  uint64_t since = engine->dirty_since;
  sn_engine_dirty(engine, conv);
  seen_conv *first = dirty->items + dirty->first, *own = first;
  while (*own != conv->handle)
    own++;
  if (own < first + engine->writable) return; /* it is written anyway */
  *own = first[engine->writable];
  first[engine->writable++] = conv->handle;
  engine->dirty_since = engine->writable == dirty->count ? SN_NO_TIME : since;
}

void sn_engine_notify(seen_engine *engine, sn_conv *conv) {
  list(&engine->changed, conv, SN_CHANGED);
}
