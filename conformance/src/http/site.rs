//! Where a server is.

use std::fmt;

/// An endpoint that is reached over plain HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Site {
    authority: String,
    path: String,
}

impl Site {
    /// The endpoint at this path of a host, which is written `host:port`.
    pub fn new(authority: impl Into<String>, path: impl Into<String>) -> Self {
        Self { authority: authority.into(), path: path.into() }
    }

    /// Reads a URL such as `http://127.0.0.1:8000/mcp`. Without a path it is `/`, without a port 80.
    ///
    /// # Errors
    /// Why this is no such URL.
    pub fn parse(url: &str) -> Result<Self, String> {
        let rest = url.strip_prefix("http://").ok_or("a URL that begins with `http://` is needed")?;
        let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
        let (authority, path) = match rest.find(['/', '?']) {
            Some(at) => rest.split_at(at),
            None => (rest, "/"),
        };
        if authority.is_empty() || authority.contains('@') {
            return Err("the URL names no host".to_owned());
        }
        let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let authority = if has_port { authority.to_owned() } else { format!("{authority}:80") };
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Ok(Self { authority, path })
    }

    /// The endpoint that a reference found here leads to: a whole URL, or a path.
    ///
    /// # Errors
    /// Why the reference leads nowhere.
    pub fn resolve(&self, reference: &str) -> Result<Self, String> {
        if reference.contains("://") {
            return Self::parse(reference);
        }
        let path = match reference.strip_prefix('/') {
            Some(_) => reference.to_owned(),
            None => {
                let folder = self.path.split('?').next().and_then(|path| path.rsplit_once('/'));
                format!("{}/{reference}", folder.map_or("", |(folder, _)| folder))
            }
        };
        Ok(Self { authority: self.authority.clone(), path })
    }

    /// `host:port`.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The path, and the query if there is one.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.authority, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read() {
        assert_eq!(Site::parse("http://127.0.0.1:8000/mcp"), Ok(Site::new("127.0.0.1:8000", "/mcp")));
        assert_eq!(Site::parse("http://[::1]:9"), Ok(Site::new("[::1]:9", "/")));
        assert_eq!(Site::parse("http://[::1]/x"), Ok(Site::new("[::1]:80", "/x")));
        assert_eq!(Site::parse("http://a?b=c#d"), Ok(Site::new("a:80", "/?b=c")));
        for wrong in ["https://a/", "a:1/", "http:///x", "http://me@a/"] {
            assert!(Site::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn references_are_resolved() {
        let site = Site::new("a:1", "/api/sse?x=1");
        assert_eq!(site.resolve("/messages?id=2"), Ok(Site::new("a:1", "/messages?id=2")));
        assert_eq!(site.resolve("messages"), Ok(Site::new("a:1", "/api/messages")));
        assert_eq!(site.resolve("http://b:2/m"), Ok(Site::new("b:2", "/m")));
    }
}
