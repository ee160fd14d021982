-- What an index of words is given waits on a list until there is enough to be put into its place, and every search by anybody
-- goes through that list. By default it grows to 4 MB: measured with a million memories of a thousand users, a search for five
-- words then took 4 to 6 ms of Postgres, and with 256 kB 1.2 ms; writers that came to empty it waited 0.8 s, now 0.2 s, and no
-- fewer were written. With 64 kB the 99th of a hundred waits 14 ms instead of 6. Parts of words are searched seldom, and there are
-- more of them.
ALTER INDEX memories_indexed SET (gin_pending_list_limit = 256);
ALTER INDEX memories_content SET (gin_pending_list_limit = 1024);
