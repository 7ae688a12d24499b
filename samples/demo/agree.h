/*
 * Whether all devices of a user show the same, and the server counts the same.
 */
#ifndef DEMO_AGREE_H
#define DEMO_AGREE_H

#include "device.h"

/* Waits until two devices and the server agree; false: they do not. */
bool agree_all(demo_device *one, demo_device *other, seen_totals *totals);

#endif
