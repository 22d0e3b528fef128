//! The parameters of a call.

use serde_json::value::RawValue;

use crate::service::Body;

/// The parameters of a call: the JSON of one object, or nothing.
///
/// It is made from a [`RawValue`], or from a [`Body`], whose maker vouches that it is JSON: what is not is a broken
/// message to the peer.
#[derive(Clone, Debug, Default)]
pub struct CallParams(Json);

#[derive(Clone, Debug, Default)]
enum Json {
    #[default]
    None,
    Raw(Box<RawValue>),
    Body(Body),
}

impl CallParams {
    pub(crate) fn as_bytes(&self) -> Option<&[u8]> {
        match &self.0 {
            Json::None => None,
            Json::Raw(raw) => Some(raw.get().as_bytes()),
            Json::Body(body) => Some(body.as_bytes()),
        }
    }
}

impl From<Option<Box<RawValue>>> for CallParams {
    fn from(params: Option<Box<RawValue>>) -> Self {
        Self(params.map_or(Json::None, Json::Raw))
    }
}

impl From<Box<RawValue>> for CallParams {
    fn from(params: Box<RawValue>) -> Self {
        Self(Json::Raw(params))
    }
}

impl From<Body> for CallParams {
    fn from(params: Body) -> Self {
        Self(Json::Body(params))
    }
}
