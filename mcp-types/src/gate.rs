//! Which fields are withheld from a peer of a revision that does not know them.
//!
//! One set of types serves all revisions. A field that only adds something (a title, an icon) may be
//! sent to everyone, since objects are open. A field that would change what the message means, or that
//! the revision's schema forbids, is taken out before the message is written. The table [`FIELDS`]
//! says which is which; nothing else decides it.

use crate::completion::CompleteResult;
use crate::content::{Content, ToolResultContent};
use crate::discover::DiscoverResult;
use crate::elicitation::{ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams, FormSchema};
use crate::listen::ListenResult;
use crate::method::Revisions;
use crate::prompts::{GetPromptResult, ListPromptsResult};
use crate::raw::RawJson;
use crate::resources::{ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult};
use crate::roots::ListRootsResult;
use crate::sampling::{CreateMessageParams, CreateMessageResult, SamplingMessage};
use crate::tools::{CallToolParams, CallToolResult, ListToolsResult, Tool};
use crate::version::Version;

/// A field that not all revisions have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// The type, as the schema names it.
    pub of: &'static str,
    /// The member.
    pub member: &'static str,
    /// The revisions that have it.
    pub known: Revisions,
    /// What to do with it where it is not known.
    pub elsewhere: Elsewhere,
}

/// What to do with a field in a revision that does not have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Elsewhere {
    /// It does no harm and may stay.
    Keep,
    /// It is taken out.
    Withhold,
    /// It may stay if it is an object and is taken out if not.
    WithholdUnlessObject,
}

impl Field {
    /// Whether the field must not be sent to a peer of this revision.
    pub fn is_withheld(&self, version: Version, is_object: bool) -> bool {
        !self.known.contains(version)
            && match self.elsewhere {
                Elsewhere::Keep => false,
                Elsewhere::Withhold => true,
                Elsewhere::WithholdUnlessObject => !is_object,
            }
    }

    fn apply<T>(&self, version: Version, field: &mut Option<T>) {
        if self.is_withheld(version, false) {
            *field = None;
        }
    }

    fn apply_raw(&self, version: Version, field: &mut Option<RawJson>) {
        if field.as_ref().is_some_and(|raw| self.is_withheld(version, raw.is_object())) {
            *field = None;
        }
    }
}

/// A message, or a part of one, that can be made fit for a revision.
pub trait Gated {
    /// Takes out what a peer of this revision must not get.
    fn fit(&mut self, version: Version);
}

macro_rules! fields {
    ($($constant:ident $of:literal $member:literal $known:ident $elsewhere:ident;)*) => {
        $(const $constant: Field = Field {
            of: $of,
            member: $member,
            known: $known,
            elsewhere: Elsewhere::$elsewhere,
        };)*

        /// All fields that not all revisions have, of the types of this crate.
        pub const FIELDS: &[Field] = &[$($constant),*];
    };
}

const MODERN: Revisions = Revisions::MODERN;
const LEGACY: Revisions = Revisions::LEGACY;
const FROM_2025_03_26: Revisions = Revisions::between(Version::V2025_03_26, Version::MODERN);
const FROM_2025_06_18: Revisions = Revisions::between(Version::V2025_06_18, Version::MODERN);
const FROM_2025_11_25: Revisions = Revisions::between(Version::V2025_11_25, Version::MODERN);
const ONLY_2025_11_25: Revisions = Revisions::only(Version::V2025_11_25);

