#include "mentions.h"

#include "memory.h"
#include "periods.h"

#include <stdlib.h>
#include <string.h>

static const mention_event *event_at(const conversation *conv, uint64_t place) {
  return place ? &conv->events[place - 1] : NULL;
}

static uint64_t latest_place(const conversation *conv, uint64_t target) {
  uint64_t found, place;
  if (!ranks_next(&conv->latest, target, &found, &place)) return 0;
  return found == target ? place : 0;
}

const mention_event *mentions_latest(const conversation *conv,
                                     uint64_t target) {
  return event_at(conv, latest_place(conv, target));
}

static void name_member(conversation *conv, const char *user, uint32_t event) {
  member *of = map_get(&conv->members, user);
  if (!of || (of->named_count && of->named[of->named_count - 1] == event))
    return;
  of->named = MUST_GROW(of->named, of->named_count, of->named_capacity);
  of->named[of->named_count++] = event;
  conv->entries++;
}

static void add_everyone(conversation *conv, uint32_t event) {
  conv->everyone =
      MUST_GROW(conv->everyone, conv->everyone_count, conv->everyone_capacity);
  conv->everyone[conv->everyone_count++] = event;
}

static void read_said(mention_event *event, const char *said) {
  event->users = must_allocate(NAMED_USERS, sizeof *event->users);
  while (*said) {
    size_t length = strcspn(said, "\n");
    if (*said == '*') event->all = true;
    if (*said == '>') event->quoted = must_copy(said + 1, length - 1);
    if (*said == '@' && event->user_count < NAMED_USERS)
      event->users[event->user_count++] = must_copy(said + 1, length - 1);
    said += length + (said[length] == '\n');
  }
}

void mentions_add(conversation *conv, uint64_t seq, uint64_t target,
                  const char *said) {
  uint64_t before = latest_place(conv, target);
  conv->events =
      MUST_GROW(conv->events, conv->event_count, conv->event_capacity);
  uint32_t place = (uint32_t)conv->event_count++;
  mention_event *event = &conv->events[place];
  *event = (mention_event){
      .seq = seq, .target = target, .previous = (uint32_t)before};
  read_said(event, said);
  ranks_take(&conv->latest, target, before);
  ranks_add(&conv->latest, target, (uint64_t)place + 1);
  conv->entries += 1 + event->user_count;
  if (event->all) add_everyone(conv, place);
  if (event->quoted) name_member(conv, event->quoted, place);
  for (size_t i = 0; i < event->user_count; i++)
    name_member(conv, event->users[i], place);
}

seen_mention_why mentions_why(const mention_event *event, const char *user) {
  for (size_t i = 0; i < event->user_count; i++)
    if (!strcmp(event->users[i], user)) return SEEN_MENTION_ME;
  if (event->all) return SEEN_MENTION_ALL;
  if (event->quoted && !strcmp(event->quoted, user)) return SEEN_MENTION_QUOTE;
  return SEEN_MENTION_NONE;
}

seen_mention_why mentions_newly(const conversation *conv,
                                const mention_event *event, const char *user) {
  const mention_event *before = event_at(conv, event->previous);
  if (before && mentions_why(before, user)) return SEEN_MENTION_NONE;
  return mentions_why(event, user);
}

static bool is_open_still(const conversation *conv, const member *of,
                          uint64_t target) {
  const mention_event *latest = mentions_latest(conv, target);
  const period *in = periods_latest(of);
  return target > conv->floor && target >= in->join_seq && latest &&
         mentions_why(latest, of->user) &&
         (!runs_has(&conv->dead, target) || runs_has(&conv->held, target)) &&
         !runs_has(&of->own, target);
}

static bool is_among(const uint64_t *list, size_t count, uint64_t seq) {
  for (size_t i = 0; i < count; i++)
    if (list[i] == seq) return true;
  return false;
}

static int newest_first(const void *a, const void *b) {
  const uint64_t *left = a, *right = b;
  return *left < *right ? 1 : *left > *right ? -1 : 0;
}

