#include "support/link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FRAME = 1 << 16 };

static test_link *link_of(seen_transport *transport) {
  return (test_link *)(void *)transport;
}

static void lock(test_link *link) {
  sn_platform_mutex_lock(link->mutex);
}

static void unlock(test_link *link) {
  sn_platform_mutex_unlock(link->mutex);
}

/* The lock is held. */
static void push(test_link *link, seen_transport_event event,
                 const char *text) {
  size_t size = text ? strlen(text) : 0;
  link_event *fresh = calloc(1, sizeof *fresh + size + 1);
  if (!fresh) abort();
  fresh->event = event;
  fresh->event.size = sizeof event;
  if (text) memcpy(fresh->text, text, size + 1);
  fresh->event.text = text ? fresh->text : NULL;
  fresh->event.length = size;
  if (link->last)
    link->last->next = fresh;
  else
    link->first = fresh;
  link->last = fresh;
}

static void wake(test_link *link) {
  if (link->wake) link->wake(link->user_data);
}

void link_frame(test_link *link, const char *frame) {
  if (!link->open) return;
  push(link,
       (seen_transport_event){.type = SEEN_TRANSPORT_FRAME,
                              .number = link->open},
       frame);
}

link_row *link_row_of(test_link *link, const char *id) {
  for (size_t i = 0; i < link->row_count; i++)
    if (!strcmp(link->rows[i].id, id)) return &link->rows[i];
  return NULL;
}

static int dial(seen_transport *transport, const seen_dial *what,
                seen_error *error) {
  test_link *link = link_of(transport);
  (void)error;
  lock(link);
  link->dials++;
  if (link->out_of_reach || what->link == SEEN_LINK_POLL) {
    push(link,
         (seen_transport_event){.type = SEEN_TRANSPORT_ENDED,
                                .number = what->connection,
                                .ended = SEEN_ENDED_CONNECT},
         "nobody there");
  } else {
    link->open = what->connection;
    push(link,
         (seen_transport_event){.type = SEEN_TRANSPORT_OPEN,
                                .number = what->connection},
         NULL);
  }
  unlock(link);
  wake(link);
  return SEEN_OK;
}

static int write_text(seen_transport *transport, uint64_t connection,
                      const char *text, size_t length, seen_error *error) {
  test_link *link = link_of(transport);
  (void)error;
  lock(link);
  if (connection == link->open && link->frame_count < LINK_FRAMES) {
    char *copy = malloc(length + 1);
    if (!copy) abort();
    memcpy(copy, text, length);
    copy[length] = '\0';
    link->frames[link->frame_count++] = copy;
    if (!link->silent) link_answer_to(link, text, length);
  }
  unlock(link);
  wake(link);
  return SEEN_OK;
}

static void ping(seen_transport *transport, uint64_t connection) {
  test_link *link = link_of(transport);
  lock(link);
  if (connection == link->open && !link->silent)
    push(link,
         (seen_transport_event){.type = SEEN_TRANSPORT_ALIVE,
                                .number = connection},
         NULL);
  unlock(link);
  wake(link);
}

static void end_connection(test_link *link, uint64_t connection,
                           seen_ended why) {
  if (!connection || connection != link->open) return;
  link->open = 0;
  push(link,
       (seen_transport_event){
           .type = SEEN_TRANSPORT_ENDED, .number = connection, .ended = why},
       "over");
}

static void close_link(seen_transport *transport, uint64_t connection,
                       uint32_t code) {
  test_link *link = link_of(transport);
  (void)code;
  lock(link);
  end_connection(link, connection, SEEN_ENDED_LOCAL);
  unlock(link);
  wake(link);
}

/* There is no HTTP here. */
static int request(seen_transport *transport, const seen_http_request *what,
                   seen_error *error) {
  test_link *link = link_of(transport);
  (void)error;
  lock(link);
  push(link,
       (seen_transport_event){.type = SEEN_TRANSPORT_ANSWER,
                              .number = what->request,
                              .ended = SEEN_ENDED_CONNECT},
       NULL);
  unlock(link);
  wake(link);
  return SEEN_OK;
}

static void cancel(seen_transport *transport, uint64_t number) {
  (void)transport;
  (void)number; /* it was answered at once */
}

