//! Claims about what was never done against what was done.

use super::{ASKS, found, said};
use crate::beliefs::Conflict;

#[test]
fn never_contradicts_what_was_done_before_and_not_what_came_later() {
    let never = || said("I've never attended any pottery class or ridden a horse");
    for done in
        ["I attended a pottery class on May 3", "I've just visited the pottery classes", "I rode a horse in Spain"]
    {
        let conflict = Conflict { may_change: false, asks: ASKS };
        assert_eq!(found(said(done), never()), Some(conflict), "{done}");
        assert_eq!(found(never(), said(done)), None, "{done} came later");
    }
    for done in ["I attended a cooking class", "I will attend a pottery class", "I didn't attend the pottery class"] {
        assert_eq!(found(said(done), never()), None, "{done}");
    }
    assert_eq!(found(said("I ate meat"), said("I've never eaten meat since May")), None);
    assert_eq!(found(said("I ate meat"), said("I never eat meat")), None, "a habit");
}
