//! Texts of all lengths, in many languages, with all oddities that a tokenizer may meet; the same on every run.

/// Words of one language or kind.
type Words = &'static [&'static str];

const KINDS: [Words; 20] = [
    &["the", "train", "to", "the", "lake", "left", "before", "she", "could", "say", "goodbye", "properly", "again"],
    &["meeting", "budget", "Thursday", "postponed", "until", "finance", "approves", "the", "revised", "forecast"],
    &["der", "Überraschungsgast", "aß", "Äpfel", "während", "die", "Straßenbahn", "vorbeifuhr", "und", "schwieg"],
    &["où", "l'été", "dernier", "nous", "avons", "dîné", "à", "l'hôtel", "près", "du", "château", "brûlé", "déjà"],
    &["mañana", "el", "niño", "quiso", "comer", "piñones", "¿por", "qué?", "¡porque", "sí!", "según", "él"],
    &["zażółć", "gęślą", "jaźń", "wczoraj", "poszliśmy", "do", "źródła", "łódką", "przez", "święta"],
    &["вчера", "мы", "долго", "говорили", "о", "поездке", "на", "озеро", "Байкал", "ещё", "йод", "подъезд"],
    &["χθες", "μιλήσαμε", "για", "το", "ταξίδι", "στη", "θάλασσα", "Ἀθῆναι", "ὁδός", "και", "ύστερα"],
    &["ذهبنا", "أمس", "إلى", "السوق", "لشراء", "الخبز", "والقهوة", "مَرْحَبًا", "ثم", "عدنا"],
    &["אתמול", "הלכנו", "לים", "שָׁלוֹם", "עם", "הילדים", "ואז", "חזרנו", "הביתה"],
    &["कल", "हम", "बाज़ार", "गए", "और", "चाय", "पी", "क्योंकि", "ठंड", "थी"],
    &["昨天", "我们", "去", "湖边", "散步", "，", "然后", "喝茶", "。", "北京", "图书馆"],
    &["昨日", "は", "東京", "で", "ラーメン", "を", "食べました", "。", "ﾊﾝｶｸ", "が", "ぎぐげ"],
    &["어제", "우리는", "호수에", "갔다", "그리고", "차를", "마셨다", "한국어", "각"],
    &["เมื่อวาน", "เราไป", "ตลาด", "ซื้อ", "กาแฟ", "แล้ว", "กลับบ้าน"],
    &["dün", "İstanbul'a", "gittik", "ığdır", "çay", "içtik", "şükür", "öğle", "ÜST"],
    &["😀", "👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇩🇪", "☕️", "❤️", "🤷🏻‍♀️", "ok", "lol"],
    &["fn", "main()", "{", "println!(\"{}\",", "x[0]", "+=", "0x1F;", "}", "//", "TODO:", "a->b", "&&", "snake_case"],
    &["https://example.com/a?b=c&d=%20e", "user@example.org", "10.0.0.1:8080", "C:\\Temp\\x.txt", "../etc", "#tag"],
    &["3.14159", "1,000,000", "2026-11-21T05:46:00Z", "€12.50", "½", "²", "Ⅷ", "١٢٣", "-7", "1e-12", "42%"],
];

const ODD: [&str; 32] = [
    "",
    " ",
    "\t\r\n \u{a0}\u{2003}",
    ".",
    "?!?!?!",
    "a",
    "\u{0}",
    "nul \u{0} inside",
    "\u{1}\u{2}\u{1b}[31mred\u{1b}[0m",
    "\u{feff}byte order mark",
    "zero\u{200b}width\u{200d}joined\u{2060}words",
    "soft\u{ad}hyphen",
    "\u{202e}right to left\u{202c} and back",
    "e\u{301}\u{327}\u{323} combining \u{300}\u{301}\u{302}\u{303}\u{304}",
    "\u{fffd}\u{fffd} replaced",
    "\u{e000}\u{f8ff} private",
    "\u{10ffff}\u{1f9ff} far away",
    "[CLS] [SEP] [MASK] [PAD] [UNK]",
    "[CLS][CLS][SEP]",
    "##ing ##ed unhappy##ness",
    "ALL CAPITALS AND NOTHING ELSE",
    "MiXeD cAsE wOrDs",
    "ﬁ ﬂ ﬀ ligatures ŉ ǆ",
    "ＦＵＬＬ　ＷＩＤＴＨ　１２３",
    "𝓯𝓪𝓷𝓬𝔂 𝕝𝕖𝕥𝕥𝕖𝕣𝕤 𝟘𝟙𝟚",
    "Z̸̡̢̛̹̺͉a̶l̷g̵o̴",
    "line one\nline two\r\nline three\n\n\nline seven",
    "{\"json\": [1, 2.5, null, true], \"nested\": {\"a\": \"b\"}}",
    "<p>markup &amp; entities</p><script>alert('x')</script>",
    "'; DROP TABLE memories; --",
    "    leading and trailing    ",
    "\\u0041 \\n \\t escaped",
];

/// A pseudo-random number generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % bound
    }
}

/// `count` texts: first the oddities, then sentences in one or several languages, from one word to more than any
/// window; some are a single long word.
pub(crate) fn texts(count: usize) -> Vec<String> {
    let mut dice = Dice(20_261_121);
    let odd = ODD.iter().map(|text| (*text).to_owned());
    let long = [("a", 5_000), ("word ", 3_000), ("🙂", 600), ("漢", 700), ("9", 400), ("-", 300), ("é", 1_000)];
    let long = long.into_iter().map(|(part, times)| part.repeat(times));
    odd.chain(long).chain(std::iter::repeat_with(move || sentence(&mut dice))).take(count).collect()
}

fn sentence(dice: &mut Dice) -> String {
    // Most memories are short; one in sixteen exceeds the window of common models.
    let words = match dice.below(16) {
        0..8 => 1 + dice.below(12),
        8..13 => 12 + dice.below(40),
        13..15 => 50 + dice.below(120),
        _ => 200 + dice.below(250),
    };
    let mixed = dice.below(5) == 0;
    let mut kind = KINDS[dice.below(KINDS.len())];
    let mut text = String::new();
    for at in 0..words {
        if mixed {
            kind = KINDS[dice.below(KINDS.len())];
        }
        if at > 0 {
            text.push_str(["", ", ", "\n", "  ", " - "].get(dice.below(60)).copied().unwrap_or(" "));
        }
        text.push_str(kind[dice.below(kind.len())]);
    }
    text
}
