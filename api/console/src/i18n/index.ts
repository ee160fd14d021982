// The texts of the console in the person's language: their choice, else the browser's language.
import { computed, signal } from "@preact/signals";
import { de } from "./de";
import { en } from "./en";

const LANGUAGE = "kimberly.language";

export type Messages = typeof en;
export const LANGUAGES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGES;

const ALL: Record<Language, Messages> = { en, de };

function first(): Language {
  const kept = localStorage.getItem(LANGUAGE) ?? navigator.language.slice(0, 2);
  return kept in ALL ? (kept as Language) : "en";
}

export const language = signal<Language>(first());
export const t = computed<Messages>(() => ALL[language.value]);

export function speak(chosen: Language): void {
  language.value = chosen;
  localStorage.setItem(LANGUAGE, chosen);
  document.documentElement.lang = chosen;
}

document.documentElement.lang = language.value;

// Translates a name of the api; returns it unchanged if the console does not know it.
export function word(table: Readonly<Record<string, string>>, name: string): string {
  return table[name] ?? name.replace(/^REVIEW_(KIND|CHANGE)_/, "").toLowerCase().replaceAll("_", " ");
}
