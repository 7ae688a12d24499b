#include "story.h"

#include "agree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SCREEN 12 /* messages on a phone */

typedef struct demo_story {
  demo_devices *all;
  demo_crowd *crowd;
  demo_device *phone;
  demo_device *desktop;
  const char *me;
  const char *conv;
  bool good;
} demo_story;

static seen_state state_of(const demo_story *story, const demo_device *device) {
  seen_state state = {.size = sizeof state};

  seen_client_state(device->client, story->conv, &state);
  return state;
}

/* "41 @": a badge as an app would show it. */
static void badge_of(const demo_story *story, const demo_device *device,
                     char text[32]) {
  seen_state state = state_of(story, device);
  char badge[SEEN_BADGE_MAX];

  seen_badge_text(state.badge, state.unread, 99, badge);
  snprintf(text, 32, "%s%s", badge[0] != '\0' ? badge : "-",
           state.mentions > 0 ? " @" : "");
}

static void print_badge(const demo_story *story, const demo_device *device,
                        int width) {
  char badge[32];

  badge_of(story, device, badge);
  /* A dot takes two bytes more than columns. */
  if (strstr(badge, SEEN_BADGE_DOT) != NULL) width += 2;
  printf("  %-*s", width, badge);
}

/* One line: what happened, and what both devices show. */
static void tell(const demo_story *story, const char *format, ...) {
  char what[128];
  va_list list;

  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  printf("  %-56s", what);
  print_badge(story, story->phone, 8);
  print_badge(story, story->desktop, 0);
  printf("\n");
  fflush(stdout);
}

static void require(demo_story *story, bool holds, const char *what) {
  if (holds) return;
  printf("  WRONG: %s\n", what);
  story->good = false;
}

/* What the two devices are to show. */
typedef struct demo_wanted {
  const demo_story *story;
  uint64_t phone;
  uint64_t desktop;
} demo_wanted;

static bool shows(void *user_data) {
  const demo_wanted *wanted = user_data;

  return state_of(wanted->story, wanted->story->phone).unread ==
             wanted->phone &&
         state_of(wanted->story, wanted->story->desktop).unread ==
             wanted->desktop;
}

static void expect(demo_story *story, uint64_t phone, uint64_t desktop,
                   const char *what) {
  demo_wanted wanted = {story, phone, desktop};

  require(story, devices_wait(story->all, shows, &wanted), what);
}

static uint64_t unread(const demo_story *story, const demo_device *device) {
  return state_of(story, device).unread;
}

static bool both_synced(void *user_data) {
  const demo_story *story = user_data;

  return device_is_synced(story->phone) && device_is_synced(story->desktop);
}

static bool no_mentions(void *user_data) {
  const demo_story *story = user_data;

  return state_of(story, story->phone).mentions == 0 &&
         state_of(story, story->desktop).mentions == 0;
}

static void begin(demo_story *story) {
  seen_state state;

  require(story, devices_wait(story->all, both_synced, story),
          "both devices are in sync");
  state = state_of(story, story->phone);
  tell(story, "%llu messages are there, nothing was read",
       (unsigned long long)state.last_seq);
  seen_client_mark_all_read(story->desktop->client);
  expect(story, 0, 0, "mark all as read on one reads on the other");
  seen_client_clear_mentions(story->desktop->client, story->conv);
  require(story, devices_wait(story->all, no_mentions, story),
          "mentions cleared on one are cleared on the other");
  tell(story, "all is marked as read, on the desktop");
}

/* Lines of the log come in while nobody looks. */
static void burst(demo_story *story, int lines) {
  uint64_t before = unread(story, story->phone);

  seen_client_foreground(story->phone->client, false);
  for (int i = 0; i < lines; i++)
    require(story, crowd_say(story->crowd, story->me, NULL), "a line is said");
  expect(story, before + (uint64_t)lines, before + (uint64_t)lines,
         "each line counts once, on both devices");
  tell(story, "%d lines of the log come in, the phone is in a pocket", lines);
}

static void mention(demo_story *story) {
  demo_device *someone = story->crowd->people[0];
  uint64_t before = unread(story, story->phone);

  require(story,
          device_say(someone, story->conv, "are you there?", &story->me, 1),
          "a mention is sent");
  expect(story, before + 1, before + 1, "a mention counts as a message");
  require(story, state_of(story, story->phone).mentions > 0,
          "the mention is shown");
  tell(story, "%s asks %s something", someone->user, story->me);
}

/* The phone scrolls through everything that is unread, a screen at a time. */
static void scroll(demo_story *story) {
  seen_client *client = story->phone->client;
  seen_state state = state_of(story, story->phone);
  uint64_t first = state.first_unread;

  seen_client_foreground(client, true);
  seen_client_opened(client, story->conv);
  for (; first <= state.last_seq; first += SCREEN) {
    uint64_t last = first + SCREEN - 1;

    seen_client_visible(client, story->conv, first,
                        last < state.last_seq ? last : state.last_seq);
    devices_rest(story->all, 180); /* a moment on screen is read */
  }
  seen_client_closed(client, story->conv);
  expect(story, 0, 0, "what is scrolled through here is read there");
  require(story, state_of(story, story->desktop).mentions == 0,
          "the mention was on screen");
  tell(story, "the phone scrolls to the end; the desktop clears");
}

