-- Client certificates as credentials.

-- kind 2: a certificate, whom certificate names; it has no secret, so secret_hash is zeros. One that is not revoked has the
-- name alone.
ALTER TABLE credentials ADD COLUMN certificate TEXT;
CREATE UNIQUE INDEX credentials_certificate ON credentials (certificate)
    WHERE certificate IS NOT NULL AND revoked_at IS NULL;
