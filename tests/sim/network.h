/*
 * The network: links that carry frames in order, each with a latency of its
 * own, until they are cut; links that look open and carry nothing; requests.
 */
#ifndef TESTS_SIM_NETWORK_H
#define TESTS_SIM_NETWORK_H

#include "sim/sim.h"

/* What a device's session wants of its transport. */
void network_dial(sim_world *sim, sim_device *device, const seen_dial *dial);
void network_write(sim_world *sim, sim_device *device, uint64_t number,
                   const char *text, size_t length);
void network_ping(sim_world *sim, sim_device *device, uint64_t number);
void network_close(sim_world *sim, sim_device *device, uint64_t number,
                   uint32_t code);
void network_request(sim_world *sim, sim_device *device,
                     const seen_http_request *request);
void network_cancel(sim_world *sim, sim_device *device, uint64_t number);

/* What the server sends, and how it closes. */
void network_down(sim_world *sim, size_t at, const char *text, size_t length);
void network_closed(sim_world *sim, size_t at, int code);

/* The client's end of a link breaks, or both do: the server learns of it some
 * time later. */
void network_cut(sim_world *sim, size_t link);

/* The client learns that a link has ended, and why. */
void network_ended(sim_world *sim, size_t link, seen_ended why, uint32_t code);

/* All links of a device: NULL, of all devices. */
void network_cut_all(sim_world *sim, const sim_device *device);

/* The link of a device that is in use; link_count: there is none. */
size_t network_link(const sim_world *sim, const sim_device *device);

void network_happen(sim_world *sim, sim_event *event);

/* How long a frame takes now. */
uint64_t network_latency(sim_world *sim);

#endif
