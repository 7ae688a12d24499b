#include "chat.h"

#include "mentions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE 50u
#define READERS_MAX 100u

void chat_notice(chat_app *chat, const char *format, ...) {
  va_list list;

  va_start(list, format);
  vsnprintf(chat->notice, sizeof chat->notice, format, list);
  va_end(list);
  chat->dirty = true;
}

static void wakeup(void *user_data) {
  const chat_app *chat = user_data;
  ssize_t written;

  do {
    written = write(chat->wake[1], "", 1);
  } while (written < 0 && errno == EINTR);
}

/* The view of a conversation, made where there is none; NULL: no memory. */
static chat_view *view_of(chat_app *chat, const char *id) {
  chat_view **views, *view;

  for (size_t i = 0; i < chat->view_count; i++)
    if (strcmp(chat->views[i]->id, id) == 0) return chat->views[i];
  views = realloc(chat->views, (chat->view_count + 1) * sizeof *views);
  if (views == NULL) return NULL;
  chat->views = views;
  if ((view = calloc(1, sizeof *view)) == NULL) return NULL;
  if ((view->id = strdup(id)) == NULL) {
    free(view);
    return NULL;
  }
  views[chat->view_count++] = view;
  return view;
}

static void drop_post(chat_view *view, size_t at) {
  free(view->posts[at].body);
  memmove(&view->posts[at], &view->posts[at + 1],
          (view->post_count - at - 1) * sizeof *view->posts);
  view->post_count--;
}

static void drop_view(chat_view *view) {
  while (view->post_count > 0)
    drop_post(view, view->post_count - 1);
  free(view->posts);
  texts_free(&view->texts);
  free(view->id);
  free(view);
}

bool chat_show(chat_app *chat, const char *id) {
  chat_view *view = id == NULL ? NULL : view_of(chat, id);
  seen_state state;

  if (id != NULL && view == NULL) return false;
  if (view == chat->open) return true;
  if (chat->open != NULL) seen_client_closed(chat->client, chat->open->id);
  chat_who(chat, 0);
  chat->open = view;
  chat->editing = 0;
  chat->dirty = true;
  if (view == NULL) return true;
  state.size = sizeof state;
  if (seen_client_state(chat->client, id, &state) == SEEN_OK)
    view->wanted = state.first_unread;
  seen_client_opened(chat->client, id);
  view->bottom = 0;
  view->below = 0;
  chat_fill(chat);
  return true;
}

static void ask(chat_app *chat, chat_view *view, uint64_t before,
                uint32_t limit) {
  seen_error error = SEEN_ERROR_INIT;

  if (seen_client_history(chat->client, view->id, before, limit, &view->history,
                          &error) != SEEN_OK) {
    view->history = 0;
    chat_notice(chat, "%s", error.message);
  }
}

static uint64_t newest(const chat_texts *texts) {
  return texts->count > 0 ? texts->items[texts->count - 1].seq : 0;
}

void chat_fill_older(chat_app *chat) {
  chat_view *view = chat->open;

  if (view == NULL || view->history != 0 || !view->texts.more) return;
  ask(chat, view, texts_first(&view->texts), PAGE);
}

void chat_fill(chat_app *chat) {
  chat_view *view = chat->open;
  uint64_t missing;
  seen_state state;

  state.size = sizeof state;
  if (view == NULL || view->history != 0 ||
      seen_client_state(chat->client, view->id, &state) != SEEN_OK)
    return;
  if (!view->texts.begun || state.last_seq > newest(&view->texts)) {
    if (state.last_seq == 0 || view->asked >= state.last_seq) return;
    view->asked = state.last_seq;
    missing = state.last_seq - newest(&view->texts);
    /* A hole that one page does not fill: what is above it begins anew. */
    if (missing > PAGE) texts_free(&view->texts);
    ask(chat, view, 0, PAGE);
  } else if (view->wanted > 0 && view->wanted < texts_first(&view->texts)) {
    chat_fill_older(chat);
  }
}

