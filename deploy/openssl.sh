# Whether this machine can compile against OpenSSL, whose libcrypto encrypts the databases. Sourced by deploy/up and
# tests/run.
# shellcheck shell=bash

# has_openssl: its headers and library are there, or the caller says where (OPENSSL_DIR, OPENSSL_INCLUDE_DIR), or they are
# not needed, as on macOS.
has_openssl() {
  [ -z "${OPENSSL_DIR:-}${OPENSSL_INCLUDE_DIR:-}" ] || return 0
  [ "$(uname -s)" != Darwin ] || return 0
  # The architecture's own part of the headers is missing on some machines that have the rest: so, a whole program.
  printf '#include <openssl/evp.h>\nint main(void) { return EVP_aes_256_cbc() == 0; }\n' |
    cc -x c - -x none -lcrypto -o /dev/null 2>/dev/null
}
