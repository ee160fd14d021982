// Applies a person's correction of entities: calls the api, shows an undo note, and reloads.
import { failed, said } from "../../state/toasts";
import { ruled } from "./shown";

const reread = () => (ruled.value += 1);

export function rule(text: string, done: () => Promise<unknown>, back: () => Promise<unknown>): Promise<void> {
  return done()
    .then(() => {
      said(text, () => back().then(reread));
      reread();
    })
    .catch(failed);
}