bool chat_say(chat_app *chat, const char *body) {
  chat_view *view = chat->open;
  chat_mentions mentions;
  seen_error error = SEEN_ERROR_INIT;
  seen_post post = {.size = sizeof post, .body = body};
  chat_post *posts;

  if (view == NULL) return false;
  posts = realloc(view->posts, (view->post_count + 1) * sizeof *posts);
  if (posts == NULL) return false;
  view->posts = posts;
  posts += view->post_count;
  memset(posts, 0, sizeof *posts);
  mentions_find(&mentions, body);
  post.mentions = (const char *const *)mentions.users;
  post.mention_count = mentions.count;
  post.mention_all = mentions.all;
  if (seen_client_send(chat->client, view->id, &post, &posts->request,
                       &error) != SEEN_OK) {
    posts->failed = true;
    snprintf(posts->why, sizeof posts->why, "%s", error.message);
  }
  mentions_free(&mentions);
  posts->body = strdup(body);
  if (posts->body == NULL) return false;
  view->post_count++;
  view->bottom = 0;
  view->below = 0;
  chat->dirty = true;
  return true;
}

static void panel_clear(chat_panel *panel) {
  for (size_t i = 0; i < panel->user_count; i++)
    free(panel->users[i]);
  free(panel->users);
  memset(panel, 0, sizeof *panel);
}

static void panel_fill(chat_panel *panel, const char *const *users,
                       size_t count) {
  panel->users = calloc(count + 1, sizeof *panel->users);
  for (size_t i = 0; panel->users != NULL && i < count; i++)
    if ((panel->users[panel->user_count] = strdup(users[i])) != NULL)
      panel->user_count++;
}

void chat_who(chat_app *chat, uint64_t seq) {
  const char *users[READERS_MAX];
  size_t count = 0;
  seen_error error = SEEN_ERROR_INIT;
  chat_panel *panel = &chat->panel;

  if (panel->request != 0) seen_client_cancel(chat->client, panel->request);
  panel_clear(panel);
  chat->dirty = true;
  if (seq == 0 || chat->open == NULL) return;
  panel->seq = seq;
  if (seen_client_readers(chat->client, chat->open->id, seq, SEEN_READERS_READ,
                          users, READERS_MAX, &count) == SEEN_OK)
    panel_fill(panel, users, count < READERS_MAX ? count : READERS_MAX);
  /* The server knows of those whose positions do not travel to everybody. */
  if (seen_client_ask_readers(chat->client, chat->open->id, seq, SEEN_ASK_READ,
                              NULL, READERS_MAX, &panel->request,
                              &error) != SEEN_OK)
    panel->request = 0;
}

static void hear_history(chat_app *chat, chat_view *view,
                         const seen_reply *reply) {
  view->history = 0;
  if (reply->code != SEEN_OK)
    chat_notice(chat, "no older messages: %s", reply->message);
  else if (!texts_add_page(&view->texts, reply->messages, reply->message_count,
                           reply->more))
    chat_notice(chat, "out of memory");
  if (view == chat->open) chat_fill(chat);
}

/* A message of one's own has its seq. */
static void hear_sent(chat_app *chat, chat_view *view, size_t at,
                      const seen_reply *reply) {
  chat_post *post = &view->posts[at];
  seen_text text = {.size = sizeof text,
                    .seq = reply->seq,
                    .from = chat->options->user,
                    .kind = SEEN_MESSAGE_TEXT,
                    .countable = true,
                    .sent_at = reply->sent_at,
                    .body = post->body};

  if (reply->code != SEEN_OK) {
    post->failed = true;
    snprintf(post->why, sizeof post->why, "%s",
             reply->message[0] != '\0' ? reply->message
                                       : seen_error_text(reply->code));
    return;
  }
  if (view->texts.begun && !texts_add(&view->texts, &text))
    chat_notice(chat, "out of memory");
  drop_post(view, at);
}

static void hear_readers(chat_app *chat, const seen_reply *reply) {
  chat_panel *panel = &chat->panel;

  if (reply->request != panel->request) return;
  panel->request = 0;
  if (reply->code != SEEN_OK || reply->users == NULL) return;
  for (size_t i = 0; i < panel->user_count; i++)
    free(panel->users[i]);
  free(panel->users);
  panel->user_count = 0;
  panel_fill(panel, reply->users, reply->user_count);
}

