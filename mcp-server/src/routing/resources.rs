//! Resources that are read, and subscribed to in a session.

use mcp_session::{Answer, Answering, Body};
use mcp_types::jsonrpc::{ErrorCode, ErrorObject};

use super::{Asker, Routes, answering, invalid, text};
use crate::call::{Asked, Texts, to_json};
use crate::resource::{Found, about, not_found};
use crate::uri::{self, shortened};

impl Routes {
    pub(super) fn read_resource(&self, asker: Asker<'_>) -> Answering {
        self.start_read(asker).unwrap_or_else(|error| Answering::Ready(Err(error)))
    }

    fn start_read(&self, asker: Asker<'_>) -> Result<Answering, ErrorObject> {
        let uri = text("uri", asker.request.params.uri)?;
        let found = self.find(&uri, asker)?;
        let none = Texts::new();
        let (variables, arguments) = match &found {
            Found::Fixed(_) => (&none, "{}".to_owned()),
            Found::Template(_, variables) => (variables, to_json(variables)),
        };
        let asked = Asked::Resource { read: found.read(), uri: &uri, variables };
        Ok(answering(found.call(&self.call(asker, asked, &arguments))))
    }

    //= 2025-11-25/server/resources#subscriptions
    //# The protocol supports optional subscriptions to resource changes.
    pub(super) fn subscribe(&self, asker: Asker<'_>) -> Answer {
        let uri = text("uri", asker.request.params.uri)?;
        self.find(&uri, asker)?;
        match asker.context.subscribe(&uri) {
            Ok(()) => Ok(nothing()),
            Err(too_many) => Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, too_many.to_string())),
        }
    }

    /// What is not subscribed to can be unsubscribed from: it may have been removed meanwhile.
    pub(super) fn unsubscribe(asker: Asker<'_>) -> Answer {
        asker.context.unsubscribe(&text("uri", asker.request.params.uri)?);
        Ok(nothing())
    }

    fn find(&self, uri: &str, asker: Asker<'_>) -> Result<Found, ErrorObject> {
        let resources = &self.conversation.resources;
        if let Some(found) = resources.find(uri) {
            return Ok(found);
        }
        if let Err(why) = uri::check(uri) {
            return Err(about(uri, invalid(format!("`{}` is no URI: {why}", shortened(uri)))));
        }
        Err(not_found(uri, asker.version))
    }
}

fn nothing() -> Body {
    Body::from_json(b"{}".to_vec())
}
