// Notes at the edge of the page, with an undo button for some seconds.
import { t } from "../i18n";
import { dismiss, toasts } from "../state/toasts";
import { user } from "../state/session";
import { Icon } from "./icon";

export function Toasts() {
  return (
    <section class="toasts" aria-label={t.value.toasts.region} aria-live="polite">
      {toasts.value.filter(({ whose }) => whose === user.value).map((toast) => (
        <div key={toast.id} class={toast.error ? "toast is-error" : "toast"}>
          <span>{toast.text}</span>
          {toast.undo && <button type="button" class="toast-undo" onClick={toast.undo}>{t.value.common.undo}</button>}
          <button type="button" class="icon-button" onClick={() => dismiss(toast.id)} aria-label={t.value.common.dismiss}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </section>
  );
}
