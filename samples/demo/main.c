/*
 * seen-demo: a server, a real chat, and one person with several devices; each
 * device is a client of the library. In a terminal the person is whoever sits
 * before it.
 */
#include "live.h"
#include "story.h"

#include <curl/curl.h>
#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIVE_LINES 160 /* of the main log: said by the crowd, not imported */

static const char me[] = "u2";
static const char main_log[] = "log080.jsonl";
static const char main_conv[] = "ubuntu";

static int complain(const char *why) {
  fprintf(stderr, "seen-demo: %s\n", why);
  return 1;
}

/* Imports the first `lines` of a log; 0: all. */
static bool import(const demo_server *server, const char *folder,
                   const char *name, const char *conv, size_t lines) {
  char from[300], to[300], line[8192];
  FILE *in, *out;
  bool good;

  snprintf(from, sizeof from, "%s/%s", folder, name);
  if (lines == 0) return served_import(server, from, conv);
  started_path(&server->on, "log", to);
  if ((in = fopen(from, "r")) == NULL) return false;
  if ((out = fopen(to, "w")) == NULL) {
    fclose(in);
    return false;
  }
  while (lines-- > 0 && fgets(line, sizeof line, in) != NULL)
    fputs(line, out);
  fclose(in);
  good = fclose(out) == 0;
  return good && served_import(server, to, conv);
}

static bool fill(const demo_server *server, const char *folder, size_t lines) {
  return import(server, folder, main_log, main_conv, lines) &&
         import(server, folder, "log050.jsonl", "install", 0) &&
         import(server, folder, "log076.jsonl", "desktop", 0);
}

static int play(demo_server *server, chat_log *log, size_t lines,
                const char *chat_program) {
  demo_devices all;
  demo_crowd crowd;
  bool good = devices_open(&all, server);

  if (!good) return complain("there is no pipe");
  good = crowd_open(&crowd, &all, log, lines, main_conv, me);
  if (good)
    good = chat_program != NULL ? live_run(&all, &crowd, chat_program, me)
                                : story_play(&all, &crowd, me, main_conv);
  devices_close(&all);
  return good ? 0 : complain("that is not as it has to be");
}

static int run(demo_server *server, const char *folder,
               const char *chat_program) {
  char path[300], wrong[256];
  chat_log log;
  size_t lines;
  int result;

  snprintf(path, sizeof path, "%s/%s", folder, main_log);
  if (!chat_log_read(&log, path, wrong, sizeof wrong)) return complain(wrong);
  lines = log.count - LIVE_LINES;
  if (!fill(server, folder, lines)) {
    chat_log_free(&log);
    return complain("the server does not take the logs");
  }
  if (!served_start(server)) {
    chat_log_free(&log);
    return complain("the server does not start");
  }
  printf("seen-server is at %s; three real chats were imported.\n",
         server->url);
  result = play(server, &log, lines, chat_program);
  chat_log_free(&log);
  return result;
}

int main(int count, char **arguments) {
  char why[512];
  demo_server server;
  int result;

  if (count != 3 && count != 4) {
    fputs("Usage: seen-demo SEEN_SERVER LOGS [SEEN_CHAT]\n"
          "Plays a story as lines of text; with SEEN_CHAT and a terminal, "
          "opens that.\n",
          stderr);
    return 2;
  }
  /* libwebsockets greets on the standard error. */
  lws_set_log_level(LLL_ERR, NULL);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  if (!started_prepare(&server.on, arguments[1], "seen-demo", why))
    return complain(why);
  result = run(&server, arguments[2],
               count == 4 && isatty(STDOUT_FILENO) ? arguments[3] : NULL);
  started_close(&server.on);
  curl_global_cleanup();
  return result;
}
