// Placeholders for content: empty, loading, refused.
import type { ComponentChildren } from "preact";
import { ApiError } from "../api/client";
import { t } from "../i18n";

export function Empty({ title, text, children }: { title?: string; text: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      {title && <p class="empty-title">{title}</p>}
      <p>{text}</p>
      {children}
    </div>
  );
}

export function Loading() {
  return <p class="loading" role="status">{t.value.common.loading}</p>;
}

// Shows the api's message and reason, because they say what to do.
export function Refusal({ error, again }: { error: unknown; again?: () => void }) {
  const known = error instanceof ApiError;
  return (
    <div class="refusal" role="alert">
      <p class="refusal-title">{known ? t.value.common.refused : t.value.common.unreachable}</p>
      {known && <p>{error.message}</p>}
      {known && error.reason !== "" && <p class="refusal-reason"><code>{error.reason}</code></p>}
      {again && <button type="button" class="button" onClick={again}>{t.value.common.retry}</button>}
    </div>
  );
}