static bool next(seen_transport *transport, seen_transport_event *event) {
  test_link *link = link_of(transport);
  bool any;
  lock(link);
  free(link->given);
  link->given = link->first;
  any = link->first != NULL;
  if (any) {
    link->first = link->first->next;
    if (!link->first) link->last = NULL;
    *event = link->given->event;
  }
  unlock(link);
  return any;
}

static void free_link(seen_transport *transport) {
  test_link *link = link_of(transport);
  lock(link);
  link->freed = true;
  link->open = 0;
  unlock(link);
}

test_link *link_start(void) {
  test_link *link = calloc(1, sizeof *link);
  assert_non_null(link);
  link->mutex = sn_platform_mutex_new(seen_allocator_default());
  assert_non_null(link->mutex);
  link->version = 100;
  link->transport = (seen_transport){.size = sizeof link->transport,
                                     .dial = dial,
                                     .write = write_text,
                                     .ping = ping,
                                     .close = close_link,
                                     .request = request,
                                     .cancel = cancel,
                                     .next = next,
                                     .free = free_link};
  return link;
}

void link_end(test_link *link) {
  assert_true(link->freed);
  while (link->first) {
    link_event *event = link->first;
    link->first = event->next;
    free(event);
  }
  free(link->given);
  for (size_t i = 0; i < link->frame_count; i++)
    free(link->frames[i]);
  sn_platform_mutex_free(seen_allocator_default(), link->mutex);
  free(link);
}

void link_row_is(test_link *link, const char *id, uint64_t read,
                 uint64_t last) {
  link_row *row;
  lock(link);
  row = link_row_of(link, id);
  if (!row) {
    assert_true(link->row_count < LINK_ROWS);
    row = &link->rows[link->row_count++];
    snprintf(row->id, sizeof row->id, "%s", id);
  }
  row->read.seq = read;
  row->last = last;
  row->version = ++link->version;
  row->updated_at = UINT64_C(1733000000000) + row->version;
  unlock(link);
}

void link_message(test_link *link, const char *id, const char *body) {
  char frame[FRAME];
  link_row *row;
  lock(link);
  row = link_row_of(link, id);
  assert_non_null(row);
  row->last++;
  row->version = ++link->version;
  row->updated_at = UINT64_C(1733000000000) + row->version;
  snprintf(frame, sizeof frame,
           "{\"t\":\"message\",\"conv\":\"%s\",\"seq\":%llu,\"version\":%llu,"
           "\"from\":\"u2\",\"kind\":\"text\",\"countable\":true,"
           "\"sent_at\":%llu,\"body\":\"%s\"}",
           id, (unsigned long long)row->last, (unsigned long long)row->version,
           (unsigned long long)row->updated_at, body);
  link_frame(link, frame);
  unlock(link);
  wake(link);
}

void link_say(test_link *link, const char *frame) {
  lock(link);
  link_frame(link, frame);
  unlock(link);
  wake(link);
}

void link_cut(test_link *link) {
  lock(link);
  end_connection(link, link->open, SEEN_ENDED_LOST);
  unlock(link);
  wake(link);
}

void link_reach(test_link *link, bool on) {
  lock(link);
  link->out_of_reach = !on;
  unlock(link);
}

void link_answer(test_link *link, bool on) {
  lock(link);
  link->silent = !on;
  unlock(link);
}

void link_refuse(test_link *link, const char *code) {
  lock(link);
  link->refusal = code;
  unlock(link);
}

static size_t count_frames(test_link *link, const char *type,
                           const char *text) {
  char wanted[64];
  size_t count = 0;
  snprintf(wanted, sizeof wanted, "\"t\":\"%s\"", type);
  lock(link);
  for (size_t i = 0; i < link->frame_count; i++)
    count += strstr(link->frames[i], wanted) != NULL &&
             strstr(link->frames[i], text) != NULL;
  unlock(link);
  return count;
}

size_t link_count(test_link *link, const char *type) {
  return count_frames(link, type, "");
}

bool link_heard(test_link *link, const char *type, const char *text) {
  return count_frames(link, type, text) > 0;
}

seen_position link_read(test_link *link, const char *id) {
  seen_position read = {0, 0, 0};
  const link_row *row;
  lock(link);
  row = link_row_of(link, id);
  if (row) read = row->read;
  unlock(link);
  return read;
}
