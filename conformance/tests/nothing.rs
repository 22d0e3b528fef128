//! What does nothing passes nothing.

use std::{sync::Arc, time::Duration};

use conformance::{
    runner::{Options, Status, run},
    scenarios,
    target::Target,
    targets::Nothing,
};

#[tokio::test]
async fn no_cell_passes_against_a_target_that_does_nothing() {
    for nothing in Nothing::ALL {
        let contract: Arc<dyn Target> = Arc::new(nothing.contract());
        let foreign: Arc<dyn Target> = Arc::new(nothing.foreign());
        for target in [contract, foreign] {
            let mut options = Options::default();
            options.jobs = 16;
            options.patience = Duration::from_millis(300);
            let run = run(&scenarios::all(), &[target], &options).await;
            let passed: Vec<String> =
                run.cells.iter().filter(|cell| cell.status.is_pass()).map(|cell| cell.name()).collect();
            assert_eq!(passed, [""; 0], "{nothing:?}");
            assert!(run.count(Status::is_failure) > 50, "{nothing:?}");
        }
    }
}
