// Asks for the user, and for a key if the server requires one.
import { useState } from "preact/hooks";
import { ApiError } from "../api/client";
import { mayEnter } from "../api/system";
import { t } from "../i18n";
import { key, refused, signIn, signOut, trouble, user } from "../state/session";
import { failed } from "../state/toasts";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";

export function SignIn() {
  const words = t.value.signIn;
  const [whose, setWhose] = useState(user.value);
  const [secret, setSecret] = useState("");
  const [wrong, setWrong] = useState(key.value !== "" && refused.value);
  const enter = async (event: Event) => {
    event.preventDefault();
    signIn(whose.trim(), secret.trim());
    try {
      await mayEnter();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) setWrong(secret !== "");
      else signOut();
      failed(error);
    }
  };
  return (
    <main class="door">
      <form class="door-card" onSubmit={(event) => void enter(event)}>
        <div class="brand"><Icon name="brand" /><span>Kimberly</span></div>
        <h1>{words.title}</h1>
        <p class="lead">{refused.value ? words.locked : words.open}</p>
        <Field label={words.user} hint={words.userHint}>
          {(id) => <input {...id} class="input" required maxLength={128} autocomplete="username" value={whose} onInput={(e) => setWhose(e.currentTarget.value)} />}
        </Field>
        {refused.value && (
          <Field label={words.key} hint={words.keyHint}>
            {(id) => <input {...id} class="input" type="password" required autocomplete="off" value={secret} onInput={(e) => setSecret(e.currentTarget.value)} />}
          </Field>
        )}
        {trouble.value && <p class="wrong" role="alert">{words[trouble.value]}</p>}
        {wrong && <p class="wrong" role="alert">{words.wrong}</p>}
        <button class="button is-main" type="submit">{words.enter}</button>
      </form>
    </main>
  );
}
