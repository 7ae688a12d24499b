/*
 * seen/seen.h: all of libseen's stable API.
 *
 * The engine for hosts with a protocol of their own is <seen/sys/engine.h>.
 */
#ifndef SEEN_SEEN_H
#define SEEN_SEEN_H

#include <seen/badge.h>
#include <seen/chat.h>
#include <seen/client.h>
#include <seen/error.h>
#include <seen/event.h>
#include <seen/options.h>
#include <seen/position.h>
#include <seen/reply.h>
#include <seen/types.h>
#include <seen/viewport.h>

#endif
