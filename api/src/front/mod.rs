//! What stands in front of the calls: who may call at all, and the dialects that are translated to gRPC.
//!
//! From the outside in: pages of foreign origins are refused, allowed ones get their CORS headers, it is found out who
//! calls, callers are held to their rates and deadlines begin, requests find room or not, and JSON and gRPC-Web become gRPC.
//! What comes out is plain gRPC, and what the layers behind refuse is translated back.

mod authenticate;
mod browser;
mod cors;
mod dialect;
mod gate;
mod room;

pub(crate) use authenticate::AuthenticateLayer;
pub(crate) use browser::BrowserLayer;
pub(crate) use cors::layer as cors;
pub(crate) use gate::GateLayer;
pub(crate) use room::{Held, RoomLayer};
