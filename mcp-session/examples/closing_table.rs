//! Prints the closing table: every rule, what it promises, and the events that lead to it.
#![expect(clippy::print_stdout, reason = "the table is the output")]

use mcp_session::engine::Table;

fn main() {
    print!("{}", Table::standard().to_markdown());
}
