//! Verifies signatures of tokens with ring. Signs nothing, and supports no algorithm with a shared secret.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::signature::{Error as Refused, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::signature as rs;

/// For [`CryptoProvider::install_default`]. The unimplemented parts create and name keys, and are never called.
pub(super) static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(ErrorKind::InvalidAlgorithm.into()),
    verifier_factory: |algorithm, key| Ok(Box::new(Check { algorithm: *algorithm, key: key.clone() })),
    key_utils: KeyUtils::new_unimplemented(),
};

struct Check {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl JwtVerifier for Check {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

impl Verifier<Vec<u8>> for Check {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), Refused> {
        let outcome = match (self.algorithm, self.key.kind()) {
            (algorithm, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                let parameters = match algorithm {
                    Algorithm::RS256 => &rs::RSA_PKCS1_2048_8192_SHA256,
                    Algorithm::RS384 => &rs::RSA_PKCS1_2048_8192_SHA384,
                    Algorithm::RS512 => &rs::RSA_PKCS1_2048_8192_SHA512,
                    _ => return Err(Refused::new()),
                };
                rs::RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (algorithm, DecodingKeyKind::SecretOrDer(key)) => {
                let algorithm: &dyn rs::VerificationAlgorithm = match algorithm {
                    Algorithm::ES256 => &rs::ECDSA_P256_SHA256_FIXED,
                    Algorithm::ES384 => &rs::ECDSA_P384_SHA384_FIXED,
                    Algorithm::EdDSA => &rs::ED25519,
                    _ => return Err(Refused::new()),
                };
                rs::UnparsedPublicKey::new(algorithm, key).verify(message, signature)
            }
        };
        outcome.map_err(|_| Refused::new())
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};

    use super::*;

    const MESSAGE: &[u8] = b"a message of an issuer";
    // An RSA public key and signatures of the message, made with `openssl dgst -sign`.
    const N: &str = concat!(
        "tnv096aVde2BRkC8xGIongqDdQJYCxVDKfndZWQuJkUWA7S9SNVNAYwEpQathylfYrU7zls6z3KHVmgr2GqMxyVNKAaX2pVnXRyW",
        "N3az37K1RfQBKFk2Q3P_UcJ26cJtrqm8GAa3kgaJ05vCRahvpDTuFZbYMDFpmXeGjILSIglvOScVXjdmofH2VSfrqBZQmrelAKp1",
        "7pyA5xGfgshsSQBWFuJZRm0WEXmEog9FtjrdOcXBQ2g2Lhv-RPLJhHFJ94YGDexiBnX34vUpr8ohMKQ9CggbypKsbQ4Y8CN61rp3",
        "mG7AtR-_gMP25cmg2PoXAA_ARjhi55JzMKUVthyZpw",
    );
    const RS256: &str = concat!(
        "YTnRbg4Rgzrfk-mqVzFmpFvXBo5iFTYgydFVrFJ2bx6s4j1va4IVQIuAgXFPm_a_FbqZRfspdzbH6D6ittfLExwFGZ_6EbkcjnXN",
        "Q_FJNjc15uqU4dGQFTPymYPyQP5v7JzK7YTG0NTnkpWQ0Hx0a1Hhg9qVenskQlVHunf1wiuU1Pn45zMg7Q8SzAv5oESizQ5ZcYUJ",
        "_YlcKGqPD_rBtEPht7tBAYPm11_mSVgDhzPHwG18ZBKXGwC8ayNqeEOvnXXGut7xzu50-OTjtSnu9oZ_jV2bpf6fki9F9PWQz4u3",
        "ARtiXZJlB_j9wKNPHpelRt5SmIluJANAQeVCY5oCgw",
    );
    const RS384: &str = concat!(
        "Dy8J2lEOEanS6c7v43PCa0A4Nvw1PDVV901itx0uQCTykipnvgh7QwUdxRSBptfVJ1siFxKn5XsWpsYDkYQ_Kcx8PtkxPmszSQUx",
        "yjppfxiBHVJVex7Y_wPnE1MNRWlYRjlu2kd7UaEPEgLsWGG-YTA6TnFoglgZpdluuzR6WKO-eb1QVLE4StmP0nxg8a7iJWa_na02",
        "O8Php9-BOpXe0wOTpQvMylsCAiAcsXgWrqQHzTD2d3lNItRA1HY4Hl7fdKeyevPLUSzomQvnmHxhuO9t5y5Ysq6McRhHXWCEjfYg",
        "PFlOsJvrZAJZkrbQTxPqKnPZaYyEtJuMO3VhAK__oA",
    );
    const RS512: &str = concat!(
        "ko1ezk0oX3xCGy969XTminENoJBLLmeRDquUeVCXVtgxrnczO5eXfLNBnOVmOXMOQ3MbVlE63JlIRuGB8iYBM8iFKBrUngmi2tEQ",
        "PfBc37Nd8yhnN016pxow39_tdA9ElYuDIJgYI3V6ozNzIfupCQGGsxx_7UEa6CKwoKdF_QRRQwPpRkQflM5VQnH2IWlS4Z3P5Ifr",
        "cUof-hH5OfkmMAdC5y2U8hpqHndOtX8u7m-Yt8tjbG3nyhIN7pKAAO6KQKLQmEqjIekobQkNU58e98E9sRaZ4wOkKtLSGcmjGxwW",
        "1oNZIaNaUbma2rG_575yAp_B2AY0IMB5561e7sdAPg",
    );

    fn bytes(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).unwrap()
    }

    fn holds(algorithm: Algorithm, key: &DecodingKey, message: &[u8], signature: &[u8]) -> bool {
        Check { algorithm, key: key.clone() }.verify(message, &signature.to_vec()).is_ok()
    }

    #[test]
    fn signatures_of_rsa_hold_for_their_hash_their_message_and_their_key() {
        let (n, e) = (bytes(N), [1, 0, 1]);
        let key = DecodingKey::from_rsa_raw_components(&n, &e);
        let all = [(Algorithm::RS256, RS256), (Algorithm::RS384, RS384), (Algorithm::RS512, RS512)];
        for (algorithm, signature) in all {
            let signature = bytes(signature);
            assert!(holds(algorithm, &key, MESSAGE, &signature));
            assert!(!holds(algorithm, &key, b"another message", &signature));
            assert!(!holds(algorithm, &key, MESSAGE, &signature[1..]) && !holds(algorithm, &key, MESSAGE, &[]));
            for (other, _) in all.into_iter().filter(|(other, _)| *other != algorithm) {
                assert!(!holds(other, &key, MESSAGE, &signature), "{other:?}");
            }
            for foreign in [Algorithm::HS256, Algorithm::ES256, Algorithm::EdDSA, Algorithm::PS256] {
                assert!(!holds(foreign, &key, MESSAGE, &signature), "{foreign:?}");
            }
            let mut changed = n.clone();
            changed[200] ^= 1;
            assert!(!holds(algorithm, &DecodingKey::from_rsa_raw_components(&changed, &e), MESSAGE, &signature));
        }
    }

    #[test]
    fn signatures_of_p384_hold_and_keys_are_not_taken_for_secrets() {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, document.as_ref(), &random).unwrap();
        let signature = pair.sign(&random, MESSAGE).unwrap();
        let key = DecodingKey::from_ec_der(pair.public_key().as_ref());
        assert!(holds(Algorithm::ES384, &key, MESSAGE, signature.as_ref()));
        for other in [Algorithm::ES256, Algorithm::EdDSA, Algorithm::HS384, Algorithm::RS256] {
            assert!(!holds(other, &key, MESSAGE, signature.as_ref()), "{other:?}");
        }
    }
}
