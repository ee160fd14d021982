//! Finds the binding of a method and path.
//!
//! Bindings whose templates differ only in variable names form one resource with several methods. If several resources
//! match a path, the one with literals instead of variables wins, whatever the method: the path of an rpc can never be
//! taken for an id.

use std::sync::Arc;

use http::Method;

use crate::binding::Binding;
use crate::template::{self, Segment};

/// The routing table.
#[derive(Debug, Default)]
pub(crate) struct Router {
    resources: Vec<Resource>,
}

#[derive(Debug)]
struct Resource {
    segments: Vec<Segment>,
    bindings: Vec<Arc<Binding>>,
    allowed: String,
}

/// The result of a lookup.
#[derive(Debug)]
pub(crate) enum Found<'a> {
    /// A binding, with the values of its variables, still percent-encoded.
    Binding(&'a Arc<Binding>, Vec<&'a str>),
    /// A resource that accepts only these methods.
    WrongMethod(&'a str),
    /// No match.
    Nothing,
}

impl Router {
    /// Builds the table. Fails with two ambiguous bindings.
    pub(crate) fn new(bindings: impl IntoIterator<Item = Arc<Binding>>) -> Result<Self, (Arc<Binding>, String)> {
        let mut resources: Vec<Resource> = Vec::new();
        for binding in bindings {
            let segments = &binding.template.segments;
            let Some(resource) = resources.iter_mut().find(|resource| resource.segments == *segments) else {
                let (segments, allowed) = (segments.clone(), binding.method.to_string());
                resources.push(Resource { segments, bindings: vec![binding], allowed });
                continue;
            };
            if let Some(other) = resource.bindings.iter().find(|other| other.method == binding.method) {
                let problem = format!("{} {} is also {}", binding.method, binding.raw, other.rpc.full_name());
                return Err((binding, problem));
            }
            resource.allowed = format!("{}, {}", resource.allowed, binding.method);
            resource.bindings.push(binding);
        }
        resources
            .sort_by_key(|resource| std::cmp::Reverse(resource.segments.iter().map(Segment::rank).collect::<Vec<_>>()));
        Ok(Self { resources })
    }

    /// Looks up a method and path.
    pub(crate) fn find<'a>(&'a self, method: &Method, path: &'a str) -> Found<'a> {
        let Some(path) = path.strip_prefix('/') else { return Found::Nothing };
        let parts: Vec<&str> = path.split('/').collect();
        for resource in &self.resources {
            if let Some(values) = template::matches(&resource.segments, &parts) {
                return match resource.bindings.iter().find(|binding| binding.method == *method) {
                    Some(binding) => Found::Binding(binding, values),
                    None => Found::WrongMethod(&resource.allowed),
                };
            }
        }
        Found::Nothing
    }

    /// Iterates over all bindings.
    pub(crate) fn bindings(&self) -> impl Iterator<Item = &Arc<Binding>> {
        self.resources.iter().flat_map(|resource| &resource.bindings)
    }
}
