//! What a program in this process prints when it panics.

use std::{
    cell::RefCell,
    panic,
    sync::{Arc, Mutex, Once, PoisonError},
};

thread_local! {
    static HERE: RefCell<Option<Errors>> = const { RefCell::new(None) };
}

/// The standard error of one program: the messages of its panics.
#[derive(Debug, Clone, Default)]
pub(super) struct Errors(Arc<Mutex<String>>);

impl Errors {
    /// Panics on this thread are written here from now on.
    pub(super) fn capture(&self) {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                // A thread that is ending has no place of its own any more.
                let here = HERE.try_with(|here| here.borrow().clone()).ok().flatten();
                match here {
                    Some(errors) => errors.add(&info.to_string()),
                    None => before(info),
                }
            }));
        });
        HERE.with(|here| *here.borrow_mut() = Some(self.clone()));
    }

    pub(super) fn all(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn add(&self, text: &str) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_str(text);
        all.push('\n');
    }
}
