-- Declared tables that version 1 lacked.
{declared tables}
