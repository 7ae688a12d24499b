#include "sim/agenda.h"

#include <seen/types.h>

#include <stdlib.h>
#include <string.h>

static bool before(const sim_event *one, const sim_event *other) {
  return one->at != other->at ? one->at < other->at : one->order < other->order;
}

static void swap(sim_event *one, sim_event *other) {
  sim_event held = *one;

  *one = *other;
  *other = held;
}

static void rise(sim_agenda *agenda, size_t at) {
  while (at > 0 && before(&agenda->heap[at], &agenda->heap[(at - 1) / 2])) {
    swap(&agenda->heap[at], &agenda->heap[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
}

static void sink(sim_agenda *agenda, size_t at) {
  for (;;) {
    size_t least = at, child = at * 2 + 1;

    for (size_t i = child; i < child + 2 && i < agenda->count; i++)
      if (before(&agenda->heap[i], &agenda->heap[least])) least = i;
    if (least == at) return;
    swap(&agenda->heap[at], &agenda->heap[least]);
    at = least;
  }
}

void agenda_add_text(sim_agenda *agenda, uint64_t at, sim_happening what,
                     size_t a, uint64_t b, const char *text, size_t length) {
  sim_event event = {at, agenda->order++, what, a, b, NULL, length};

  if (text != NULL) {
    event.text = malloc(length + 1);
    if (event.text == NULL) abort();
    memcpy(event.text, text, length);
    event.text[length] = '\0';
  }
  if (agenda->count == agenda->capacity) {
    agenda->capacity = agenda->capacity * 2 + 64;
    agenda->heap =
        realloc(agenda->heap, agenda->capacity * sizeof *agenda->heap);
    if (agenda->heap == NULL) abort();
  }
  agenda->heap[agenda->count] = event;
  rise(agenda, agenda->count++);
}

void agenda_add(sim_agenda *agenda, uint64_t at, sim_happening what, size_t a,
                uint64_t b) {
  agenda_add_text(agenda, at, what, a, b, NULL, 0);
}

bool agenda_take(sim_agenda *agenda, sim_event *event) {
  if (agenda->count == 0) return false;
  *event = agenda->heap[0];
  agenda->heap[0] = agenda->heap[--agenda->count];
  sink(agenda, 0);
  return true;
}

uint64_t agenda_next(const sim_agenda *agenda) {
  return agenda->count > 0 ? agenda->heap[0].at : SEEN_NEVER;
}

void agenda_free(sim_agenda *agenda) {
  for (size_t i = 0; i < agenda->count; i++)
    free(agenda->heap[i].text);
  free(agenda->heap);
  memset(agenda, 0, sizeof *agenda);
}