#[rustfmt::skip]
fields! {
    IMPLEMENTATION_TITLE        "Implementation"    "title"             FROM_2025_06_18 Keep;
    IMPLEMENTATION_DESCRIPTION  "Implementation"    "description"       FROM_2025_11_25 Keep;
    IMPLEMENTATION_ICONS        "Implementation"    "icons"             FROM_2025_11_25 Keep;
    IMPLEMENTATION_WEBSITE_URL  "Implementation"    "websiteUrl"        FROM_2025_11_25 Keep;
    TOOL_TITLE                  "Tool"              "title"             FROM_2025_06_18 Keep;
    TOOL_ANNOTATIONS            "Tool"              "annotations"       FROM_2025_03_26 Keep;
    TOOL_OUTPUT_SCHEMA          "Tool"              "outputSchema"      FROM_2025_06_18 Keep;
    TOOL_ICONS                  "Tool"              "icons"             FROM_2025_11_25 Keep;
    TOOL_EXECUTION              "Tool"              "execution"         ONLY_2025_11_25 Withhold;
    TOOL_META                   "Tool"              "_meta"             FROM_2025_06_18 Keep;
    LIST_TOOLS_RESULT_TYPE      "ListToolsResult"   "resultType"        MODERN          Withhold;
    LIST_TOOLS_TTL_MS           "ListToolsResult"   "ttlMs"             MODERN          Withhold;
    LIST_TOOLS_CACHE_SCOPE      "ListToolsResult"   "cacheScope"        MODERN          Withhold;
    CALL_TOOL_RESULT_TYPE       "CallToolResult"    "resultType"        MODERN          Withhold;
    CALL_TOOL_STRUCTURED        "CallToolResult"    "structuredContent" MODERN          WithholdUnlessObject;
    TOOL_RESULT_STRUCTURED      "ToolResultContent" "structuredContent" MODERN          WithholdUnlessObject;
    PROMPT_TITLE                "Prompt"            "title"             FROM_2025_06_18 Keep;
    PROMPT_ICONS                "Prompt"            "icons"             FROM_2025_11_25 Keep;
    PROMPT_META                 "Prompt"            "_meta"             FROM_2025_06_18 Keep;
    PROMPT_ARGUMENT_TITLE       "PromptArgument"    "title"             FROM_2025_06_18 Keep;
    LIST_PROMPTS_RESULT_TYPE    "ListPromptsResult" "resultType"        MODERN          Withhold;
    LIST_PROMPTS_TTL_MS         "ListPromptsResult" "ttlMs"             MODERN          Withhold;
    LIST_PROMPTS_CACHE_SCOPE    "ListPromptsResult" "cacheScope"        MODERN          Withhold;
    GET_PROMPT_RESULT_TYPE      "GetPromptResult"   "resultType"        MODERN          Withhold;
    RESOURCE_TITLE              "Resource"          "title"             FROM_2025_06_18 Keep;
    RESOURCE_ICONS              "Resource"          "icons"             FROM_2025_11_25 Keep;
    RESOURCE_META               "Resource"          "_meta"             FROM_2025_06_18 Keep;
    RESOURCE_TEMPLATE_TITLE     "ResourceTemplate"  "title"             FROM_2025_06_18 Keep;
    RESOURCE_TEMPLATE_ICONS     "ResourceTemplate"  "icons"             FROM_2025_11_25 Keep;
    RESOURCE_TEMPLATE_META      "ResourceTemplate"  "_meta"             FROM_2025_06_18 Keep;
    LIST_RESOURCES_RESULT_TYPE  "ListResourcesResult" "resultType"      MODERN          Withhold;
    LIST_RESOURCES_TTL_MS       "ListResourcesResult" "ttlMs"           MODERN          Withhold;
    LIST_RESOURCES_CACHE_SCOPE  "ListResourcesResult" "cacheScope"      MODERN          Withhold;
    LIST_TEMPLATES_RESULT_TYPE  "ListResourceTemplatesResult" "resultType" MODERN       Withhold;
    LIST_TEMPLATES_TTL_MS       "ListResourceTemplatesResult" "ttlMs"   MODERN          Withhold;
    LIST_TEMPLATES_CACHE_SCOPE  "ListResourceTemplatesResult" "cacheScope" MODERN       Withhold;
    READ_RESOURCE_RESULT_TYPE   "ReadResourceResult" "resultType"       MODERN          Withhold;
    READ_RESOURCE_TTL_MS        "ReadResourceResult" "ttlMs"            MODERN          Withhold;
    READ_RESOURCE_CACHE_SCOPE   "ReadResourceResult" "cacheScope"       MODERN          Withhold;
    RESOURCE_CONTENTS_META      "ResourceContents"  "_meta"             FROM_2025_06_18 Keep;
    COMPLETE_CONTEXT            "CompleteRequest"   "context"           FROM_2025_06_18 Keep;
    COMPLETE_RESULT_TYPE        "CompleteResult"    "resultType"        MODERN          Withhold;
    PROMPT_REFERENCE_TITLE      "PromptReference"   "title"             FROM_2025_06_18 Keep;
    DISCOVER_RESULT_TYPE        "DiscoverResult"    "resultType"        MODERN          Withhold;
    DISCOVER_TTL_MS             "DiscoverResult"    "ttlMs"             MODERN          Withhold;
    DISCOVER_CACHE_SCOPE        "DiscoverResult"    "cacheScope"        MODERN          Withhold;
    LISTEN_RESULT_TYPE          "SubscriptionsListenResult" "resultType" MODERN         Withhold;
    TEXT_META                   "TextContent"       "_meta"             FROM_2025_06_18 Keep;
    IMAGE_META                  "ImageContent"      "_meta"             FROM_2025_06_18 Keep;
    AUDIO_META                  "AudioContent"      "_meta"             FROM_2025_06_18 Keep;
    EMBEDDED_META               "EmbeddedResource"  "_meta"             FROM_2025_06_18 Keep;
    RESOURCE_LINK_ICONS         "ResourceLink"      "icons"             FROM_2025_11_25 Keep;
    ANNOTATIONS_LAST_MODIFIED   "Annotations"       "lastModified"      FROM_2025_06_18 Keep;
    PROGRESS_MESSAGE            "ProgressNotification" "message"        FROM_2025_03_26 Keep;
    CALL_TOOL_INPUT_RESPONSES   "CallToolRequestParams" "inputResponses" MODERN         Withhold;
    CALL_TOOL_REQUEST_STATE     "CallToolRequestParams" "requestState"  MODERN          Withhold;
    ELICIT_FORM_MODE            "ElicitRequestFormParams" "mode"        FROM_2025_11_25 Keep;
    ELICIT_FORM_META            "ElicitRequestFormParams" "_meta"       LEGACY          Withhold;
    ELICIT_URL_ID               "ElicitRequestURLParams" "elicitationId" ONLY_2025_11_25 Withhold;
    ELICIT_URL_META             "ElicitRequestURLParams" "_meta"        LEGACY          Withhold;
    ELICIT_RESULT_META          "ElicitResult"      "_meta"             LEGACY          Withhold;
    LIST_ROOTS_RESULT_META      "ListRootsResult"   "_meta"             LEGACY          Withhold;
    ROOT_META                   "Root"              "_meta"             FROM_2025_06_18 Keep;
    CREATE_MESSAGE_TOOLS        "CreateMessageRequestParams" "tools"    FROM_2025_11_25 Withhold;
    CREATE_MESSAGE_TOOL_CHOICE  "CreateMessageRequestParams" "toolChoice" FROM_2025_11_25 Withhold;
    CREATE_MESSAGE_META         "CreateMessageRequestParams" "_meta"    LEGACY          Withhold;
    SAMPLING_MESSAGE_META       "SamplingMessage"   "_meta"             FROM_2025_11_25 Keep;
}

