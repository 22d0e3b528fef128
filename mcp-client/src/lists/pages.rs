//! A list as a stream.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use mcp_types::RawJson;
use mcp_types::jsonrpc::ErrorCode;

use super::cache::{Keeping, Kept, Known};
use super::cursors::Cursors;
use super::element::Element;
use super::error::ListError;
use super::lenient::{self, Bad};
use super::listing::{Listing, Page};
use super::source::{Ask, PageFuture, Source};

/// A list of a server, read page by page as it is needed.
///
/// It is made by [`Connection::tools`](crate::Connection::tools), [`prompts`](crate::Connection::prompts),
/// [`resources`](crate::Connection::resources) and [`resource_templates`](crate::Connection::resource_templates), and
/// asks for nothing before it is polled. Read it element by element, which is what the [`Stream`] does too, page by
/// page, or to its end.
///
/// One bad element never costs the others: it is left out of what is read and told of by [`bad`](Self::bad), and the
/// whole list is good for one warning in the log.
///
/// A list that the server says may be kept is answered from memory while it is good: until the shortest `ttlMs` of
/// its pages has passed, or until the server says that it changed. [`fresh`](Self::fresh) asks all the same.
///
/// # Limits
///
/// By default a list has at most 1 000 pages and 100 000 elements. A cursor that was named before ends the list with an
/// error. Each page may take as long as any call.
///
/// # Cancel safety
///
/// What is under way when a future of this is dropped goes on with the next one. When the list itself is dropped, a
/// page that is under way is cancelled and no other is asked for.
///
/// ```
/// # async fn example(connection: mcp_client::Connection) -> Result<(), mcp_client::ListError> {
/// let mut tools = connection.tools();
/// while let Some(tool) = tools.next().await {
///     println!("{}", tool?.name);
/// }
/// let resources = connection.resources().all().await?;
/// println!("{} resources, {} that cannot be read", resources.items.len(), resources.bad.len());
/// # Ok(())
/// # }
/// ```
///
/// Spec: [Pagination](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination)
#[must_use = "a list asks for nothing before it is read"]
pub struct Pages<T> {
    source: Source,
    timeout: Option<Duration>,
    most_pages: usize,
    most_elements: usize,
    is_fresh: bool,
    unsupported: Unsupported,
    stage: Stage,
    items: VecDeque<T>,
    bad: Vec<Bad>,
    cursors: Cursors,
    pages: usize,
    elements: usize,
    has_warned: bool,
    keeping: Option<Keeping>,
}

/// What becomes of a list that the server does not offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unsupported {
    Fails,
    IsEmpty,
}

enum Stage {
    /// Nothing was asked for yet; a cursor, if it is to begin in the middle.
    Start(Option<String>),
    /// The page of this cursor is next.
    Ahead(String),
    /// A page is under way.
    Asked(PageFuture),
    /// The list is in memory, and this many pages of it were read.
    Remembered(Arc<Kept>, usize),
    /// What was read is good, but there is no way on.
    Stuck(ListError),
    Over,
}

impl<T: Element> Pages<T> {
    pub(crate) fn new(source: Source) -> Self {
        Self {
            source,
            timeout: None,
            most_pages: MOST_PAGES,
            most_elements: MOST_ELEMENTS,
            is_fresh: false,
            unsupported: Unsupported::Fails,
            stage: Stage::Start(None),
            items: VecDeque::new(),
            bad: Vec::new(),
            cursors: Cursors::default(),
            pages: 0,
            elements: 0,
            has_warned: false,
            keeping: None,
        }
    }

    /// Asks the server, whatever is in memory.
    pub const fn fresh(mut self) -> Self {
        self.is_fresh = true;
        self
    }

    /// Takes a list that the server does not offer for an empty one, instead of failing.
    pub const fn or_empty(mut self) -> Self {
        self.unsupported = Unsupported::IsEmpty;
        self
    }

    /// Begins where a page that was read before ended: at its [`next_cursor`](Page::next_cursor).
    pub fn starting_at(mut self, cursor: impl Into<String>) -> Self {
        self.stage = Stage::Start(Some(cursor.into()));
        self
    }

    /// Limits how long the server may be silent about each page. Default 60 s.
    pub const fn timeout(mut self, idle: Duration) -> Self {
        self.timeout = Some(idle);
        self
    }

    /// Limits how many pages are read. Default 1 000.
    pub const fn max_pages(mut self, limit: usize) -> Self {
        self.most_pages = limit;
        self
    }

