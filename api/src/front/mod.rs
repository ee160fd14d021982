//! What stands in front of the calls: who may call at all, and the dialects that are translated to gRPC.
//!
//! From the outside in: pages of foreign origins are refused, allowed ones get their CORS headers, requests find room or
//! not, and gRPC-Web becomes gRPC. What comes out is plain gRPC, and what the layers behind refuse is translated back.

mod browser;
mod cors;
mod room;

pub(crate) use browser::BrowserLayer;
pub(crate) use cors::layer as cors;
pub(crate) use room::{Held, RoomLayer};