/*
 * The targets, newest first, of which none is closed, those that wait for
 * approval among them. Room for twice OPEN_MENTIONS; how many, at most once.
 */
static size_t gather(const conversation *conv, const member *of,
                     uint64_t *list) {
  size_t count = 0, named = of->named_count, all = conv->everyone_count;
  while ((named || all) && count < OPEN_MENTIONS) {
    uint32_t next = 0;
    if (named) next = of->named[named - 1];
    if (all && conv->everyone[all - 1] >= next) next = conv->everyone[all - 1];
    if (named && of->named[named - 1] == next) named--;
    if (all && conv->everyone[all - 1] == next) all--;
    const mention_event *event = &conv->events[next];
    if (event->seq <= of->settled) break;
    if (mentions_newly(conv, event, of->user) &&
        is_open_still(conv, of, event->target) &&
        !is_among(list, count, event->target))
      list[count++] = event->target;
  }
  for (size_t i = 0; i < of->open_count; i++)
    if (is_open_still(conv, of, of->open[i]) &&
        !is_among(list, count, of->open[i]))
      list[count++] = of->open[i];
  qsort(list, count, sizeof *list, newest_first);
  return least(count, OPEN_MENTIONS);
}

size_t mentions_list(const conversation *conv, const member *of,
                     seen_mention *list) {
  uint64_t found[2 * OPEN_MENTIONS];
  size_t count = 0;
  if (!conv->event_count || !periods_is_present(of)) return 0;
  for (size_t i = gather(conv, of, found); i > 0; i--)
    if (!runs_has(&conv->dead, found[i - 1]))
      list[count++] = (seen_mention){
          found[i - 1],
          mentions_why(mentions_latest(conv, found[i - 1]), of->user)};
  return count;
}

bool mentions_clear(conversation *conv, member *of, uint64_t after, uint64_t to,
                    const uint64_t *named, size_t count) {
  uint64_t found[2 * OPEN_MENTIONS];
  size_t all, kept = 0;
  if (!conv->event_count || !periods_is_present(of)) return false;
  all = gather(conv, of, found);
  for (size_t i = 0; i < all; i++) {
    uint64_t seq = found[i];
    bool cleared = (seq > after && seq <= to) || is_among(named, count, seq);
    if (!cleared || runs_has(&conv->dead, seq)) found[kept++] = seq;
  }
  if (kept == all) return false;
  of->open = must_resize(of->open, OPEN_MENTIONS, sizeof *of->open);
  for (size_t i = 0; i < kept; i++)
    of->open[i] = found[kept - 1 - i];
  of->open_count = kept;
  of->settled = conv->last_seq;
  return true;
}

void mentions_forget(conversation *conv, member *of) {
  of->open_count = 0;
  of->settled = conv->last_seq;
}

void mentions_write(const member *of, text *into) {
  for (size_t i = 0; i < of->open_count; i++) {
    if (i) text_add(into, " ");
    text_add_number(into, of->open[i]);
  }
}

int mentions_read(member *of, const char *from) {
  if (!*from) return SEEN_OK;
  of->open = must_resize(NULL, OPEN_MENTIONS, sizeof *of->open);
  while (*from) {
    char *end;
    unsigned long long seq = strtoull(from, &end, 10);
    if (end == from || seq > SEEN_SEQ_MAX || of->open_count == OPEN_MENTIONS)
      return SEEN_ECORRUPT;
    of->open[of->open_count++] = seq;
    from = end + (*end == ' ');
  }
  return SEEN_OK;
}

void mentions_free(conversation *conv) {
  for (size_t i = 0; i < conv->event_count; i++) {
    for (size_t k = 0; k < conv->events[i].user_count; k++)
      free(conv->events[i].users[k]);
    free(conv->events[i].users);
    free(conv->events[i].quoted);
  }
  free(conv->events);
  free(conv->everyone);
  ranks_free(&conv->latest);
}
