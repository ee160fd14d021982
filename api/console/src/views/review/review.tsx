// Decisions for a person: waiting items, captures, alerts, and the plan.
import { t } from "../../i18n";
import { Head } from "../../ui/page";
import { Alerts } from "./alerts";
import { Changed } from "./changed";
import { PlanInShort } from "./plan-in-short";
import { Captures } from "./captures";
import { Waiting } from "./waiting";

export function Review() {
  const words = t.value.review;
  return (
    <>
      <Head title={words.title} lead={words.lead} />
      <PlanInShort />
      <Waiting />
      <Changed />
      <Captures />
      <Alerts />
    </>
  );
}
