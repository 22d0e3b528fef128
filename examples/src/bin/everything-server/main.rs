//! A server with a tool for everything that a tool can do: what conformance suites and benches are run against.

mod options;
mod over_http;
mod report;

use std::process::ExitCode;

use clap::Parser;
use examples::everything;
use mcp_server::ServeError;

use self::options::Options;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    let places = options.report_places()?;
    let server = options.apply(everything::server());
    let outcome = match options.http() {
        Some(http) => http.serve(server).await?,
        None => server.serve_stdio().await,
    };
    let code = match &outcome {
        Ok(report) => places.write(report, report.exit_code())?,
        Err(ServeError::Run(error)) => places.write(&error.report, 1)?,
        Err(_) => 1,
    };
    outcome?;
    Ok(code.into())
}