static void hear_reply(chat_app *chat, const seen_reply *reply) {
  hear_readers(chat, reply);
  for (size_t i = 0; i < chat->view_count; i++) {
    chat_view *view = chat->views[i];

    if (view->history != 0 && reply->request == view->history) {
      hear_history(chat, view, reply);
      return;
    }
    for (size_t k = 0; k < view->post_count; k++)
      if (view->posts[k].request == reply->request) {
        hear_sent(chat, view, k, reply);
        return;
      }
  }
  if (reply->code != SEEN_OK && reply->code != SEEN_ECANCELED &&
      reply->code != SEEN_ECLOSED)
    chat_notice(chat, "not done: %s",
                reply->message[0] != '\0' ? reply->message
                                          : seen_error_text(reply->code));
}

/* A live message; one that leaves a hole makes history be asked for. */
static void hear_message(chat_app *chat, const char *id,
                         const seen_text *message) {
  chat_view *view = view_of(chat, id);

  if (view == NULL || !view->texts.begun) return;
  if (message->seq <= newest(&view->texts) + 1 &&
      !texts_add(&view->texts, message))
    chat_notice(chat, "out of memory");
}

static void hear_token(chat_app *chat) {
  char why[256];

  if (chat->options->token_file != NULL &&
      options_read_token(chat->options, why)) {
    seen_client_token(chat->client, chat->options->token);
    return;
  }
  chat->refused = true;
  seen_client_token(chat->client, NULL);
  chat_notice(chat, "the server does not take the token; bring a new one");
}

static void hear(const seen_event *event, void *user_data) {
  chat_app *chat = user_data;

  chat->dirty = true;
  switch (event->type) {
  case SEEN_EVENT_MESSAGE:
    hear_message(chat, event->id, &event->u.message);
    break;
  case SEEN_EVENT_REPLY: hear_reply(chat, &event->u.reply); break;
  case SEEN_EVENT_TOKEN: hear_token(chat); break;
  case SEEN_EVENT_PROBLEM:
    chat->unkept |= event->u.problem.type == SEEN_PROBLEM_STORE;
    chat_notice(chat, "%s", event->u.problem.message);
    break;
  case SEEN_EVENT_GONE:
    if (chat->open != NULL && strcmp(chat->open->id, event->id) == 0)
      chat_show(chat, NULL);
    break;
  default: break;
  }
}

void chat_hear(chat_app *chat) {
  char bytes[64];

  while (read(chat->wake[0], bytes, sizeof bytes) > 0) {
  }
  seen_client_dispatch(chat->client);
  chat_fill(chat);
}

static bool open_client(chat_app *chat, char why[256]) {
  const chat_options *given = chat->options;
  seen_error error = SEEN_ERROR_INIT;
  seen_client_options options;
  uint64_t number;

  seen_client_options_init(&options);
  options.policy.user = given->user;
  options.policy.device = given->device;
  options.path = given->db;
  options.url = given->server;
  options.token = given->token;
  options.ca_file = given->ca_file;
  options.proxy = given->proxy;
  options.recorder_path = given->record;
  options.wakeup = wakeup;
  options.user_data = chat;
  if (seen_client_open(&options, &chat->client, &error) == SEEN_OK &&
      seen_client_listen(chat->client, SEEN_EVENT_ALL, NULL, hear, chat, NULL,
                         &number) == SEEN_OK)
    seen_client_dispatch(chat->client);
  if (chat->unkept) { /* it would go on without: this is to be kept */
    snprintf(why, 256, "--db %.150s: %.80s", given->db, chat->notice);
    return false;
  }
  if (chat->client != NULL &&
      seen_client_start(chat->client, &error) == SEEN_OK)
    return true;
  snprintf(why, 256, "%s", error.message);
  return false;
}

bool chat_open(chat_app *chat, chat_options *options, char why[256]) {
  memset(chat, 0, sizeof *chat);
  chat->options = options;
  chat->dirty = true;
  if (pipe2(chat->wake, O_NONBLOCK | O_CLOEXEC) != 0) {
    snprintf(why, 256, "%s", strerror(errno));
    return false;
  }
  if (open_client(chat, why)) return true;
  chat_close(chat);
  return false;
}

void chat_close(chat_app *chat) {
  if (chat->client != NULL) {
    if (chat->open != NULL) seen_client_closed(chat->client, chat->open->id);
    seen_client_flush(chat->client, 1000, NULL);
  }
  seen_client_free(chat->client);
  panel_clear(&chat->panel);
  for (size_t i = 0; i < chat->view_count; i++)
    drop_view(chat->views[i]);
  free(chat->views);
  close(chat->wake[0]);
  close(chat->wake[1]);
}