impl Gated for Tool {
    fn fit(&mut self, version: Version) {
        TOOL_EXECUTION.apply(version, &mut self.execution);
    }
}

impl Gated for ListToolsResult {
    fn fit(&mut self, version: Version) {
        LIST_TOOLS_RESULT_TYPE.apply(version, &mut self.result_type);
        LIST_TOOLS_TTL_MS.apply(version, &mut self.ttl_ms);
        LIST_TOOLS_CACHE_SCOPE.apply(version, &mut self.cache_scope);
        self.tools.iter_mut().for_each(|tool| tool.fit(version));
    }
}

impl Gated for CallToolResult {
    fn fit(&mut self, version: Version) {
        CALL_TOOL_RESULT_TYPE.apply(version, &mut self.result_type);
        CALL_TOOL_STRUCTURED.apply_raw(version, &mut self.structured_content);
        self.content.iter_mut().for_each(|block| block.fit(version));
    }
}

impl Gated for Content {
    fn fit(&mut self, version: Version) {
        if let Self::ToolResult(result) = self {
            result.fit(version);
        }
    }
}

impl Gated for ToolResultContent {
    fn fit(&mut self, version: Version) {
        TOOL_RESULT_STRUCTURED.apply_raw(version, &mut self.structured_content);
        self.content.iter_mut().for_each(|block| block.fit(version));
    }
}

