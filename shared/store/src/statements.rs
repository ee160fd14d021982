//! What a connection of either backend can do with statements, beyond passing rows one by one.

/// Defines methods on top of a connection's `for_each`, for a backend's type of rows.
macro_rules! runs_statements {
    ($row:ty) => {
        /// Runs statements; returns the number of rows that the last one changed.
        pub(crate) async fn run(
            &mut self,
            doing: &'static str,
            sql: impl Into<Cow<'static, str>> + Send,
            args: Args,
        ) -> Result<u64> {
            self.for_each(doing, sql, args, |_| Ok(true)).await
        }

        /// Runs statements; returns the rows, each read by `read`.
        pub(crate) async fn rows<T: Send>(
            &mut self,
            doing: &'static str,
            sql: impl Into<Cow<'static, str>> + Send,
            args: Args,
            mut read: impl FnMut(&$row) -> Result<T> + Send,
        ) -> Result<Vec<T>> {
            let mut found = Vec::new();
            self.for_each(doing, sql, args, |row| {
                found.push(read(row)?);
                Ok(true)
            })
            .await?;
            Ok(found)
        }

        /// Runs statements; returns the last row, read by `read`, if there is one.
        pub(crate) async fn row<T: Send>(
            &mut self,
            doing: &'static str,
            sql: impl Into<Cow<'static, str>> + Send,
            args: Args,
            mut read: impl FnMut(&$row) -> Result<T> + Send,
        ) -> Result<Option<T>> {
            let mut found = None;
            self.for_each(doing, sql, args, |row| {
                found = Some(read(row)?);
                Ok(true)
            })
            .await?;
            Ok(found)
        }
    };
}
pub(crate) use runs_statements;
