// What a person decides better than a rule: contradictions, doubts, captures, alerts, and the plan.
import { t } from "../../i18n";
import { Head } from "../../ui/page";
import { Alerts } from "./alerts";
import { Contradictions } from "./contradictions";
import { PlanInShort } from "./plan-in-short";
import { Captures } from "./captures";
import { Uncertain } from "./uncertain";

export function Review() {
  const words = t.value.review;
  return (
    <>
      <Head title={words.title} lead={words.lead} />
      <PlanInShort />
      <Contradictions />
      <Uncertain />
      <Captures />
      <Alerts />
    </>
  );
}
