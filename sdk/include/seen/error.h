/*
 * seen/error.h: what can go wrong, and how it is told.
 *
 * Functions that can fail return 0 or a negative SEEN_E… code. Detail for a
 * person goes into a seen_error that the caller owns.
 */
#ifndef SEEN_ERROR_H
#define SEEN_ERROR_H

#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** Every error: X(name, value, text). Values never change. */
#define SEEN_ERROR_MAP(X)                                                      \
  X(EINVAL, -1, "invalid argument")                                            \
  X(ENOMEM, -2, "out of memory")                                               \
  X(ERANGE, -3, "number out of range")                                         \
  X(ENOTFOUND, -4, "no such conversation or message")                          \
  X(ESTATE, -5, "not allowed in this state")                                   \
  X(EPARSE, -6, "malformed text")                                              \
  X(ECLOCK, -7, "the clock went backwards")                                    \
  X(EUNSUPPORTED, -8, "not supported here")                                    \
  X(EFULL, -9, "no room is left, on the disk or in a queue")                   \
  X(EREADONLY, -10, "the file or its folder can't be written")                 \
  X(EBUSY, -11, "somebody else holds it just now")                             \
  X(EIO, -12, "the disk failed")                                               \
  X(ECORRUPT, -13, "the file is corrupt or no mirror")                         \
  X(ESCHEMA, -14, "the file was written by a newer library")                   \
  X(EKEY, -15, "the key does not open the file")                               \
  X(ELOCKED, -16, "another process has the mirror open")                       \
  X(ETIMEOUT, -17, "not done in time")                                         \
  X(ECANCELED, -18, "given up")                                                \
  X(EREFUSED, -19, "the server refused")                                       \
  X(ECLOSED, -20, "the client is closed")

/** The error codes; SEEN_OK is success. */
typedef enum seen_status {
  SEEN_OK = 0,
#define SEEN_ERROR_ENUM(name, value, text) SEEN_##name = value,
  SEEN_ERROR_MAP(SEEN_ERROR_ENUM)
#undef SEEN_ERROR_ENUM
      SEEN_STATUS_END_ = 1
} seen_status;

/** How long the message of a seen_error can be, its NUL included. */
#define SEEN_ERROR_MESSAGE_MAX 256

/** Detail of a failure. Owned by the caller, who may pass NULL instead. */
typedef struct seen_error {
  uint32_t size; /**< sizeof(seen_error), set by the initialiser */
  int code;      /**< SEEN_OK or a SEEN_E… code */
  char message[SEEN_ERROR_MESSAGE_MAX]; /**< one line, UTF-8 */
} seen_error;

/** Initialises a seen_error: `seen_error error = SEEN_ERROR_INIT;` */
#define SEEN_ERROR_INIT                                                        \
  {                                                                            \
    (uint32_t)sizeof(seen_error), SEEN_OK, {                                   \
      0                                                                        \
    }                                                                          \
  }

/**
 * Makes `*error` say that nothing went wrong; as SEEN_ERROR_INIT does.
 *
 * Thread: any. Ownership: the caller's. Offline: yes.
 */
SEEN_API void seen_error_init(seen_error *error);

/**
 * The name of a code, "SEEN_ENOMEM" for SEEN_ENOMEM; "SEEN_OK" for 0 and
 * "SEEN_E?" for a number that is no code.
 *
 * Thread: any. Ownership: static, never freed. Offline: yes.
 */
SEEN_API const char *seen_error_name(int code);

/**
 * A code in words, without detail; "unknown error" for a number that is no
 * code.
 *
 * Thread: any. Ownership: static, never freed. Offline: yes.
 */
SEEN_API const char *seen_error_text(int code);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
