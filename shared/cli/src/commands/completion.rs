//! `kimberly completion`

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::args::Cli;
use crate::error::CliResult;

#[derive(clap::Args)]
#[command(after_help = "bash: kimberly completion bash > ~/.local/share/bash-completion/completions/kimberly\n\
                        zsh:  kimberly completion zsh > \"${fpath[1]}/_kimberly\"\n\
                        fish: kimberly completion fish > ~/.config/fish/completions/kimberly.fish")]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Args {
    pub(crate) fn run(self) -> CliResult {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "kimberly", &mut script);
        let mut out = std::io::stdout().lock();
        std::io::Write::write_all(&mut out, &script)?;
        Ok(std::io::Write::flush(&mut out)?)
    }
}
