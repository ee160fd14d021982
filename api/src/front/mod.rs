//! The layers in front of the calls: they decide who may call, and translate dialects to gRPC.
//!
//! From the outside in: foreign origins are refused, allowed ones get CORS headers, the caller is authenticated, rates
//! are checked and deadlines start, room for the request is taken, and JSON and gRPC-Web become gRPC. The result
//! is plain gRPC. Refusals of the inner layers are translated back.

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
