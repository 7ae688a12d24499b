/*
 * Whether all devices of a user show the same, and the server counts the same.
 */
#ifndef DEMO_AGREE_H
#define DEMO_AGREE_H

#include "device.h"

/* The server's own count of a user's badge, by HTTP; false: no answer. */
bool agree_ask(const demo_device *device, seen_totals *totals);

/* Waits until two devices and the server agree; false: they do not. */
bool agree_all(demo_device *one, demo_device *other, seen_totals *totals);

#endif
