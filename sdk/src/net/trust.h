/* Certificates and keys; the one file that knows OpenSSL. */
#ifndef SN_NET_TRUST_H
#define SN_NET_TRUST_H

#include <seen/error.h>
#include <seen/sys/alloc.h>

/* The SHA-256 of a public key. */
typedef struct sn_key {
  uint8_t digest[32];
  char base64[45]; /* the same */
} sn_key;

/* Of its base64; false where it is none. */
bool sn_trust_read_key(const char *base64, sn_key *key);

/* Whether that is the digest of a SubjectPublicKeyInfo in DER. */
bool sn_trust_is_key(const sn_key *key, const void *info, size_t size);

/* SEEN_ENOTFOUND, SEEN_EIO, SEEN_EPARSE: not one certificate in it. */
int sn_trust_check_file(const seen_allocator *memory, const char *path,
                        seen_error *error);

/* Base64 of a text of at most 255 bytes. */
#define SN_BASE64_MAX 345
void sn_trust_encode(const char *text, char base64[SN_BASE64_MAX]);

#endif
