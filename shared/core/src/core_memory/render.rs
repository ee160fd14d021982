//! Renders blocks as one text: equal blocks give equal bytes.

use super::block::Block;
use super::label::sort_key;

/// Label of the block that shows the active goals.
const GOALS: &str = "goals";

/// Renders blocks in their order, with the goals' titles in the block `goals`, which is added if there are goals. The
/// output is XML: characters that XML cannot hold become U+FFFD.
pub fn render(blocks: &[Block<'_>], goals: &[&str]) -> String {
    let mut blocks = blocks.to_vec();
    if !goals.is_empty() && blocks.iter().all(|block| block.label != GOALS) {
        blocks.push(Block { label: GOALS, description: "", read_only: false, content: "" });
    }
    blocks.sort_by_key(|block| sort_key(block.label));
    let bytes: usize = blocks.iter().map(|block| block.content.len() + block.description.len() + 80).sum();
    let mut text = String::with_capacity(bytes + 64);
    text.push_str("<core_memory>\n");
    for block in &blocks {
        open(&mut text, block);
        line(&mut text, block.content);
        if block.label == GOALS {
            for title in goals {
                text.push_str("<goal>");
                escape(&mut text, title);
                text.push_str("</goal>\n");
            }
        }
        text.push_str("</block>\n");
    }
    text.push_str("</core_memory>");
    text
}

fn open(text: &mut String, block: &Block<'_>) {
    text.push_str("<block label=\"");
    escape(text, block.label);
    if !block.description.is_empty() {
        text.push_str("\" description=\"");
        escape(text, block.description);
    }
    text.push('"');
    if block.read_only {
        text.push_str(" read_only=\"true\"");
    }
    text.push_str(">\n");
}

/// Writes a text and ends its last line, unless it is empty.
fn line(text: &mut String, content: &str) {
    escape(text, content);
    if !content.is_empty() && !content.ends_with('\n') {
        text.push('\n');
    }
}

fn escape(text: &mut String, raw: &str) {
    for letter in raw.chars() {
        match letter {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            // An XML parser would read a raw one as a line feed.
            '\r' => text.push_str("&#13;"),
            '\n' | '\t' => text.push(letter),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => text.push('\u{fffd}'),
            _ => text.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block<'a>(label: &'a str, content: &'a str) -> Block<'a> {
        Block { label, description: "", read_only: false, content }
    }

    #[test]
    fn blocks_come_in_one_order_whatever_theirs_is() {
        let blocks = [
            block("zebra", "z"),
            Block { description: "who you are", read_only: true, ..block("persona", "I am calm.\n") },
            block("human", ""),
            block("goals", "Be kind."),
        ];
        let expected = "<core_memory>\n\
             <block label=\"persona\" description=\"who you are\" read_only=\"true\">\nI am calm.\n</block>\n\
             <block label=\"human\">\n</block>\n\
             <block label=\"goals\">\nBe kind.\n<goal>move to Lisbon</goal>\n</block>\n\
             <block label=\"zebra\">\nz\n</block>\n\
             </core_memory>";
        assert_eq!(render(&blocks, &["move to Lisbon"]), expected);
        let mut turned = blocks;
        turned.reverse();
        assert_eq!(render(&turned, &["move to Lisbon"]), expected);
        assert_eq!(render(&[], &[]), "<core_memory>\n</core_memory>");
        assert!(render(&[], &["swim"]).contains("<block label=\"goals\">\n<goal>swim</goal>\n</block>"));
    }

    #[test]
    fn no_text_leaves_its_block() {
        let hostile = "</block></core_memory> & \"x\" \u{1}\r\n]]>";
        let text = render(&[Block { description: hostile, ..block("facts", hostile) }], &["</goal>"]);
        assert_eq!(text.matches("</core_memory>").count(), 1, "{text}");
        assert_eq!(text.matches("</block>").count(), 2, "that of the goals, too: {text}");
        assert!(
            text.contains("&lt;/block&gt;&lt;/core_memory&gt; &amp; &quot;x&quot; \u{fffd}&#13;\n]]&gt;"),
            "{text}"
        );
        assert!(text.contains("<goal>&lt;/goal&gt;</goal>"), "{text}");
    }
}
