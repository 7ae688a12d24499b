/*
 * seen/sys/transport.h: what carries frames and requests. A transport is a
 * vtable; ours speaks WebSocket by libwebsockets and HTTP by libcurl, a host
 * may bring another.
 *
 * A transport only carries: when to dial, how long to wait and when a link is
 * dead is not for it to say. It knows no frame of the protocol but the member
 * `connection` of a polled connection's `welcome`.
 */
#ifndef SEEN_SYS_TRANSPORT_H
#define SEEN_SYS_TRANSPORT_H

#include <seen/error.h>
#include <seen/options.h>
#include <seen/sys/alloc.h>
#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** The largest frame, both ways, in bytes. */
#define SEEN_FRAME_MAX ((size_t)65536)

/** What a connection is carried by. */
typedef enum seen_link {
  SEEN_LINK_SOCKET = 0, /**< a WebSocket */
  SEEN_LINK_POLL = 1    /**< requests: the same frames by POST and long poll */
} seen_link;

/** How to open a connection. Zero-initialise it and set its size. */
typedef struct seen_dial {
  uint32_t size;       /**< sizeof(seen_dial) */
  uint64_t connection; /**< the caller's number for it, never used twice */
  seen_link link;
  const char *SEEN_NULLABLE token; /**< a bearer token; NULL: none */
  uint32_t timeout_ms;             /**< until it is open; 0: never given up */
} seen_dial;

/** One HTTP request. Zero-initialise it and set its size. */
typedef struct seen_http_request {
  uint32_t size;    /**< sizeof(seen_http_request) */
  uint64_t request; /**< the caller's number for it, never used twice */
  const char *path; /**< below the server's URL, from its "/" on */
  const char *SEEN_NULLABLE token;
  const char *SEEN_NULLABLE body; /**< JSON, for POST; NULL: GET */
  size_t length;                  /**< of the body */
  uint32_t timeout_ms; /**< until it is answered; 0: never given up */
} seen_http_request;

/** Why a connection ended, or a request had no answer. */
typedef enum seen_ended {
  SEEN_ENDED_LOCAL = 1, /**< close() or cancel() */
  SEEN_ENDED_RESOLVE,   /**< the server's name is not known */
  SEEN_ENDED_CONNECT,   /**< nobody there: refused, unreachable */
  SEEN_ENDED_TIMEOUT,   /**< not open or answered in time */
  SEEN_ENDED_TLS,       /**< the certificate is not to be trusted */
  SEEN_ENDED_PROXY,     /**< the proxy refused; `code` its status */
  SEEN_ENDED_HTTP,      /**< an answer, but no upgrade, no frames; `code` */
  SEEN_ENDED_PROTOCOL,  /**< what came is no WebSocket, UTF-8 or too large */
  SEEN_ENDED_PEER,      /**< closed by the server; `code` its close code */
  SEEN_ENDED_LOST       /**< it broke */
} seen_ended;

typedef enum seen_transport_event_type {
  SEEN_TRANSPORT_OPEN = 1, /**< a connection can take frames */
  SEEN_TRANSPORT_FRAME,    /**< `text` came, whole */
  SEEN_TRANSPORT_ALIVE,    /**< a ping was answered */
  SEEN_TRANSPORT_ENDED,    /**< a connection's last event, exactly one */
  SEEN_TRANSPORT_ANSWER    /**< a request's only event, exactly one */
} seen_transport_event_type;

/** What happened. */
typedef struct seen_transport_event {
  uint32_t size; /**< sizeof(seen_transport_event) */
  seen_transport_event_type type;
  uint64_t number;                /**< of the connection or the request */
  seen_ended ended;               /**< ENDED; ANSWER with status 0 */
  uint32_t code;                  /**< ENDED: as its reason says; 0: none */
  uint32_t status;                /**< ANSWER: HTTP status; 0: no answer */
  uint64_t retry_ms;              /**< of a Retry-After header; 0: none */
  const char *SEEN_NULLABLE text; /**< FRAME: the frame; ANSWER: the body;
                                       ENDED: words for a person */
  size_t length;                  /**< of `text`; a NUL stands behind it */
} seen_transport_event;

typedef struct seen_transport seen_transport;

/**
 * A transport. All functions are called by one thread at a time: that of the
 * client's loop, or of a call that does its work; none waits for the network. Whenever an event can be pulled after
 * there was none, it calls the `wake` that it was made with, from any thread.
 */
