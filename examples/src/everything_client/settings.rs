//! What a script can set.

use std::time::Duration;

use super::script::Setting;

/// What holds for the calls that follow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settings {
    pub(super) timeout: Option<Duration>,
    pub(super) max_time: Option<Duration>,
}

impl Settings {
    pub(super) const fn set(&mut self, setting: Setting) {
        match setting {
            Setting::Timeout(millis) => self.timeout = Some(Duration::from_millis(millis)),
            Setting::MaxTime(millis) => self.max_time = Some(Duration::from_millis(millis)),
            // Progress always restarts the time of silence, a session over pipes has nothing to delete, and what
            // happens on a change is for the callback to know.
            Setting::ResetOnProgress(_) | Setting::NoDelete | Setting::ListOnChange(_) => {}
        }
    }
}
