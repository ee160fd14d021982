//! Claims about the document.
