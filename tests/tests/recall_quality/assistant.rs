//! Recall from chats with an assistant: the user mentions facts within questions, the assistant gives long answers.

use super::{Vault, said};

const TOLD: &str = "I'm moving the bakery to Linden Street and the lease starts on 4 March, my sister Ruth does the books, the \
    oven comes from a closed hotel and needs three-phase current, and the health office wants a plan of the kitchen by \
    the middle of February. Can you help me with a checklist for that?";
const ANSWER: &str = "Certainly! Moving a bakery takes planning. Read the lease, plan the kitchen, and ask when the lease starts and ends. ";

async fn chat() -> Vault {
    let vault = Vault::new().await;
    let mut drafts = vec![said("bakery", "user", 9, TOLD), said("bakery", "assistant", 9, &ANSWER.repeat(20))];
    for day in 1..6 {
        drafts.push(said(&format!("day {day}"), "user", day, "Thanks! What else is there to think of?"));
        drafts.push(said(&format!("day {day}"), "assistant", day, "Insurance, staff, and a sign above the door."));
    }
    vault.remember(drafts).await;
    vault
}

#[tokio::test]
async fn facts_within_a_question_rank_before_the_long_answer() {
    let vault = chat().await;
    for question in ["When does the lease of the bakery start?", "Which plan of the kitchen was wanted?"] {
        assert_eq!(vault.recall(question).await[0], TOLD, "{question}");
    }
}