    /// Limits how many elements are read, the bad ones included. Default 100 000.
    pub const fn max_elements(mut self, limit: usize) -> Self {
        self.most_elements = limit;
        self
    }

    /// The next element. `None`: that was all. After an error there is nothing more.
    ///
    /// # Errors
    ///
    /// - [`ListError::NotSupported`]: the server does not offer this list. Nothing was sent.
    /// - [`ListError::CursorStandsStill`], [`ListError::TooManyPages`], [`ListError::TooManyElements`]: the list does
    ///   not end, or is too long. What was read before is good.
    /// - [`ListError::Call`]: a page could not be had.
    pub async fn next(&mut self) -> Option<Result<T, ListError>> {
        poll_fn(|cx| self.poll_element(cx)).await
    }

    /// The next page, or what is left of one that was begun. `None`: that was all.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next).
    pub async fn page(&mut self) -> Option<Result<Page<T>, ListError>> {
        poll_fn(|cx| self.poll_page(cx)).await
    }

    /// Everything that is left.
    ///
    /// When the server takes back a cursor of its own, the list has changed meanwhile, and is read once more from its
    /// beginning.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next).
    pub async fn all(mut self) -> Result<Listing<T>, ListError> {
        let mut restarts_left = usize::from(self.is_whole());
        let mut listing = Listing { items: Vec::new(), bad: std::mem::take(&mut self.bad) };
        while let Some(page) = self.page().await {
            match page {
                Ok(page) => {
                    listing.items.extend(page.items);
                    listing.bad.extend(page.bad);
                }
                //= 2026-07-28/server/utilities/caching#interaction-with-pagination
                //# If a cursor becomes invalid (e.g., the server returns an error for a previously valid
                //# cursor), the client **SHOULD** discard all cached pages and re-fetch from the
                //# beginning.
                Err(error) if restarts_left > 0 && self.pages > 0 && error.is_answer(ErrorCode::INVALID_PARAMS) => {
                    restarts_left -= 1;
                    self.start_over();
                    listing = Listing { items: Vec::new(), bad: Vec::new() };
                }
                Err(error) => return Err(error),
            }
        }
        Ok(listing)
    }

    /// The elements that [`next`](Self::next) left out so far because they could not be read.
    #[must_use]
    pub fn bad(&self) -> &[Bad] {
        &self.bad
    }

    /// Whether it is read from its beginning and nothing was.
    const fn is_whole(&self) -> bool {
        matches!(self.stage, Stage::Start(None))
    }

    fn start_over(&mut self) {
        self.stage = Stage::Start(None);
        self.is_fresh = true;
        self.cursors = Cursors::default();
        (self.pages, self.elements) = (0, 0);
    }