static void mark_unread(demo_story *story) {
  uint64_t last = state_of(story, story->desktop).last_seq;

  seen_client_mark_unread(story->desktop->client, story->conv, last - 2);
  expect(story, 3, 3, "marked as unread here is unread there");
  tell(story, "the desktop marks the last three as unread");
}

static void recall(demo_story *story) {
  demo_device *someone = story->crowd->people[1];
  uint64_t before = unread(story, story->phone), request;

  require(story, device_say(someone, story->conv, "wrong window", NULL, 0),
          "a message is sent");
  expect(story, before + 1, before + 1, "a message counts");
  tell(story, "%s writes into the wrong window ...", someone->user);
  seen_client_recall(someone->client, story->conv, someone->sent, &request,
                     NULL);
  expect(story, before, before, "a recalled message does not count");
  tell(story, "... and takes it back");
}

static bool phone_is_offline(void *user_data) {
  const demo_story *story = user_data;
  seen_connection_state state = {.size = sizeof state};

  seen_client_connection(story->phone->client, &state);
  return state.connection != SEEN_CONNECTION_ONLINE;
}

/* Reading goes on without a server, and heals when it is back. */
static void offline(demo_story *story) {
  uint64_t before = unread(story, story->desktop);

  started_kill(&story->all->server->on);
  require(story, devices_wait(story->all, phone_is_offline, story),
          "the phone sees that the server is gone");
  tell(story, "the server is killed");
  seen_client_mark_read(story->phone->client, story->conv, 0);
  expect(story, 0, before, "a read counts at once, also offline");
  tell(story, "the phone reads on, offline");
  require(story, served_start(story->all->server), "the server starts");
  expect(story, 0, 0, "what was read offline reaches the desktop");
  require(story, devices_wait(story->all, both_synced, story),
          "both devices are in sync again");
  tell(story, "the server is back, and the desktop clears");
}

typedef struct demo_readers {
  const demo_story *story;
  uint64_t seq;
  uint64_t count;
  seen_receipt receipt;
} demo_readers;

static bool is_read_by(void *user_data) {
  demo_readers *readers = user_data;

  readers->receipt.size = sizeof readers->receipt;
  return seen_client_receipt(readers->story->phone->client,
                             readers->story->conv, readers->seq,
                             &readers->receipt) == SEEN_OK &&
         readers->receipt.read >= readers->count;
}

static bool is_there(void *user_data) {
  const demo_readers *readers = user_data;

  return crowd_has(readers->story->crowd, readers->seq);
}

/* An own message, read by one after the other. */
static void receipts(demo_story *story) {
  demo_readers readers = {.story = story};

  require(story, device_say(story->phone, story->conv, "thanks, all", NULL, 0),
          "an own message is sent");
  readers.seq = story->phone->sent;
  require(story, devices_wait(story->all, is_there, &readers),
          "the others have it");
  seen_client_opened(story->phone->client, story->conv);
  seen_client_visible(story->phone->client, story->conv, readers.seq,
                      readers.seq);
  for (size_t i = 0; i < CROWD; i += 2) {
    crowd_read(story->crowd, i);
    crowd_read(story->crowd, i + 1);
    readers.count = i + 2;
    require(story, devices_wait(story->all, is_read_by, &readers),
            "receipts rise with each reader");
    tell(story, "%s's own message: read by %llu of %llu", story->me,
         (unsigned long long)readers.receipt.read,
         (unsigned long long)readers.receipt.audience);
  }
  seen_client_closed(story->phone->client, story->conv);
}

static void end(demo_story *story) {
  seen_totals totals;
  bool agreed = agree_all(story->phone, story->desktop, &totals);

  require(story, agreed, "all devices and the server agree");
  if (agreed)
    printf("\n  phone, desktop and server agree: %llu unread, %llu mentions\n",
           (unsigned long long)totals.unread,
           (unsigned long long)totals.mentions);
}

bool story_play(demo_devices *all, demo_crowd *crowd, const char *me,
                const char *conv) {
  demo_story story = {.all = all, .crowd = crowd, .me = me, .conv = conv};

  story.good = true;
  story.phone = devices_add(all, me, "phone");
  story.desktop = devices_add(all, me, "desktop");
  if (story.phone == NULL || story.desktop == NULL) return false;
  printf("\n  %-56s  %-8s  %s\n", "", "phone", "desktop");
  begin(&story);
  burst(&story, 40);
  mention(&story);
  scroll(&story);
  mark_unread(&story);
  recall(&story);
  offline(&story);
  receipts(&story);
  end(&story);
  return story.good;
}
