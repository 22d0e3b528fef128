//! Subscribes to changes.

use crate::connection::Connection;
use crate::subscribe::Subscribe;

impl Connection {
    /// Subscribes to changes, in whichever era: say what is wanted, await it, and read the
    /// [`Subscription`](crate::Subscription).
    ///
    /// What the server does not tell of is left out of [`honoured`](crate::Subscription::honoured).
    ///
    /// ```
    /// # async fn example(connection: mcp_client::Connection) -> Result<(), mcp_client::SubscribeError> {
    /// let mut changes = connection.subscribe().tools().resource("file:///config.json").await?;
    /// while let Some(change) = changes.next().await {
    ///     println!("{change:?}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// - [`SubscribeError::Nothing`](crate::SubscribeError::Nothing): nothing was asked for.
    /// - [`SubscribeError::NotSupported`](crate::SubscribeError::NotSupported): the server tells of nothing that was
    ///   asked for.
    /// - [`SubscribeError::Ended`](crate::SubscribeError::Ended): the server ended it before it had begun.
    /// - [`SubscribeError::Call`](crate::SubscribeError::Call): the server answered with an error, or not at all.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the subscription up.
    pub fn subscribe(&self) -> Subscribe {
        Subscribe::new(self.shared())
    }
}
