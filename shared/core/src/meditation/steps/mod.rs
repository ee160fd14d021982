//! The steps of the pipeline, one file each.