struct seen_transport {
  uint32_t size; /**< sizeof(seen_transport), or larger where it is extended */

  /**
   * Begins to open a connection. Its end is always told by an event, also
   * where this returns SEEN_EIO (no thread for it); after SEEN_EINVAL and
   * SEEN_ENOMEM there is no connection and no event.
   */
  int (*dial)(seen_transport *transport, const seen_dial *dial,
              seen_error *SEEN_NULLABLE error);

  /**
   * Sends a frame behind those that wait. One on a connection that is not
   * open is dropped: its end is told anyway. SEEN_EFULL: more than 4 MiB
   * wait already; SEEN_ENOMEM. The text is copied.
   */
  int (*write)(seen_transport *transport, uint64_t connection, const char *text,
               size_t length, seen_error *SEEN_NULLABLE error);

  /** Asks the other end for a sign of life; never fails. */
  void (*ping)(seen_transport *transport, uint64_t connection);

  /**
   * Closes a connection with a close code, after what waits was sent. ENDED
   * follows, within a second, whatever the network does. One that has ended
   * is no error.
   */
  void (*close)(seen_transport *transport, uint64_t connection, uint32_t code);

  /** Begins a request; SEEN_EINVAL and SEEN_ENOMEM as with dial. */
  int (*request)(seen_transport *transport, const seen_http_request *request,
                 seen_error *SEEN_NULLABLE error);

  /** Gives a request up; its ANSWER follows. */
  void (*cancel)(seen_transport *transport, uint64_t request);

  /** Pulls the next event; what it points at is valid until the next call. */
  bool (*next)(seen_transport *transport, seen_transport_event *event);

  /** Drops everything and frees it; nothing is called or running after. */
  void (*free)(seen_transport *SEEN_NULLABLE transport);
};

/** Called from any thread; may do no more than wake the loop. */
typedef void (*seen_transport_wake)(void *SEEN_NULLABLE user_data);

/** How to reach a server. Initialise with seen_net_options_init(). */
typedef struct seen_net_options {
  uint32_t size; /**< sizeof(seen_net_options) */
  /** "https://host[:port][/path]", "http://…", "wss://…" or "ws://…"; a host
   * behind TLS is a name or an IPv4 address. */
  const char *url;
  /** A proxy, "http://[user:password@]host:port", "%40" for an at sign; NULL:
   * none, whatever the environment says. */
  const char *SEEN_NULLABLE proxy;
  const char *SEEN_NULLABLE ca_file; /**< PEM; NULL: those of the system */
  /**
   * The SHA-256 of the server's public key (SubjectPublicKeyInfo), base64:
   * of those that the CAs vouch for, no other is spoken to. NULL: any.
   */
  const char *SEEN_NULLABLE pinned_key;
  uint32_t poll_ms;           /**< 25000: how long a poll waits at the server */
  seen_log SEEN_NULLABLE log; /**< called on any thread */
  void *SEEN_NULLABLE log_user_data;
  seen_log_level log_level; /**< SEEN_LOG_WARN */
  /** NULL: the default; called on any thread, by several at once. */
  const seen_allocator *SEEN_NULLABLE allocator;
  seen_transport_wake wake;
  void *SEEN_NULLABLE user_data; /**< of `wake` */
} seen_net_options;

/**
 * Fills in the defaults, which stand beside each field above; `url` and
 * `wake` are the caller's to set.
 *
 * Thread: any. Ownership: the caller's. Offline: yes.
 */
SEEN_API void seen_net_options_init(seen_net_options *options);

/**
 * Makes the transport that ships: libwebsockets for sockets, libcurl for
 * requests, each on a thread of its own that is begun when first needed.
 *
 * Fails with SEEN_EINVAL for an URL, a proxy or a key that makes no sense,
 * SEEN_ENOTFOUND, SEEN_EREADONLY or SEEN_EPARSE for a `ca_file` that is not
 * there, can't be read or holds no certificate, SEEN_ENOMEM, and
 * SEEN_EUNSUPPORTED where the library was built without it. `*out` is NULL
 * then.
 *
 * Thread: any. Ownership: the caller frees `*out` with its free(); options
 * are copied, the allocator must outlive it. Offline: yes.
 */
SEEN_API int seen_net_open(const seen_net_options *options,
                           seen_transport *SEEN_NULLABLE *SEEN_NONNULL out,
                           seen_error *SEEN_NULLABLE error);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
