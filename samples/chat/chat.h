/*
 * The chat: a client, the conversations that were looked at, and what the
 * person is doing. What it shows is drawn from here; what it decides about
 * read and unread is the library's.
 */
#ifndef CHAT_CHAT_H
#define CHAT_CHAT_H

#include "options.h"
#include "texts.h"

#include <seen/chat.h>

/* A message of one's own that has no seq yet. */
typedef struct chat_post {
  uint64_t request;
  char *body;
  bool failed;
  char why[80];
} chat_post;

/* One conversation that was looked at. */
typedef struct chat_view {
  char *id;
  chat_texts texts;
  chat_post *posts;
  size_t post_count;
  char draft[4096];
  uint64_t history; /* the request that is under way; 0: none */
  uint64_t asked;   /* up to which seq was asked for already */
  uint64_t wanted;  /* a seq to bring on screen once it is here; 0: none */
  uint64_t bottom;  /* the message at the lower edge; 0: the newest */
  int below;        /* how many of its lines are hidden below the edge */
  uint64_t chosen;  /* an own message, to recall, edit, look at; 0: none */
} chat_view;

/* Who has read a message. */
typedef struct chat_panel {
  uint64_t seq; /* 0: it is closed */
  uint64_t request;
  char **users;
  size_t user_count;
} chat_panel;

typedef struct chat_app {
  chat_options *options;
  seen_client *client;
  chat_view **views;
  size_t view_count;
  chat_view *open; /* NULL: the list alone is looked at */
  size_t row;      /* of the list, that keys act on */
  chat_panel panel;
  uint64_t editing; /* the seq whose new text is being written; 0: none */
  int width;
  int height;
  bool helping;
  bool over;    /* it is to end */
  bool refused; /* the server takes no token of ours */
  bool unkept;  /* the database can't be written */
  bool dirty;   /* what is shown has changed */
  char notice[256];
  int wake[2]; /* a pipe: bytes come when there is something to hear */
} chat_app;

/* False, and why, where it can't begin. */
bool chat_open(chat_app *chat, chat_options *options, char why[256]);
void chat_close(chat_app *chat);

/* Hears what the client has to say; `dirty` tells whether it matters. */
void chat_hear(chat_app *chat);

/* Shows a conversation, or the list alone where `id` is NULL. */
bool chat_show(chat_app *chat, const char *id);

/* Asks for what the open conversation lacks. */
void chat_fill(chat_app *chat);

/* Asks for older messages of the open conversation. */
void chat_fill_older(chat_app *chat);

/* Sends a text; what became of it is shown below the messages. */
bool chat_say(chat_app *chat, const char *body);

/* Opens the panel with the readers of a message; 0 closes it. */
void chat_who(chat_app *chat, uint64_t seq);

/* A line at the bottom, until the next. */
void chat_notice(chat_app *chat, const char *format, ...);

#endif
