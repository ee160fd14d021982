//! What every backend keeps, and what each keeps besides. One program, as the claims that both keep are compiled into it;
//! `tests/programs.py` of the project runs each module in a process of its own.

mod postgres;
mod sqlite;
