/*
 * The lines of the open conversation: messages broken to a width, the "new
 * messages" divider above the first unread one, and under each own message
 * how far it has come.
 */
#ifndef CHAT_LAYOUT_H
#define CHAT_LAYOUT_H

#include "canvas.h"
#include "chat.h"

/* Columns before a text: the time and who. */
#define LAYOUT_HEAD 19

typedef struct chat_line {
  uint64_t seq; /* of the message it belongs to; 0: of none */
  chat_style style;
  bool divider;     /* a rule through the whole width */
  char time[8];     /* "" where it is not the first of its message */
  const char *who;  /* NULL likewise; borrowed */
  const char *text; /* borrowed; NULL: what stands in `note` */
  size_t size;
  char note[96];
} chat_line;

typedef struct chat_layout {
  chat_line *lines;
  size_t count;
  size_t capacity;
} chat_layout;

/* Lays out the open conversation; false: there is no memory. */
bool layout_make(chat_layout *layout, const chat_app *chat, int width);
void layout_free(chat_layout *layout);

/* One past the last line that the view shows. */
size_t layout_bottom(const chat_layout *layout, const chat_view *view);

/* Moves the view so that `bottom` is that. */
void layout_move(const chat_layout *layout, chat_view *view, size_t bottom);

/* The first line of the message that has this seq or, where that has none,
 * the next one; the count where there is none above either. */
size_t layout_find(const chat_layout *layout, uint64_t seq);

#endif
