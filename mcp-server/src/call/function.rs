//! Functions as handlers: what tools, prompts, resources and completions have in common.

use std::sync::Arc;

use mcp_session::HandlerFuture;
use mcp_types::RawJson;

use super::{Call, Ending, Finish, FromCall, Rejection};
use crate::rounds::run_blocking;
use crate::schema::no_arguments;
use crate::state::Need;

/// An async function with up to four parameters that are taken from a call.
pub(crate) trait Function<M>: Send + Sync + 'static {
    /// What its future becomes.
    type Returned;

    /// Calls it. Everything is taken from the call before the function's future is made, which borrows nothing.
    fn start<E>(&self, call: &Call<'_>, ending: E) -> Result<HandlerFuture, Rejection>
    where
        E: Ending<Self::Returned> + Send + 'static;

    /// What its parameters say.
    fn parameters() -> Parameters;
}

/// A plain function with up to four parameters that are taken from a call.
pub(crate) trait BlockingFunction<M>: Send + Sync + 'static {
    /// What it returns.
    type Returned;

    /// Has it called, on another thread.
    fn start<E>(self: Arc<Self>, call: &Call<'_>, ending: E) -> Result<HandlerFuture, Rejection>
    where
        E: Ending<Self::Returned> + Send + 'static;

    /// What its parameters say.
    fn parameters() -> Parameters;
}

/// What the parameters of a function say of what it handles.
///
/// Schemas are made when somebody asks for them: a program that starts many tools to call one of them should not wait.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    schemas: Vec<fn() -> Option<RawJson>>,
    pub(crate) needs: Vec<Need>,
}

impl Parameters {
    fn new(schemas: &[fn() -> Option<RawJson>], needs: &[fn() -> Option<Need>]) -> Self {
        Self { schemas: schemas.to_vec(), needs: needs.iter().filter_map(|need| need()).collect() }
    }

    /// Makes the schema of the arguments.
    pub(crate) fn schema(&self) -> RawJson {
        self.schemas.iter().find_map(|schema| schema()).unwrap_or_else(no_arguments)
    }
}

macro_rules! functions {
    ($($parameter:ident $value:ident)*) => {
        impl<F, R, $($parameter,)*> Function<($($parameter,)*)> for F
        where
            F: Fn($($parameter),*) -> R + Send + Sync + 'static,
            R: Future + Send + 'static,
            $($parameter: FromCall,)*
        {
            type Returned = R::Output;

            fn start<E>(&self, call: &Call<'_>, ending: E) -> Result<HandlerFuture, Rejection>
            where
                E: Ending<R::Output> + Send + 'static,
            {
                call.asking.open(call)?;
                let future = self($($parameter::from_call(call)?),*);
                Ok(HandlerFuture::new(Finish::new(future, ending, call.asking.started())))
            }

            fn parameters() -> Parameters {
                Parameters::new(&[$($parameter::input_schema),*], &[$($parameter::needs),*])
            }
        }

        impl<F, R, $($parameter,)*> BlockingFunction<($($parameter,)*)> for F
        where
            F: Fn($($parameter),*) -> R + Send + Sync + 'static,
            $($parameter: FromCall + Send + 'static,)*
        {
            type Returned = R;

            fn start<E>(self: Arc<Self>, call: &Call<'_>, ending: E) -> Result<HandlerFuture, Rejection>
            where
                E: Ending<R> + Send + 'static,
            {
                call.asking.open(call)?;
                $(let $value = $parameter::from_call(call)?;)*
                let round = call.asking.started();
                let work = move || run_blocking(round, || ending.answer(self($($value),*)));
                Ok(HandlerFuture::blocking(&call.conversation.threads, work))
            }

            fn parameters() -> Parameters {
                Parameters::new(&[$($parameter::input_schema),*], &[$($parameter::needs),*])
            }
        }
    };
}

functions!();
functions!(A a);
functions!(A a B b);
functions!(A a B b C c);
functions!(A a B b C c D d);
