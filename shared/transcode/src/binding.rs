//! A binding of an rpc to an HTTP method and path, read from its annotation.

use http::Method;
use http::uri::PathAndQuery;
use prost_reflect::{DynamicMessage, FieldDescriptor, MethodDescriptor};

use crate::BuildError;
use crate::dialect::Spoken;
use crate::fields::{self, FieldPath};
use crate::template::Template;

/// The target of a request's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BodyField {
    /// No body.
    None,
    /// All fields that are not in the path.
    Whole,
    /// One field.
    Field(FieldDescriptor),
}

/// A binding of an HTTP method and a path to an rpc.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) rpc: MethodDescriptor,
    pub(crate) method: Method,
    /// The path template as written.
    pub(crate) raw: String,
    pub(crate) template: Template,
    /// The fields that the template's variables set, in order.
    pub(crate) variables: Vec<FieldPath>,
    pub(crate) body: BodyField,
    /// The gRPC path of the rpc.
    pub(crate) grpc_path: PathAndQuery,
    /// The index of this binding among those of the rpc.
    pub(crate) position: usize,
    /// The path's dialect: names accepted and returned besides those of the contract.
    pub(crate) spoken: Option<Spoken>,
}

/// Returns all bindings of an rpc: the annotation's own, then its additional ones, in order.
pub(crate) fn of(rpc: &MethodDescriptor) -> Result<Vec<Binding>, BuildError> {
    let http = rpc.parent_pool().get_extension_by_name("google.api.http");
    let http = http.ok_or(BuildError::Missing("google.api.http"))?;
    let options = rpc.options();
    if !options.has_extension(&http) {
        return Ok(Vec::new());
    }
    let problem = |problem: String| BuildError::Annotation { rpc: rpc.full_name().to_owned(), problem };
    if rpc.is_client_streaming() {
        return Err(problem("client streams cannot be called over HTTP; remove the annotation".to_owned()));
    }
    let rule = options.get_extension(&http);
    let rule = rule.as_message().ok_or_else(|| problem("the annotation is not an HttpRule".to_owned()))?;
    let mut rules = vec![rule.clone()];
    let more = rule.get_field_by_name("additional_bindings");
    let more = more.as_deref().and_then(prost_reflect::Value::as_list).unwrap_or_default();
    rules.extend(more.iter().filter_map(|rule| rule.as_message().cloned()));
    let bindings = rules.iter().enumerate().map(|(position, rule)| one(rpc, rule, position).map_err(problem));
    bindings.collect()
}

fn one(rpc: &MethodDescriptor, rule: &DynamicMessage, position: usize) -> Result<Binding, String> {
    let text =
        |name: &str| rule.get_field_by_name(name).and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default();
    let verbs = ["get", "put", "post", "delete", "patch"];
    let verb = verbs.into_iter().find(|verb| rule.has_field_by_name(verb));
    let verb = verb.ok_or("the annotation names none of get, put, post, delete and patch")?;
    if !text("response_body").is_empty() {
        return Err("response_body is not supported".to_owned());
    }
    let (input, raw, body) = (rpc.input(), text(verb), text("body"));
    let template = Template::parse(&raw)?;
    let variables = template.variables.iter().map(|name| {
        let path = fields::resolve(&input, name).map_err(|problem| format!("{{{name}}} {problem}"))?;
        let repeated = path.iter().any(FieldDescriptor::is_list);
        if repeated { Err(format!("{{{name}}} is repeated")) } else { Ok(path) }
    });
    let variables = variables.collect::<Result<Vec<_>, String>>()?;
    let body = match body.as_str() {
        "" => BodyField::None,
        "*" => BodyField::Whole,
        name => {
            let field = fields::named(&input, name).filter(|field| field.kind().as_message().is_some());
            BodyField::Field(field.ok_or_else(|| format!("body {name:?} is not a message in the request"))?)
        }
    };
    let method = Method::from_bytes(verb.to_ascii_uppercase().as_bytes()).map_err(|error| error.to_string())?;
    let grpc_path = format!("/{}/{}", rpc.parent_service().full_name(), rpc.name());
    let grpc_path = grpc_path.parse().map_err(|_| "its name is not a path".to_owned())?;
    Ok(Binding { rpc: rpc.clone(), method, raw, template, variables, body, grpc_path, position, spoken: None })
}