impl Gated for ListPromptsResult {
    fn fit(&mut self, version: Version) {
        LIST_PROMPTS_RESULT_TYPE.apply(version, &mut self.result_type);
        LIST_PROMPTS_TTL_MS.apply(version, &mut self.ttl_ms);
        LIST_PROMPTS_CACHE_SCOPE.apply(version, &mut self.cache_scope);
    }
}

impl Gated for GetPromptResult {
    fn fit(&mut self, version: Version) {
        GET_PROMPT_RESULT_TYPE.apply(version, &mut self.result_type);
        self.messages.iter_mut().for_each(|message| message.content.fit(version));
    }
}

impl Gated for ListResourcesResult {
    fn fit(&mut self, version: Version) {
        LIST_RESOURCES_RESULT_TYPE.apply(version, &mut self.result_type);
        LIST_RESOURCES_TTL_MS.apply(version, &mut self.ttl_ms);
        LIST_RESOURCES_CACHE_SCOPE.apply(version, &mut self.cache_scope);
    }
}

impl Gated for ListResourceTemplatesResult {
    fn fit(&mut self, version: Version) {
        LIST_TEMPLATES_RESULT_TYPE.apply(version, &mut self.result_type);
        LIST_TEMPLATES_TTL_MS.apply(version, &mut self.ttl_ms);
        LIST_TEMPLATES_CACHE_SCOPE.apply(version, &mut self.cache_scope);
    }
}

impl Gated for ReadResourceResult {
    fn fit(&mut self, version: Version) {
        READ_RESOURCE_RESULT_TYPE.apply(version, &mut self.result_type);
        READ_RESOURCE_TTL_MS.apply(version, &mut self.ttl_ms);
        READ_RESOURCE_CACHE_SCOPE.apply(version, &mut self.cache_scope);
    }
}

impl Gated for CompleteResult {
    fn fit(&mut self, version: Version) {
        COMPLETE_RESULT_TYPE.apply(version, &mut self.result_type);
    }
}

impl Gated for DiscoverResult {
    fn fit(&mut self, version: Version) {
        DISCOVER_RESULT_TYPE.apply(version, &mut self.result_type);
        DISCOVER_TTL_MS.apply(version, &mut self.ttl_ms);
        DISCOVER_CACHE_SCOPE.apply(version, &mut self.cache_scope);
    }
}

impl Gated for ListenResult {
    fn fit(&mut self, version: Version) {
        LISTEN_RESULT_TYPE.apply(version, &mut self.result_type);
    }
}

impl Gated for CallToolParams {
    fn fit(&mut self, version: Version) {
        CALL_TOOL_INPUT_RESPONSES.apply(version, &mut self.input_responses);
        CALL_TOOL_REQUEST_STATE.apply(version, &mut self.request_state);
    }
}

impl Gated for ElicitParams {
    fn fit(&mut self, version: Version) {
        match self {
            Self::Form(params) => params.fit(version),
            Self::Url(params) => params.fit(version),
            Self::Unknown(_) => {}
        }
    }
}

/// A schema that names its options as the revision does not know it is written anew; every other one stays as it is.
impl Gated for ElicitFormParams {
    fn fit(&mut self, version: Version) {
        ELICIT_FORM_META.apply(version, &mut self.meta);
        if version < Version::V2025_11_25
            && let Ok(form) = FormSchema::read(&self.requested_schema)
            && form.has_titled_options()
        {
            self.requested_schema = form.to_json(version);
        }
    }
}

impl Gated for ElicitUrlParams {
    fn fit(&mut self, version: Version) {
        ELICIT_URL_ID.apply(version, &mut self.elicitation_id);
        ELICIT_URL_META.apply(version, &mut self.meta);
    }
}

impl Gated for ElicitResult {
    fn fit(&mut self, version: Version) {
        ELICIT_RESULT_META.apply(version, &mut self.meta);
    }
}

impl Gated for ListRootsResult {
    fn fit(&mut self, version: Version) {
        LIST_ROOTS_RESULT_META.apply(version, &mut self.meta);
    }
}

