/*
 * A screen in memory: cells of text that a terminal draws and a script prints.
 * It knows how wide a character is; nothing of chats.
 */
#ifndef CHAT_CANVAS_H
#define CHAT_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* How a piece of text looks. */
typedef enum chat_style {
  STYLE_PLAIN,
  STYLE_BOLD,
  STYLE_DIM,
  STYLE_BADGE,   /* a number that asks to be looked at */
  STYLE_MENTION, /* somebody means this person */
  STYLE_DIVIDER,
  STYLE_OWN, /* what this person said */
  STYLE_BAR, /* the lines above and below */
  STYLE_CHOSEN,
  STYLE_ALARM
} chat_style;

/* A character and what combines with it; a wide one covers the next cell,
 * whose text is empty. */
typedef struct chat_cell {
  char text[24];
  chat_style style;
} chat_cell;

typedef struct chat_canvas {
  int width;
  int height;
  chat_cell *cells;
  int cursor_x; /* -1: none is shown */
  int cursor_y;
} chat_canvas;

/* Fills it with spaces; false where there is no memory. */
bool canvas_reset(chat_canvas *canvas, int width, int height);
void canvas_free(chat_canvas *canvas);

const chat_cell *canvas_at(const chat_canvas *canvas, int x, int y);

/*
 * Writes one line of UTF-8 from column `x` on, at most `room` columns of it,
 * and returns how many it took. What can't be shown is written as '?'.
 */
int canvas_write(chat_canvas *canvas, int x, int y, int room, chat_style style,
                 const char *text);

/* Gives `count` columns of a line a style, and spaces where nothing stands. */
void canvas_paint(chat_canvas *canvas, int x, int y, int count,
                  chat_style style);

/* How many columns a text takes. */
int canvas_columns(const char *text);

/*
 * How many bytes of a text fill a line of `room` columns: broken after a
 * space where one is there, at a newline in any case; at least one character.
 */
size_t canvas_break(const char *text, int room);

/* Prints the lines, without the spaces at their ends. */
void canvas_print(const chat_canvas *canvas, FILE *out);

#endif
