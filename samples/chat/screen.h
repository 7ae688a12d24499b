/*
 * What is on the screen. Whoever draws a screen has also to say what a person
 * can see of it: what was shown is told to the library here, and only here, so
 * nothing is read that was not on screen.
 */
#ifndef CHAT_SCREEN_H
#define CHAT_SCREEN_H

#include "canvas.h"
#include "layout.h"

typedef struct chat_screen {
  chat_canvas canvas;
  chat_layout layout;
} chat_screen;

/* Composes the screen in its present size; false: there is no memory. */
bool screen_compose(chat_screen *screen, chat_app *chat);
void screen_free(chat_screen *screen);

/* Scrolls the messages by lines, downwards where it is positive. */
void screen_scroll(chat_screen *screen, chat_app *chat, long lines);

/* To the oldest that is here, and to the newest. */
void screen_top(chat_screen *screen, chat_app *chat);
void screen_bottom(chat_screen *screen, chat_app *chat);

/* How the link is, and what is wrong with it. */
enum { SCREEN_LINK = 128 };
const char *screen_link(const seen_connection_state *state,
                        char words[SCREEN_LINK]);

/* How many lines of messages there are room for. */
int screen_rows(const chat_app *chat);

#endif