/// A message of several blocks becomes several messages where one may have one block.
impl Gated for CreateMessageParams {
    fn fit(&mut self, version: Version) {
        CREATE_MESSAGE_TOOLS.apply(version, &mut self.tools);
        CREATE_MESSAGE_TOOL_CHOICE.apply(version, &mut self.tool_choice);
        CREATE_MESSAGE_META.apply(version, &mut self.meta);
        if version < Version::V2025_11_25 && self.messages.iter().any(|message| message.content.len() > 1) {
            let messages = std::mem::take(&mut self.messages);
            self.messages = messages.into_iter().flat_map(SamplingMessage::split).collect();
        }
        self.messages.iter_mut().flat_map(|message| &mut message.content).for_each(|block| block.fit(version));
        self.tools.iter_mut().flatten().for_each(|tool| tool.fit(version));
    }
}

impl Gated for CreateMessageResult {
    fn fit(&mut self, version: Version) {
        self.content.iter_mut().for_each(|block| block.fit(version));
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::completion::Completion;
    use crate::tools::{TaskSupport, ToolExecution};

    #[test]
    fn no_field_stands_in_the_table_twice() {
        for (at, field) in FIELDS.iter().enumerate() {
            let again = |other: &&Field| (other.of, other.member) == (field.of, field.member);
            assert!(FIELDS[at + 1..].iter().find(again).is_none(), "{field:?}");
        }
    }

    fn fitted(value: impl Gated + serde::Serialize + Clone, version: Version) -> Value {
        let mut value = value;
        value.fit(version);
        serde_json::to_value(value).unwrap()
    }

    /// The members that are left in each revision, the oldest first.
    fn left(value: impl Gated + serde::Serialize + Clone, member: &str) -> Vec<bool> {
        let versions = Version::ALL.iter();
        versions.map(|version| fitted(value.clone(), *version).get(member).is_some()).collect()
    }

    #[test]
    fn modern_members_of_results_are_withheld_from_legacy_peers() {
        let only_modern = [false, false, false, false, true];
        let list = ListToolsResult::new(Vec::new());
        for member in ["resultType", "ttlMs", "cacheScope"] {
            assert_eq!(left(list.clone(), member), only_modern, "{member}");
        }
        assert_eq!(left(list, "tools"), [true; 5]);
        let call = CallToolResult::new(Vec::new());
        assert_eq!(left(call, "resultType"), only_modern);
        for member in ["resultType", "ttlMs", "cacheScope"] {
            assert_eq!(left(ListPromptsResult::new(Vec::new()), member), only_modern, "{member}");
            assert_eq!(left(ListResourcesResult::new(Vec::new()), member), only_modern, "{member}");
            assert_eq!(left(ListResourceTemplatesResult::new(Vec::new()), member), only_modern, "{member}");
            assert_eq!(left(ReadResourceResult::new(Vec::new()), member), only_modern, "{member}");
        }
        assert_eq!(left(GetPromptResult::new(Vec::new()), "resultType"), only_modern);
        assert_eq!(left(CompleteResult::new(Completion::default()), "resultType"), only_modern);
    }

    #[test]
    fn structured_content_is_an_object_for_legacy_peers() {
        let with = |structured: Value| CallToolResult::new(Vec::new()).with_structured_content(structured);
        let member = "structuredContent";
        assert_eq!(left(with(json!({"a": 1})), member), [true; 5]);
        for structured in [json!([1]), json!(1), json!("a"), json!(null)] {
            assert_eq!(left(with(structured), member), [false, false, false, false, true]);
        }
    }

    #[test]
    fn how_a_tool_runs_is_known_to_one_revision() {
        let execution = ToolExecution::new().with_task_support(TaskSupport::Required);
        let tool = Tool::new("t", json!({"type": "object"}))
            .with_execution(execution)
            .with_title("T")
            .with_meta(crate::Object::new());
        assert_eq!(left(tool.clone(), "execution"), [false, false, false, true, false]);
        assert_eq!(left(tool.clone(), "title"), [true; 5]);
        assert_eq!(left(tool.clone(), "_meta"), [true; 5]);
        let listed = fitted(ListToolsResult::new(vec![tool]), Version::V2025_06_18);
        assert_eq!(
            listed,
            json!({"tools": [{"name": "t", "title": "T", "inputSchema": {"type": "object"}, "_meta": {}}]})
        );
    }
}
