# Checks whether this machine can compile against OpenSSL, whose libcrypto encrypts the databases. Sourced by deploy/build
# and tests/run.
# shellcheck shell=bash

# has_openssl: succeeds if headers and library are installed, or the caller says where they are (OPENSSL_DIR,
# OPENSSL_INCLUDE_DIR), or they are not needed, as on macOS.
has_openssl() {
  [ -z "${OPENSSL_DIR:-}${OPENSSL_INCLUDE_DIR:-}" ] || return 0
  [ "$(uname -s)" != Darwin ] || return 0
  # Some machines lack only the headers of their architecture, so a whole program is compiled as a test.
  printf '#include <openssl/evp.h>\nint main(void) { return EVP_aes_256_cbc() == 0; }\n' |
    cc -x c - -x none -lcrypto -o /dev/null 2>/dev/null
}