    fn poll_element(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, ListError>>> {
        loop {
            if let Some(item) = self.items.pop_front() {
                return Poll::Ready(Some(Ok(item)));
            }
            match ready!(self.poll_page(cx)) {
                Some(Ok(page)) => {
                    self.items = page.items.into();
                    self.bad.extend(page.bad);
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }

    fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Page<T>, ListError>>> {
        if !self.items.is_empty() {
            let items = std::mem::take(&mut self.items).into();
            let next_cursor = if let Stage::Ahead(cursor) = &self.stage { Some(cursor.clone()) } else { None };
            return Poll::Ready(Some(Ok(Page { items, bad: Vec::new(), next_cursor })));
        }
        let read = match ready!(self.poll_raw(cx)) {
            Some(Ok(raw)) => self.take_page(raw),
            Some(Err(error)) => Err(error),
            None => return Poll::Ready(None),
        };
        if let Err(error) = &read {
            self.stage = Stage::Over;
            if self.unsupported == Unsupported::IsEmpty && self.pages == 0 && error.is_not_supported() {
                return Poll::Ready(None);
            }
        }
        Poll::Ready(Some(read))
    }

    /// The next page as it was sent.
    fn poll_raw(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Raw, ListError>>> {
        loop {
            match std::mem::replace(&mut self.stage, Stage::Over) {
                Stage::Start(cursor) => match self.start(cursor) {
                    Ok(stage) => self.stage = stage,
                    Err(error) => return Poll::Ready(Some(Err(error))),
                },
                Stage::Ahead(_) if self.pages >= self.most_pages => {
                    let (method, limit) = (T::KIND.method(), self.most_pages);
                    return Poll::Ready(Some(Err(ListError::TooManyPages { method, limit })));
                }
                Stage::Ahead(cursor) => self.stage = self.ask(Some(cursor)),
                Stage::Asked(mut page) => match page.as_mut().poll(cx) {
                    Poll::Pending => {
                        self.stage = Stage::Asked(page);
                        return Poll::Pending;
                    }
                    Poll::Ready(page) => return Poll::Ready(Some(page.map(Raw::Sent).map_err(ListError::Call))),
                },
                Stage::Remembered(kept, read) if read < kept.pages.len() => {
                    self.stage = Stage::Remembered(Arc::clone(&kept), read + 1);
                    return Poll::Ready(Some(Ok(Raw::Remembered(kept, read))));
                }
                Stage::Remembered(..) | Stage::Over => return Poll::Ready(None),
                Stage::Stuck(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }

    fn start(&mut self, cursor: Option<String>) -> Result<Stage, ListError> {
        if !self.source.is_offered {
            return Err(ListError::NotSupported { method: T::KIND.method() });
        }
        if let Some(cache) = &self.source.cache
            && cursor.is_none()
        {
            let known = if self.is_fresh { Known::Nothing(cache.ask_anew(T::KIND)) } else { cache.look(T::KIND) };
            match known {
                Known::Kept(kept) => return Ok(Stage::Remembered(kept, 0)),
                Known::Nothing(keeping) => self.keeping = Some(keeping),
            }
        }
        Ok(self.ask(cursor))
    }

    fn ask(&self, cursor: Option<String>) -> Stage {
        Stage::Asked(self.source.fetch(Ask { cursor, timeout: self.timeout }))
    }

    fn take_page(&mut self, raw: Raw) -> Result<Page<T>, ListError> {
        let read = lenient::read::<T>(raw.get()).map_err(ListError::Call)?;
        self.pages += 1;
        self.elements += read.items.len() + read.bad.len();
        if self.elements > self.most_elements {
            return Err(ListError::TooManyElements { method: T::KIND.method(), limit: self.most_elements });
        }
        self.warn_of(&read.bad);
        if let Raw::Sent(page) = raw {
            self.keeping = self.keeping.take().and_then(|keeping| keeping.add(page, read.ttl));
            self.stage = self.stage_after(read.next_cursor.clone());
        }
        Ok(Page { items: read.items, bad: read.bad, next_cursor: read.next_cursor })
    }

    //= 2026-07-28/server/utilities/pagination#implementation-guidelines
    //# Don't make any determination based on cursor value other than whether a
    //# non-null value was provided (e.g. an empty string is a valid cursor and
    //# thus **MUST NOT** be treated as the end of results)
    fn stage_after(&mut self, next_cursor: Option<String>) -> Stage {
        match next_cursor {
            Some(cursor) if self.cursors.is_new(&cursor) => Stage::Ahead(cursor),
            Some(_) => Stage::Stuck(ListError::CursorStandsStill { method: T::KIND.method(), pages: self.pages }),
            None => {
                if let (Some(cache), Some(keeping)) = (&self.source.cache, self.keeping.take()) {
                    cache.keep(T::KIND, keeping);
                }
                Stage::Over
            }
        }
    }

    fn warn_of(&mut self, bad: &[Bad]) {
        if let Some(first) = bad.first().filter(|_| !self.has_warned) {
            self.has_warned = true;
            let (method, count) = (T::KIND.method(), bad.len());
            tracing::warn!(method, count, name = first.name, path = first.path, "elements of a list cannot be read");
        }
    }
}

impl<T: Element> Stream for Pages<T> {
    type Item = Result<T, ListError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_element(cx)
    }
}

impl<T> fmt::Debug for Pages<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stage = match &self.stage {
            Stage::Start(_) => "Start",
            Stage::Ahead(_) => "Ahead",
            Stage::Asked(_) => "Asked",
            Stage::Remembered(..) => "Remembered",
            Stage::Stuck(_) => "Stuck",
            Stage::Over => "Over",
        };
        f.debug_struct("Pages")
            .field("stage", &stage)
            .field("pages", &self.pages)
            .field("elements", &self.elements)
            .finish_non_exhaustive()
    }
}

/// The JSON of a page.
enum Raw {
    Sent(RawJson),
    /// That page of a list in memory.
    Remembered(Arc<Kept>, usize),
}

impl Raw {
    fn get(&self) -> &RawJson {
        match self {
            Self::Sent(page) => page,
            Self::Remembered(kept, page) => &kept.pages[*page],
        }
    }
}

const MOST_PAGES: usize = 1_000;
const MOST_ELEMENTS: usize = 100_000;
