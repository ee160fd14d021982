//! `kimberly memory-tool`: runs one command of an assistant's memory tool from stdin and prints its answer.

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::{input, json};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The command as JSON; `-` reads it from stdin
    #[arg(default_value = "-", hide_default_value = true)]
    command: String,
    /// The namespace of the files, such as an application's name
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    namespace: String,
    /// Makes the call safe to repeat: the same id returns the first answer
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    request_id: String,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let request = v1::RunMemoryToolRequest {
            user_id: context.user.clone(),
            namespace: self.namespace,
            command: input::text(self.command)?,
            request_id: self.request_id,
        };
        let answer = context.connect().await?.tool().run_memory_tool(request).await?.into_inner();
        // Printed unchanged, success or error: it is for a program.
        context.out.answer(|| json::of(&answer), || answer.output.clone())?;
        if answer.is_error { Err(CliError::failed("nothing was done; the answer says why")) } else { Ok(()) }
    }
}
