-- What embedding needs to know of all users together.

-- Vectors computed per day since 1970; the latest days only.
CREATE TABLE embedded (
    day INTEGER PRIMARY KEY,
    vectors INTEGER NOT NULL
) STRICT;
