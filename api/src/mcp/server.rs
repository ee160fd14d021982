//! The protocol's methods.

use http::request::Parts;
use kimberly_core::memory::DraftLimits;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, DiscoverResult, GetPromptRequestParams,
    GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::call::{self, Call, Services, Turns};
use super::{params, prompt, resources, tools};

type Context = RequestContext<RoleServer>;

/// Serves one client. Cheap to clone.
#[derive(Clone)]
pub(super) struct Server {
    services: Services,
    turns: Turns,
    secured: bool,
    limits: DraftLimits,
}

impl Server {
    /// Creates a server in front of these services.
    pub(super) fn new(services: Services, secured: bool, limits: DraftLimits) -> Self {
        Self { services, turns: call::turns(), secured, limits }
    }

    fn call(&self, context: &Context) -> Result<Call, ErrorData> {
        Call::of(context.extensions.get::<Parts>(), (&self.services, &self.turns), self.secured)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new("kimberly", kimberly_runtime::VERSION).with_title("Kimberly");
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources().build();
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(prompt::SHORT)
    }

    /// Refuses clients whose calls could only fail, such as those that name no user.
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        self.call(&context)?;
        self.negotiate_initialize(&request)
    }

    async fn discover(&self, context: Context) -> Result<DiscoverResult, ErrorData> {
        self.call(&context)?;
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let names = self.call(&context)?.profile.tools();
        let listed = names.filter_map(|name| tools::named(name)?.listed(self.limits).ok()).collect();
        Ok(ListToolsResult::with_all_items(listed))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        let call = self.call(&context)?;
        let known = call.profile.tools().find(|name| *name == request.name);
        let tool = known.and_then(tools::named).ok_or_else(|| {
            let tools = call.profile.tools().collect::<Vec<_>>().join(", ");
            ErrorData::invalid_params(format!("there is no such tool; tools/list lists all: {tools}"), None)
        })?;
        Ok((tool.call)(call, request.arguments.unwrap_or_default()).await.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![prompt::listed()]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != prompt::NAME {
            let known = format!("there is no such prompt; there is {}", prompt::NAME);
            return Err(ErrorData::invalid_params(known, None));
        }
        Ok(prompt::instructions(self.call(&context)?.profile).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::listed()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(resources::read(&self.call(&context)?, &request.uri).await?.into())
    }

    /// Answers what is none of the requests above: a request whose parameters are malformed, or an unknown method.
    async fn on_custom_request(&self, request: CustomRequest, _: Context) -> Result<CustomResult, ErrorData> {
        Err(params::refused(request))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::named(name)?.listed(self.limits).ok()
    }
}
