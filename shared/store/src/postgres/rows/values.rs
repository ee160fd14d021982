//! Binds values in this backend's format.

use uuid::Uuid;

use crate::postgres::conn::Args;
use crate::rows::WriteRow;

impl WriteRow for Args {
    fn put_int(&mut self, value: i64) {
        self.push(value);
    }
    fn put_opt_int(&mut self, value: Option<i64>) {
        self.push(value);
    }
    fn put_flag(&mut self, value: bool) {
        self.push(value);
    }
    fn put_real(&mut self, value: f64) {
        self.push(value);
    }
    fn put_text(&mut self, value: String) {
        self.push(value);
    }
    fn put_opt_text(&mut self, value: Option<String>) {
        self.push(value);
    }
    fn put_opt_bytes(&mut self, value: Option<Vec<u8>>) {
        self.push(value);
    }
    fn put_uuid(&mut self, value: Uuid) {
        self.push(value);
    }
    fn put_opt_uuid(&mut self, value: Option<Uuid>) {
        self.push(value);
    }
    fn put_tags(&mut self, value: &[String]) {
        self.push(value.to_vec());
    }
}
