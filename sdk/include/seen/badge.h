/*
 * seen/badge.h: a number of unread messages as the text of a badge (B1, B2).
 */
#ifndef SEEN_BADGE_H
#define SEEN_BADGE_H

#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** What a dot is as text: U+2022, three bytes of UTF-8. */
#define SEEN_BADGE_DOT "\xe2\x80\xa2"

/** Enough for any badge, its NUL included. */
#define SEEN_BADGE_MAX 24

/** What a badge is to show. */
typedef enum seen_badge_kind {
  SEEN_BADGE_NONE = 0,    /**< nothing */
  SEEN_BADGE_NUMBER = 1,  /**< the number, capped */
  SEEN_BADGE_DOT_KIND = 2 /**< a dot: muted, or marked unread with 0 unread */
} seen_badge_kind;

/**
 * Which badge a conversation wears (B2).
 *
 * Thread: any. Ownership: values. Offline: yes.
 */
SEEN_API seen_badge_kind seen_badge_choose(uint64_t unread, bool muted,
                                           bool marked_unread);

/**
 * Writes the text of a badge: "" for none and for a number of 0, "1" … "99",
 * "99+" above `cap`, or SEEN_BADGE_DOT. `cap` is at least 1; 0 is taken as 1.
 *
 * Returns the length without the NUL, at most SEEN_BADGE_MAX - 1.
 *
 * Thread: any. Ownership: the caller's buffer of SEEN_BADGE_MAX bytes.
 * Offline: yes.
 */
SEEN_API size_t seen_badge_text(seen_badge_kind kind, uint64_t unread,
                                uint32_t cap, char *text);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
