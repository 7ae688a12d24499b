/* The words that frames have beside those of model/names.h. */
#ifndef SN_WIRE_NAMES_H
#define SN_WIRE_NAMES_H

#include <stdbool.h>

/* What a client says: the member `t` of its frames, `of` of an ack. */
typedef enum sn_say {
  SN_SAY_UNKNOWN = 0,
  SN_SAY_HELLO,
  SN_SAY_READ,
  SN_SAY_DELIVERED,
  SN_SAY_MARK_UNREAD,
  SN_SAY_READ_ALL,
  SN_SAY_FETCH,
  SN_SAY_SYNC,
  SN_SAY_SUBSCRIBE,
  SN_SAY_UNSUBSCRIBE,
  SN_SAY_SET,
  SN_SAY_SEND,
  SN_SAY_HISTORY,
  SN_SAY_CREATE,
  SN_SAY_ADD,
  SN_SAY_REMOVE,
  SN_SAY_JOIN,
  SN_SAY_LEAVE,
  SN_SAY_SETTINGS
} sn_say;

/* What a server says. */
typedef enum sn_frame_type {
  SN_FRAME_UNKNOWN = 0,
  SN_FRAME_WELCOME,
  SN_FRAME_CHANGES,
  SN_FRAME_MESSAGE,
  SN_FRAME_POSITION,
  SN_FRAME_ACK,
  SN_FRAME_PEER,
  SN_FRAME_RECEIPTS,
  SN_FRAME_MEMBERS,
  SN_FRAME_SET,
  SN_FRAME_LEFT,
  SN_FRAME_PAGE,
  SN_FRAME_REPORT_NOW,
  SN_FRAME_RESYNC,
  SN_FRAME_ERROR
} sn_frame_type;

/* How an item of an ack ended. */
typedef enum sn_result {
  SN_RESULT_UNKNOWN = 0,
  SN_RESULT_OK,
  SN_RESULT_STALE,
  SN_RESULT_REBASED,
  SN_RESULT_REFUSED
} sn_result;

const char *sn_say_name(sn_say say); /* UNKNOWN: "?" */

/* UNKNOWN for any other word. */
sn_say sn_say_of(const char *name);
sn_frame_type sn_frame_type_of(const char *name);
sn_result sn_result_of(const char *name);

#endif
