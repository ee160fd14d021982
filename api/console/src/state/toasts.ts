// Notes about actions, each with an undo button for a while.
import { signal } from "@preact/signals";
import { t } from "../i18n";
import { user } from "./session";

const SHOWN_MS = 9_000;

export interface Toast {
  readonly id: number;
  // The user whose memory it is about; nothing is undone in the memory of another one.
  readonly whose: string;
  readonly text: string;
  readonly undo?: () => void;
  readonly error: boolean;
}

export const toasts = signal<readonly Toast[]>([]);
let next = 1;

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

function show(toast: Omit<Toast, "id" | "whose">): number {
  const id = next++;
  toasts.value = [...toasts.value.slice(-2), { ...toast, id, whose: user.value }];
  setTimeout(() => dismiss(id), SHOWN_MS);
  return id;
}

export function said(text: string, undo?: () => Promise<unknown>): void {
  if (!undo) {
    show({ text, error: false });
    return;
  }
  const id = show({ text, error: false, undo: () => (dismiss(id), void undo().catch(failed)) });
}

export function failed(error: unknown): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  show({ text: error instanceof Error ? error.message : String(error), error: true });
}

// Actions that cannot be undone are delayed, so that they can be cancelled. If the page is closed or shows another memory
// before, nothing is done.
export function later(text: string, act: () => Promise<unknown>): void {
  let stopped = false;
  const whose = user.value;
  const undo = () => {
    stopped = true;
    dismiss(id);
    show({ text: t.value.toasts.stopped, error: false });
  };
  const id = show({ text, error: false, undo });
  setTimeout(() => {
    if (!stopped && user.value === whose) act().catch(failed);
  }, SHOWN_MS);
}
