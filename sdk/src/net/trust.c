/* What OpenSSL is asked beside the two libraries that stand on it. */
#include "net/trust.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/platform.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <string.h>

enum { FILE_MAX = 1 << 22, KEY_TEXT = 44 };

bool sn_trust_read_key(const char *base64, sn_key *key) {
  unsigned char bytes[KEY_TEXT];
  int length;

  if (strlen(base64) != KEY_TEXT || base64[KEY_TEXT - 1] != '=') return false;
  length = EVP_DecodeBlock(bytes, (const unsigned char *)base64, KEY_TEXT);
  if (length < (int)sizeof key->digest) return false;
  memcpy(key->digest, bytes, sizeof key->digest);
  memcpy(key->base64, base64, sizeof key->base64);
  return true;
}

bool sn_trust_is_key(const sn_key *key, const void *info, size_t size) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;

  return EVP_Digest(info, size, digest, &length, EVP_sha256(), NULL) == 1 &&
         length == sizeof key->digest &&
         memcmp(digest, key->digest, length) == 0;
}

static bool holds_certificate(const uint8_t *bytes, size_t size) {
  BIO *text = BIO_new_mem_buf(bytes, (int)size);
  X509 *certificate = text ? PEM_read_bio_X509(text, NULL, NULL, NULL) : NULL;
  bool holds = certificate != NULL;

  X509_free(certificate);
  BIO_free(text);
  ERR_clear_error();
  return holds;
}

int sn_trust_check_file(const seen_allocator *memory, const char *path,
                        seen_error *error) {
  uint8_t *bytes;
  size_t size;
  int status = sn_platform_load(path, FILE_MAX, memory, &bytes, &size, error);

  if (status) return status;
  if (!holds_certificate(bytes, size))
    status =
        sn_fail(error, SEEN_EPARSE, "ca_file %s: no certificate in it", path);
  sn_release(memory, bytes);
  return status;
}

void sn_trust_encode(const char *text, char base64[SN_BASE64_MAX]) {
  EVP_EncodeBlock((unsigned char *)base64, (const unsigned char *)text,
                  (int)strlen(text));
}
