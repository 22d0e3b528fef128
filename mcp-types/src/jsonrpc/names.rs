//! The members that the scanner knows, those first that come most often.

/// Makes an enum of member names, and a search for the one that a text starts with.
///
/// They are compared with quotes and colon, as they usually stand in a text. That takes 5 instructions a try, where
/// finding the end of any name takes 60.
macro_rules! names {
    ($name:ident { $($variant:ident = $text:literal,)+ }) => {
        #[derive(Clone, Copy)]
        pub(super) enum $name {
            $($variant,)+
        }

        impl $name {
            /// Also returns how long the name is, quotes and colon included.
            #[inline]
            pub(super) fn find(text: &[u8]) -> Option<(usize, Self)> {
                $(if is_at_start(text, concat!('"', $text, "\":").as_bytes()) {
                    return Some(($text.len() + 3, Self::$variant));
                })+
                None
            }
        }
    };
}

/// Names differ in length, so the end of the wrong ones is not there: 4 instructions instead of up to 40.
#[inline]
fn is_at_start(text: &[u8], name: &[u8]) -> bool {
    text.get(name.len() - 2..name.len()) == Some(b"\":") && text.starts_with(name)
}

names!(Member {
    Jsonrpc = "jsonrpc",
    Id = "id",
    Method = "method",
    Params = "params",
    Result = "result",
    Error = "error",
});

names!(ErrorMember {
    Code = "code",
    Message = "message",
    Data = "data",
});

names!(ResultMember {
    Content = "content",
    ResultType = "resultType",
    Meta = "_meta",
    IsError = "isError",
    StructuredContent = "structuredContent",
});

names!(BlockMember {
    Type = "type",
    Text = "text",
});

names!(Param {
    Name = "name",
    Arguments = "arguments",
    Meta = "_meta",
    Uri = "uri",
    RequestId = "requestId",
    ProgressToken = "progressToken",
    Progress = "progress",
    ProtocolVersion = "protocolVersion",
    Notifications = "notifications",
    Cursor = "cursor",
    Level = "level",
    InputResponses = "inputResponses",
    RequestState = "requestState",
});

names!(MetaMember {
    ProtocolVersion = "io.modelcontextprotocol/protocolVersion",
    ClientInfo = "io.modelcontextprotocol/clientInfo",
    ClientCapabilities = "io.modelcontextprotocol/clientCapabilities",
    ProgressToken = "progressToken",
    LogLevel = "io.modelcontextprotocol/logLevel",
    SubscriptionId = "io.modelcontextprotocol/subscriptionId",
});
